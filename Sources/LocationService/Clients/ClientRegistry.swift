// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import Glibc
import MainLoop

/// Holds each client while its connection lives. Enforces the limits per connection and per account.
final class ClientRegistry {
  private let connection: Connection
  private let peers: PeerWatch
  private let outbox: Outbox
  private let lookup: CredentialsLookup
  private let gatekeeper: any Gatekeeper
  var limits: Limits
  private var clients: [BusName: Client] = [:]
  private var quotas: [ObjectKind: Quota] = [:]
  /// The part of ``quotas`` that is held by clients that were never authorized.
  private var unproven: [ObjectKind: Quota] = [:]
  private var prompts = Quota()
  private var callBuckets: [Account: TokenBucket] = [:]
  private var pendingCalls = 0
  private let memory = HeapTrimmer()
  let list = SubscriptionList()
  /// Called when a call has been answered or an object has ended.
  var onLessBusy: (() -> Void)?
  /// Called with the account and the length of each answer, in bytes.
  var onAnswered: ((Account, Int) -> Void)?
  var onLeft: ((Client) -> Void)?

  init(
    on connection: Connection, _ outbox: Outbox, _ lookup: CredentialsLookup, _ gatekeeper: any Gatekeeper,
    _ limits: Limits
  ) {
    self.connection = connection
    self.outbox = outbox
    self.lookup = lookup
    self.gatekeeper = gatekeeper
    self.limits = limits
    peers = PeerWatch(on: connection)
    outbox.accountOf = { [weak self] name in self?.clients[name].map { $0.account ?? .common } }
  }

  /// Returns the client of a connection, creating it if necessary. The client is removed when the connection leaves the
  /// bus.
  func client(_ name: BusName) -> Client {
    peers.reconcileWithBus()
    if let known = clients[name] { return known }
    let client = Client(name, OutgoingQueue(client: name, outbox: outbox), lookup, gatekeeper, limits: limits)
    client.onProven = { [weak self, weak client] in if let client { self?.proved(client) } }
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

  /// Finds out whether a client's account has changed, and calls `move` with the old one and the new one. Amounts
  /// charged to the old account remain charged to it.
  func reviewAccount(of client: Client, _ move: (Account, Account) -> Void) {
    guard let old = client.account else { return }
    let new = gatekeeper.account(of: client)
    guard new != old else { return }
    client.account = new
    move(old, new)
  }

  /// Returns the client of a connection, unless it has left.
  func known(_ name: BusName) -> Client? { clients[name] }

  /// Takes the tokens for a call, from the client and from its account, unless a rate would be exceeded.
  func pay(for client: Client) -> Bool {
    let now = MainLoop.main.clock.monotonic()
    return withBucket(of: client, at: now) { bucket, rate in
      bucket.wait(for: 1, burst: rate, perSecond: rate, at: now) == .zero && client.takeToken(limits, at: now)
        && bucket.take(burst: rate, perSecond: rate, at: now)
    } ?? false
  }

  /// Returns the rate at which a client's call would have to wait longer than its answer may take. `count` calls of
  /// the client and `accountCount` of its account wait before it.
  func limitOfTurn(of client: Client, after count: Int, _ accountCount: Int) -> Limits.Key? {
    let now = MainLoop.main.clock.monotonic()
    if client.wait(for: count + 1, limits, at: now) > AnswerDeadlines.turn { return .callsPerSecond }
    let wait = withBucket(of: client, at: now) { $0.wait(for: accountCount + 1, burst: $1, perSecond: $1, at: now) }
    return wait ?? .zero > AnswerDeadlines.turn ? .callsPerSecondPerUser : nil
  }

  /// Returns nil if the client's account is not known.
  private func withBucket<Result>(
    of client: Client, at now: MonotonicInstant, _ body: (inout TokenBucket, UInt32) -> Result
  ) -> Result? {
    guard let account = client.account else { return nil }
    let rate = limits[.callsPerSecondPerUser]
    if callBuckets.count >= Self.largestBucketCount {
      callBuckets = callBuckets.filter { _, bucket in
        var bucket = bucket
        return !bucket.isFull(burst: rate, perSecond: rate, at: now)
      }
    }
    return body(&callBuckets[account, default: TokenBucket(burst: rate, at: now)], rate)
  }

  private static let largestBucketCount = 256

  /// Charges a client's account for the processor time of a call, in whole tokens.
  func chargeForTime(since begin: Instant<ProcessorTime>, _ client: Client) {
    charge(client, Double((ProcessorTime.now - begin).microseconds / Self.tokenTime.microseconds))
  }

  /// Charges a client's account for the size of a call, because the bus delivers large messages slowly while other
  /// users' calls wait.
  func chargeForSize(_ bytes: Int, _ client: Client) { charge(client, Double(bytes / 1_024)) }

  /// The processor time that costs one token.
  private static let tokenTime = Duration.milliseconds(1)

  private func charge(_ client: Client, _ cost: Double) {
    guard let account = client.account, cost > 0 else { return }
    callBuckets[account]?.charge(cost, burst: limits[.callsPerSecondPerUser])
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
      if let account = client.account { onAnswered?(account, bytes) }
      onLessBusy?()
    }
  }

  /// Counts one more object, or throws the limit that it would exceed.
  func reserve(_ kind: ObjectKind, for client: Client) throws(DBusError) {
    let keys = kind.limits
    guard client.objects.values.count(where: { $0.kind.counted == kind.counted }) < Int(limits[keys.perConnection])
    else {
      throw .limitsExceeded(keys.perConnection)
    }
    guard let user = client.credentials?.userID, let account = client.account else {
      throw .notAuthorized(.refused(.policyUnavailable))
    }
    let kind = kind.counted
    let whole = Int(limits[keys.whole])
    let part = max(Quota.free, whole / Self.unprovenPart)
    if !client.isProven, unproven[kind, default: Quota()].take(for: account, perAccount: part, of: part) != nil {
      throw .limitsExceeded(keys.whole)
    }
    if let refusal = quotas[kind, default: Quota()].take(for: account, perAccount: Int(limits[keys.perUser]), of: whole)
    {
      if !client.isProven { unproven[kind]?.release(of: account) }
      throw .limitsExceeded(refusal == .account ? keys.perUser : keys.whole)
    }
    list.changed(for: user)
    charge(client, Self.creationCost)
  }

  /// The share of all objects (one in this many) for clients that were never authorized.
  private static let unprovenPart = 4

  private func proved(_ client: Client) {
    for object in client.objects.values { unproven[object.kind.counted]?.release(of: object.account) }
  }

  /// The extra cost of creating an object, in tokens, because the gatekeeper must ask other services about the owner.
  private static let creationCost = 3.0

  func release(_ object: any OwnedObject) {
    let client = object.client
    quotas[object.kind.counted]?.release(of: object.account)
    if !client.isProven { unproven[object.kind.counted]?.release(of: object.account) }
    list.changed(for: client.credentials?.userID)
    onLessBusy?()
  }

  /// Counts one more dialog, or returns the limit that it would exceed.
  func reservePrompt(for client: Client) -> Limits.Key? {
    guard client.prompts.count < Int(limits[.promptsPerConnection]) else { return .promptsPerConnection }
    let (account, limit) = (client.account ?? .common, Int(limits[.promptsPerUser]))
    guard prompts.take(for: account, perAccount: limit, of: Int(UInt32.max)) == nil else { return .promptsPerUser }
    client.prompts.append(account)
    return nil
  }

  func releasePrompt(of client: Client) {
    if let account = client.prompts.popLast() { prompts.release(of: account) }
  }

  var isBusy: Bool { pendingCalls > 0 || quotas.values.contains { $0.total > 0 } }

  func isHere(_ client: Client) -> Bool { clients[client.name] === client }

  /// All subscriptions, regions and almanacs, in the order of their numbers.
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
  static var now: Instant<Self> {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Instant(sinceOrigin: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
  }
}
