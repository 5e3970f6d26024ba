import DBus
import LocationModel
import MainLoop
import Publicist
import Publishing

/// The exported service: the manager object, its consumers, and the one location manager that serves them all.
public final class LocationService {
  /// For whom the service is there.
  public enum Deployment: Hashable, Sendable {
    /// For all users of the machine, on the system bus.
    case system
    /// For the user who runs it, on that user's session bus.
    case session
  }

  let connection: Connection
  let gatekeeper: any Gatekeeper
  let consumers: ConsumerRegistry
  let fixes: FixStore
  let queue: OutgoingQueue
  let limits: Limits
  private(set) var upstreamStatus = UpstreamStatus()

  private let publicist: LocationPublicist
  private var object: ExportedObject?
  private var demand = Demand()
  private var receivers = 0
  private var nextNumber: UInt64 = 1
  private var cancellables: Set<AnyCancellable> = []
  private var demandChange: LoopSource?

  /// Puts the service on a connection; ``run`` of the main loop makes it live. The name is not taken yet.
  public init(on connection: Connection, _ publicist: LocationPublicist, for deployment: Deployment, limits: Limits) {
    self.connection = connection
    self.publicist = publicist
    self.limits = limits
    let session = deployment == .session ? SessionGatekeeper() : nil
    gatekeeper = session ?? OwnUserGatekeeper(ownUserID: UserID.own)
    consumers = ConsumerRegistry(on: connection)
    fixes = FixStore(publicist.locationPublisher())
    queue = OutgoingQueue(connection)
    object = connection.objects.export(ServiceNames.path, Implementation(of: Self.interface, by: self))
    connection.objects.admission = { [consumers] call throws(DBusError) in try consumers.admit(call, limits) }
    gatekeeper.onChange = { [weak self] in self?.refreshAll() }

    publicist.authorizationPublisher()
      .sink { [weak self, weak session] _ in
        guard let self, let session else { return }
        let authorization = self.publicist.manager.authorization
        if !authorization.isAuthorized { fixes.forget() }
        session.upstream = authorization
      }.store(in: &cancellables)
    publicist.upstreamStatusPublisher()
      .sink { [weak self] status in self?.upstreamChanged(status) }.store(in: &cancellables)
    publicist.errorPublisher()
      .sink { [weak self] error in self?.report(error) }.store(in: &cancellables)
  }

  /// At least one consumer is receiving.
  var isInUse: Bool { receivers > 0 }

  /// Tells every subscriber that the service ends, and answers every call that waits.
  public func shutDown() {
    for request in consumers.requests { request.shutDown() }
    for subscription in consumers.subscriptions { subscription.close(because: "shutdown") }
    publicist.manager.stopUpdatingLocation()
  }

  /// Makes a stopped subscription for a consumer.
  func createSubscription(
    for consumer: Consumer, _ options: SubscriptionOptions
  ) throws(DBusError) -> LocationSubscription {
    try consumers.reserveSubscription(for: consumer, limits)
    let subscription = LocationSubscription(nextNumber, of: consumer, options, in: self)
    nextNumber &+= 1
    consumer.add(subscription)
    return subscription
  }

  /// Moves one listener's need from one level to another.
  func moveDemand(from old: AccuracyLevel?, to new: AccuracyLevel?) {
    demand.move(from: old, to: new)
    // At the end of the turn: a consumer who stops and starts, or a call that follows another, is no change at all.
    if demandChange == nil { demandChange = MainLoop.main.nextTurn { [weak self] in self?.applyDemand() } }
  }

  /// One more consumer receives, or one less.
  func receiverCountChanged(by difference: Int) {
    let before = isInUse
    receivers += difference
    if isInUse != before { changed("InUse") }
  }

  /// Asks the source to hand over what it has, though nothing may have changed.
  func askForFix() { publicist.manager.requestLocation() }

  private func applyDemand() {
    demandChange = nil
    let manager = publicist.manager
    guard let level = demand.level else { return manager.stopUpdatingLocation() }
    manager.desiredAccuracy = level
    manager.startUpdatingLocation()
  }

  private func upstreamChanged(_ status: UpstreamStatus) {
    let before = upstreamStatus
    upstreamStatus = status
    if status.state != before.state { changed("State") }
    if status.reason != before.reason { changed("StateReason") }
    if status.availableAccuracy != before.availableAccuracy { changed("AvailableAccuracy") }
    if status != before { for request in consumers.requests { request.refresh() } }
  }

  private func report(_ error: LocationError) {
    for subscription in consumers.subscriptions { subscription.report(DBusError(error)) }
  }

  private func refreshAll() {
    for subscription in consumers.subscriptions { subscription.refresh() }
    for request in consumers.requests { request.refresh() }
  }

  private func changed(_ property: MemberName) { object?.propertyChanged(property, of: ServiceNames.manager) }
}
