// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import Glibc
import MainLoop

/// Holds each client while its connection lives. Enforces the limits of what clients create.
final class ClientRegistry {
  private let peers: PeerWatch
  private let lookup: CredentialsLookup
  private let gatekeeper: any Gatekeeper
  private let admission: Admission
  private var clients: [BusName: Client] = [:]
  /// By user. That of a user without clients ends when the next location arrives.
  private var histories: [UInt32: AccessHistory] = [:]
  private var quotas: [ObjectKind: Quota] = [:]
  /// The part of ``quotas`` that is held by clients that were never authorized.
  private var unproven: [ObjectKind: Quota] = [:]
  private var prompts = Quota()
  private let memory = HeapTrimmer()
  let list = SubscriptionList()
  var onLeft: ((Client) -> Void)?

  init(
    on connection: Connection, _ outbox: Outbox, _ lookup: CredentialsLookup, _ gatekeeper: any Gatekeeper,
    _ admission: Admission
  ) {
    (self.lookup, self.gatekeeper, self.admission) = (lookup, gatekeeper, admission)
    peers = PeerWatch(on: connection)
    outbox.accountOf = { [weak self] name in self?.clients[name].map { $0.account ?? .common } }
  }

  /// Returns the client of a connection, creating it if necessary. The client is removed when the connection leaves the
  /// bus.
  func client(_ name: BusName) -> Client {
    peers.reconcileWithBus()
    if let known = clients[name] { return known }
    let client = Client(name, lookup, gatekeeper, limits: admission.limits)
    client.onProven = { [weak self, weak client] in if let client { self?.proved(client) } }
    client.historyOf = { [weak self] user in self?.history(of: user) }
    clients[name] = client
    memory.countChanged(to: clients.count)
    peers.whenGone(name) { [weak self] in
      guard let self, let client = clients.removeValue(forKey: name) else { return }
      onLeft?(client)
      client.end()
      leaveHistory(client)
      memory.countChanged(to: clients.count)
    }
    return client
  }

  /// Returns nil in the session deployment, in which all clients belong to the user whose location it is.
  private func history(of user: UInt32) -> AccessHistory? {
    guard !gatekeeper.sourceDecides else { return nil }
    let history = histories[user] ?? AccessHistory()
    histories[user] = history
    return history
  }

  private func leaveHistory(_ client: Client) {
    guard let history = client.history, let user = client.credentials?.userID else { return }
    history.clientLeft(wasAuthorized: client.isAuthorizedInUse)
    if history.isOver { histories[user] = nil }
    if histories.count > clients.count + Self.mostFormerUsers { locationArrived(newest: .origin) }
  }

  /// How many users without clients may be known to have had access when the newest location arrived. Without logind, any
  /// number of users may have access.
  private static let mostFormerUsers = 64

  /// Notes that a location has arrived. Users without authorized clients may not have had access to it.
  ///
  /// - Parameter newest: When the newest published one arrived.
  func locationArrived(newest: BootInstant) {
    for (user, history) in histories {
      history.locationArrived(newest: newest)
      if history.isOver { histories[user] = nil }
    }
  }

  /// Drops every client without a word, because the service that its objects use ends first.
  func removeAll() { clients = [:] }

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

  /// Counts one more object, or throws the limit that it would exceed.
  func reserve(_ kind: ObjectKind, for client: Client) throws(DBusError) {
    let (keys, limits) = (kind.limits, admission.limits)
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
    admission.charge(Self.creationCost, to: client)
  }

  /// The share of all objects (one in this many) for clients that were never authorized.
  private static let unprovenPart = 4

  private func proved(_ client: Client) {
    for object in client.objects.values { unproven[object.kind.counted]?.release(of: object.account) }
  }

  /// The extra cost of creating an object, in tokens, because the gatekeeper must ask other services about the owner.
  private static let creationCost = 3

  func release(_ object: any OwnedObject) {
    let client = object.client
    quotas[object.kind.counted]?.release(of: object.account)
    if !client.isProven { unproven[object.kind.counted]?.release(of: object.account) }
    list.changed(for: client.credentials?.userID)
    admission.onLessBusy?()
  }

  /// Counts one more dialog, or returns the limit that it would exceed.
  func reservePrompt(for client: Client) -> Limits.Key? {
    let limits = admission.limits
    guard client.prompts.count < Int(limits[.promptsPerConnection]) else { return .promptsPerConnection }
    let (account, limit) = (client.account ?? .common, Int(limits[.promptsPerUser]))
    guard prompts.take(for: account, perAccount: limit, of: Int(UInt32.max)) == nil else { return .promptsPerUser }
    client.prompts.append(account)
    return nil
  }

  func releasePrompt(of client: Client) {
    if let account = client.prompts.popLast() { prompts.release(of: account) }
  }

  var isBusy: Bool { quotas.values.contains { $0.total > 0 } }

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
