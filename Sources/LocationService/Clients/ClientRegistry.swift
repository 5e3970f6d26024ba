// SPDX-License-Identifier: Apache-2.0
import DBus

/// All clients, each as long as its connection lives; enforces what is limited per connection and per user.
final class ClientRegistry {
  private let connection: Connection
  private let peers: PeerWatch
  private var clients: [BusName: Client] = [:]
  private var subscriptionsPerUser: [UInt32: UInt32] = [:]
  private(set) var subscriptionCount: UInt32 = 0
  private var pendingCalls = 0
  private let memory = HeapTrimmer()
  /// Called whenever a call was answered or a subscription has ended.
  var onLessBusy: (() -> Void)?

  init(on connection: Connection) {
    self.connection = connection
    peers = PeerWatch(on: connection)
  }

  /// The client behind a connection; a new one is followed until it leaves the bus.
  func client(_ name: BusName, _ limits: Limits) -> Client {
    if let known = clients[name] { return known }
    let client = Client(name, limits: limits)
    clients[name] = client
    memory.countChanged(to: clients.count)
    peers.whenGone(name) { [weak self] in
      guard let self, let client = clients.removeValue(forKey: name) else { return }
      client.end()
      memory.countChanged(to: clients.count)
    }
    return client
  }

  /// Lets a call in, or throws the limit that it would exceed.
  func admit(_ call: MethodCall, _ limits: Limits) throws(DBusError) {
    peers.reconcileWithBus()
    guard !call.isLarger(than: Int(limits[.messageBytes])) else { throw .limitsExceeded(.messageBytes) }
    let client = client(call.sender, limits)
    guard client.takeToken(limits) else { throw .limitsExceeded(.callsPerSecond) }
    guard client.pendingCalls < limits[.callsPerConnection] else { throw .limitsExceeded(.callsPerConnection) }
    client.pendingCalls += 1
    pendingCalls += 1
    call.onAnswered = { [weak self] in
      client.pendingCalls -= 1
      self?.pendingCalls -= 1
      self?.onLessBusy?()
    }
  }

  /// Counts one more subscription, or throws the limit that it would exceed.
  func reserveSubscription(for client: Client, _ limits: Limits) throws(DBusError) {
    guard client.subscriptions.count < Int(limits[.subscriptionsPerConnection]) else {
      throw .limitsExceeded(.subscriptionsPerConnection)
    }
    guard let user = client.credentials?.userID else { throw .notAuthorized(.restricted(.policyUnavailable)) }
    guard subscriptionsPerUser[user, default: 0] < limits[.subscriptionsPerUser] else {
      throw .limitsExceeded(.subscriptionsPerUser)
    }
    guard subscriptionCount < limits[.subscriptions] else { throw .limitsExceeded(.subscriptions) }
    subscriptionsPerUser[user, default: 0] += 1
    subscriptionCount += 1
  }

  /// Takes the count back when a subscription has ended.
  func releaseSubscription(of client: Client) {
    subscriptionCount -= 1
    defer { onLessBusy?() }
    guard let user = client.credentials?.userID, let count = subscriptionsPerUser[user] else { return }
    subscriptionsPerUser[user] = count > 1 ? count - 1 : nil
  }

  /// Whether anybody has a subscription or waits for an answer.
  var isBusy: Bool { subscriptionCount > 0 || pendingCalls > 0 }

  /// Whether a client has not left yet.
  func isHere(_ client: Client) -> Bool { clients[client.name] === client }

  /// All subscriptions, in the order of their numbers.
  var subscriptions: [LocationSubscription] {
    clients.values.flatMap(\.subscriptions.values).sorted { $0.number < $1.number }
  }

  /// The clients that receive locations, or wait for one.
  var served: [Client] {
    clients.values.filter { client in
      !client.requests.isEmpty || client.subscriptions.values.contains { $0.machine.isActive }
    }
  }

  /// All calls of `GetLocation` and `RequestAuthorization` that wait.
  var requests: [any PendingRequest] { clients.values.flatMap { $0.requests.values } }
}
