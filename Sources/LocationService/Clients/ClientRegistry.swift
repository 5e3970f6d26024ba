// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import Glibc
import MainLoop

/// Holds each client while its connection lives. Enforces the limits per connection and per user.
final class ClientRegistry {
  private let connection: Connection
  private let peers: PeerWatch
  private let outbox: Outbox
  private let introductions: Introductions
  var limits: Limits
  private var clients: [BusName: Client] = [:]
  private var quotas: [ObjectKind: UserQuota] = [:]
  private var prompts = UserQuota()
  private var callBuckets: [UInt32: TokenBucket] = [:]
  private var pendingCalls = 0
  private let memory = HeapTrimmer()
  let list = SubscriptionList()
  /// Called when a call has been answered or an object has ended.
  var onLessBusy: (() -> Void)?
  /// Called with the user and the length of each answer, in bytes.
  var onAnswered: ((UInt32, Int) -> Void)?
  var onLeft: ((Client) -> Void)?

  init(on connection: Connection, _ outbox: Outbox, _ introductions: Introductions, _ limits: Limits) {
    self.connection = connection
    self.outbox = outbox
    self.introductions = introductions
    self.limits = limits
    peers = PeerWatch(on: connection)
    outbox.userOf = { [weak self] name in
      guard let client = self?.clients[name] else { return nil }
      return .some(client.credentials?.userID)
    }
  }

  /// Returns the client of a connection, creating it if necessary. The client is removed when the connection leaves the
  /// bus.
  func client(_ name: BusName) -> Client {
    peers.reconcileWithBus()
    if let known = clients[name] { return known }
    let client = Client(name, OutgoingQueue(client: name, outbox: outbox), introductions, limits: limits)
    clients[name] = client
    memory.countChanged(to: clients.count)
    peers.whenGone(name) { [weak self] in
      guard let self, let client = clients.removeValue(forKey: name) else { return }
      onLeft?(client)
      client.end()
      memory.countChanged(to: clients.count)
    }
    return client
  }

  /// Returns the client of a connection, unless it has left.
  func known(_ name: BusName) -> Client? { clients[name] }

  /// Takes the tokens for a call, from the client and from its user, unless a rate would be exceeded.
  func pay(for client: Client) -> Bool {
    let now = MainLoop.main.clock.monotonic()
    return withBucket(of: client, at: now) { bucket, rate in
      bucket.wait(for: 1, burst: rate, perSecond: rate, at: now) == 0 && client.takeToken(limits, at: now)
        && bucket.take(burst: rate, perSecond: rate, at: now)
    } ?? false
  }

  /// Throws the rate at which a client's call would have to wait longer than its answer may take. `count` and
  /// `userCount` calls wait before it.
  func checkTurn(of client: Client, after count: Int, _ userCount: Int) throws(DBusError) {
    let now = MainLoop.main.clock.monotonic()
    guard client.wait(for: count + 1, limits, at: now) <= Self.longestTurn else {
      throw .limitsExceeded(.callsPerSecond)
    }
    let wait = withBucket(of: client, at: now) { $0.wait(for: userCount + 1, burst: $1, perSecond: $1, at: now) }
    guard wait ?? 0 <= Self.longestTurn else { throw .limitsExceeded(.callsPerSecondPerUser) }
  }

  /// How long a call may wait for its turn, in microseconds, so that it can still be answered within 5 s.
  static let longestTurn: Int64 = 4_000_000

  /// Returns nil if the client's user is not known.
  private func withBucket<Result>(
    of client: Client, at now: Int64, _ body: (inout TokenBucket, UInt32) -> Result
  ) -> Result? {
    guard let user = client.credentials?.userID else { return nil }
    let rate = limits[.callsPerSecondPerUser]
    if callBuckets.count >= Self.largestBucketCount {
      callBuckets = callBuckets.filter { _, bucket in
        var bucket = bucket
        return !bucket.isFull(burst: rate, perSecond: rate, at: now)
      }
    }
    return body(&callBuckets[user, default: TokenBucket(burst: rate, at: now)], rate)
  }

  private static let largestBucketCount = 256

  /// Charges a client's user for the processor time of a call, in whole tokens.
  func chargeForTime(since begin: Int64, _ client: Client) {
    charge(client, Double((ProcessorTime.now - begin) / Self.tokenTime))
  }

  /// Charges a client's user for the size of a call, because the bus delivers large messages slowly while other users'
  /// calls wait.
  func chargeForSize(_ bytes: Int, _ client: Client) { charge(client, Double(bytes / 1_024)) }

  /// The processor time that costs one token, in microseconds.
  private static let tokenTime: Int64 = 1_000

  private func charge(_ client: Client, _ cost: Double) {
    guard let user = client.credentials?.userID, cost > 0 else { return }
    callBuckets[user]?.charge(cost, burst: limits[.callsPerSecondPerUser])
  }

  /// Admits a client's call, or throws the limit that it would exceed. Its answer costs one token per KiB.
  func admit(_ call: MethodCall, of client: Client) throws(DBusError) {
    guard client.pendingCalls < limits[.callsPerConnection] else { throw .limitsExceeded(.callsPerConnection) }
    client.pendingCalls += 1
    pendingCalls += 1
    call.onAnswered = { [weak self] bytes in
      client.pendingCalls -= 1
      guard let self else { return }
      pendingCalls -= 1
      charge(client, Double(bytes / 1_024))
      if let user = client.credentials?.userID { onAnswered?(user, bytes) }
      onLessBusy?()
    }
  }

  /// Counts one more object, or throws the limit that it would exceed.
  func reserve(_ kind: ObjectKind, for client: Client) throws(DBusError) {
    let keys = kind.limits
    guard client.objects.values.count(where: { $0.kind == kind }) < Int(limits[keys.perConnection]) else {
      throw .limitsExceeded(keys.perConnection)
    }
    guard let user = client.credentials?.userID else { throw .notAuthorized(.refused(.policyUnavailable)) }
    switch quotas[kind, default: UserQuota()].take(
      for: user, perUser: Int(limits[keys.perUser]), of: Int(limits[keys.whole]))
    {
    case .user: throw .limitsExceeded(keys.perUser)
    case .whole: throw .limitsExceeded(keys.whole)
    case nil: break
    }
    list.changed(for: user)
    charge(client, Self.creationCost)
  }

  /// The extra cost of creating an object, in tokens, because the gatekeeper must ask other services about the owner.
  private static let creationCost = 3.0

  func release(_ kind: ObjectKind, of client: Client) {
    if let user = client.credentials?.userID { quotas[kind]?.release(of: user) }
    list.changed(for: client.credentials?.userID)
    onLessBusy?()
  }

  /// Counts one more dialog, or returns the limit that it would exceed.
  func reservePrompt(for client: Client) -> Limits.Key? {
    guard client.pendingPrompts < limits[.promptsPerConnection] else { return .promptsPerConnection }
    let (user, limit) = (client.credentials?.userID ?? .max, Int(limits[.promptsPerUser]))
    guard prompts.take(for: user, perUser: limit, of: Int(UInt32.max)) == nil else { return .promptsPerUser }
    client.pendingPrompts += 1
    return nil
  }

  func releasePrompt(of client: Client) {
    client.pendingPrompts -= 1
    prompts.release(of: client.credentials?.userID ?? .max)
  }

  var isBusy: Bool { pendingCalls > 0 || quotas.values.contains { $0.total > 0 } }

  func isHere(_ client: Client) -> Bool { clients[client.name] === client }

  /// All subscriptions and regions, in the order of their numbers.
  var objects: [any OwnedObject] { clients.values.flatMap(\.objects.values).sorted { $0.number < $1.number } }

  /// The clients that receive locations or wait for one.
  var served: [Client] {
    clients.values.filter { client in
      !client.requests.isEmpty || client.objects.values.contains { $0.isActive }
    }
  }

  var all: some Collection<Client> { clients.values }

  var requests: [any PendingRequest] { clients.values.flatMap(\.requests) }
}

/// The processor time of this thread. Measures what a call costs, regardless of the load of the machine.
enum ProcessorTime {
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
