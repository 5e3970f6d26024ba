import DBus

/// All consumers, each as long as its connection lives; enforces what is limited per connection and per user.
final class ConsumerRegistry {
  private let connection: Connection
  private let peers: PeerWatch
  private var consumers: [BusName: Consumer] = [:]
  private var subscriptionsPerUser: [UInt32: UInt32] = [:]
  private(set) var subscriptionCount: UInt32 = 0
  private var pendingCalls = 0
  private let memory = MemoryReturn()
  /// Called whenever a call was answered or a subscription has ended.
  var onLessBusy: (() -> Void)?

  init(on connection: Connection) {
    self.connection = connection
    peers = PeerWatch(on: connection)
  }

  /// The consumer behind a connection; a new one is followed until it leaves the bus.
  func consumer(_ name: BusName, _ limits: Limits) -> Consumer {
    if let known = consumers[name] { return known }
    let consumer = Consumer(name, limits: limits)
    consumers[name] = consumer
    memory.countChanged(to: consumers.count)
    peers.whenGone(name) { [weak self] in
      guard let self, let consumer = consumers.removeValueAndRoom(forKey: name) else { return }
      consumer.end()
      memory.countChanged(to: consumers.count)
    }
    return consumer
  }

  /// Lets a call in, or throws the limit that it would exceed.
  func admit(_ call: MethodCall, _ limits: Limits) throws(DBusError) {
    peers.callTheRoll()
    guard call.byteCount <= Int(limits[.messageBytes]) else { throw .limitsExceeded(.messageBytes) }
    let consumer = consumer(call.sender, limits)
    guard consumer.takeToken(limits) else { throw .limitsExceeded(.callsPerSecond) }
    guard consumer.pendingCalls < limits[.callsPerConnection] else { throw .limitsExceeded(.callsPerConnection) }
    consumer.pendingCalls += 1
    pendingCalls += 1
    call.onAnswered = { [weak self] in
      consumer.pendingCalls -= 1
      self?.pendingCalls -= 1
      self?.onLessBusy?()
    }
  }

  /// Counts one more subscription, or throws the limit that it would exceed.
  func reserveSubscription(for consumer: Consumer, _ limits: Limits) throws(DBusError) {
    guard consumer.subscriptions.count < Int(limits[.subscriptionsPerConnection]) else {
      throw .limitsExceeded(.subscriptionsPerConnection)
    }
    guard let user = consumer.credentials?.userID else { throw .notAuthorized(.restricted(.policyUnavailable)) }
    guard subscriptionsPerUser[user, default: 0] < limits[.subscriptionsPerUser] else {
      throw .limitsExceeded(.subscriptionsPerUser)
    }
    guard subscriptionCount < limits[.subscriptions] else { throw .limitsExceeded(.subscriptions) }
    subscriptionsPerUser[user, default: 0] += 1
    subscriptionCount += 1
  }

  /// Takes the count back when a subscription has ended.
  func releaseSubscription(of consumer: Consumer) {
    subscriptionCount -= 1
    defer { onLessBusy?() }
    guard let user = consumer.credentials?.userID, let count = subscriptionsPerUser[user] else { return }
    subscriptionsPerUser[user] = count > 1 ? count - 1 : nil
  }

  /// Whether anybody has a subscription or waits for an answer.
  var isBusy: Bool { subscriptionCount > 0 || pendingCalls > 0 }

  /// Whether a consumer has not left yet.
  func isHere(_ consumer: Consumer) -> Bool { consumers[consumer.name] === consumer }

  /// All subscriptions, in the order of their numbers.
  var subscriptions: [LocationSubscription] {
    consumers.values.flatMap(\.subscriptions.values).sorted { $0.number < $1.number }
  }

  /// All calls of `GetLocation` and `RequestAuthorization` that wait.
  var requests: [any PendingRequest] { consumers.values.flatMap { $0.requests.values } }
}
