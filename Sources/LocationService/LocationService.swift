// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistGatekeeper
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop
import Publicist
import Publishing

/// The exported service: the manager object, its clients, and the location manager that serves them all.
public final class LocationService {
  /// The users that the service serves.
  public enum Deployment: Hashable, Sendable {
    /// For all users of the machine, on the system bus.
    case system
    /// The user who runs the service, on that user's session bus.
    case session
  }

  let connection: Connection
  let gatekeeper: any Gatekeeper
  let clients: ClientRegistry
  let locations: SharedLocations
  let signals = LocationSignals()
  let places = PlaceDirectory()
  /// The store of each user's last location; nil if none is kept.
  package var lastPlaces: LastPlaces?
  /// The administrator's settings. Changes take effect immediately.
  public var configuration: Configuration {
    didSet {
      idleWatch.timeout = configuration.idleTimeout
      if configuration.limits != oldValue.limits {
        admission.limits = configuration.limits
        changed(Location1Interface.limits)
      }
      lastPlaces?.isOn = configuration.remembers
      // GeoClue's own rules are part of the configuration, too.
      gatekeeper.reload()
    }
  }
  private(set) var sourceStatus = SourceStatus()
  /// Called when the service has been idle for the configured time.
  public var onIdle: (() -> Void)? {
    get { idleWatch.onIdle }
    set { idleWatch.onIdle = newValue }
  }

  let outbox: Outbox
  let admission: Admission
  private let intake: CallIntake
  let source: SourceControl
  private let idleWatch: IdleWatch
  private var object: ExportedObject?
  private var logControl: LogControl?
  /// Whether the manager's properties have changed since they were last sent.
  private var isBroadcastDue = false
  private var receivers = 0
  /// The number of receivers that count only while the source is held.
  private var briefReceivers = 0
  private var reviews: ReviewTurns<Client>?
  /// The failure that prevents locations; nil after one has arrived, and when no client needs one.
  private(set) var outage: Outage?
  private var outages: UInt64 = 0
  private(set) var isEnding = false
  private var cellTimer: LoopSource?
  private var firstOffer: LoopSource?
  /// Whether ``cells`` will reach the next service.
  public var passesCellsOn = false
  var numbers = ObjectNumbers(startedAt: MainLoop.main.clock.realtime())
  private var cancellables: Set<AnyCancellable> = []

  /// Exports the service on a connection, without owning the name. The main loop must run for it to serve calls.
  ///
  /// - Parameter open: Opens further connections to the same bus for calls to other users' programs.
  public convenience init(
    on connection: Connection, _ publicist: LocationPublicist, for deployment: Deployment,
    _ configuration: Configuration, openingMore open: @escaping () throws(DBusError) -> Connection
  ) {
    let lookup = CredentialsLookup(on: connection)
    let gatekeeper: any Gatekeeper =
      switch deployment {
      case .session: SessionGatekeeper(on: connection)
      case .system: SystemGatekeeper(on: connection, lookup, openingMore: open)
      }
    self.init(on: connection, publicist, gatekeeper, lookup, configuration, openingMore: open)
  }

  init(
    on connection: Connection, _ publicist: LocationPublicist, _ gatekeeper: any Gatekeeper,
    _ lookup: CredentialsLookup, _ configuration: Configuration,
    openingMore open: @escaping () throws(DBusError) -> Connection
  ) {
    self.connection = connection
    self.gatekeeper = gatekeeper
    self.configuration = configuration
    outbox = Outbox(connection, openingMore: open)
    admission = Admission(outbox, configuration.limits)
    clients = ClientRegistry(on: connection, outbox, lookup, gatekeeper, admission)
    intake = CallIntake(connection, clients, outbox, admission)
    locations = SharedLocations(publicist.locationPublisher())
    source = SourceControl(publicist.manager)
    idleWatch = IdleWatch(timeout: configuration.idleTimeout)
    object = connection.objects.export(ServiceContract.path, Implementation(of: Self.interface, by: self))
    object?.onChange = { [weak self] in self?.broadcast() }
    logControl = LogControl(on: connection) { [weak self] call, action in self?.asAdministrator(call, action) }
    intake.onCall = { [idleWatch] in idleWatch.touch() }
    idleWatch.isBusy = { [weak self] in self.map { $0.isBusy || $0.staysForCells() } ?? false }
    admission.onLessBusy = { [idleWatch] in idleWatch.touch() }
    source.onRestingChanged = { [weak self, weak publicist] in
      guard let self, let publicist else { return }
      if source.isResting {
        locations.dropHeld()
        for object in clients.objects { object.forget(.waiting) }
      }
      sourceChanged(publicist.manager.sourceStatus)
    }
    source.onHeldChanged = { [weak self] in
      // Nothing could contradict a jump that waits to be confirmed.
      if let self, !source.isHeld { locations.dropHeld() }
      if let self, receivers == 0, briefReceivers > 0 { changed(Location1Interface.inUse) }
    }
    source.ceiling = { [weak self] in self?.ceiling ?? .none }
    gatekeeper.onChange = { [weak self] client in
      guard let self else { return }
      let changed = client.map { [clients.known($0.name)].compactMap(\.self) } ?? Array(clients.all)
      let now = MainLoop.main.clock.boottime()
      for each in changed { each.changedAt = now }
      review(changed)
    }
    reviews = ReviewTurns(
      hasRoom: { [outbox] in outbox.takesCalls }, review: { [weak self] in self?.refresh($0) },
      whenDone: { [source] in source.permissionsChanged() })
    clients.onLeft = { [weak self] client in
      self?.intake.left(client)
      self?.reviews?.remove(client)
    }
    intake.beforeCall = { [weak self] client in if client.isToBeReviewed { self?.reviewNow(client) } }
    follow(publicist)
  }

  isolated deinit { clients.removeAll() }

  /// Whether at least one client is receiving locations.
  var isInUse: Bool { receivers > 0 || briefReceivers > 0 && source.isHeld }

  /// Whether a client has an object or a pending call.
  public var isBusy: Bool { clients.isBusy || admission.pendingCalls > 0 || admission.queue.count > 0 }

  /// Closes every object and answers every pending call.
  public func shutDown() {
    for request in clients.requests { request.end(.shutdown) }
    for call in admission.queue.removeAll() { call.fail(.ending) }
    closeSubscriptions()
    lastPlaces?.flush()
    source.end()
  }

  /// Closes every object and refuses new ones. Pending calls continue.
  public func closeSubscriptions() {
    isEnding = true
    for object in clients.objects { object.end(.shutdown) }
  }

  /// Called when the connection was lost. Drops all calls, because the bus has already informed the callers that no
  /// answer will arrive.
  public func left() {
    intake.dropAll()
    for request in clients.requests { request.end(nil) }
  }

  /// Called when the connection was lost and has been reopened on the same bus.
  ///
  /// - Parameter wasStalled: Whether the bus had stopped reading from the old connection.
  public func rejoined(afterStall wasStalled: Bool) {
    left()
    if wasStalled { outbox.suspendDebtors() }
    // What the bus had not read is lost.
    object?.allPropertiesChanged()
    for object in clients.objects { object.tellAgain() }
  }

  /// Handles a sleep of the machine or a change of its clock, after which the known location may be wrong.
  public func timeChanged(_ event: TimeWatch.Event) {
    guard event != .sleeping else { return }
    forget(event == .woke ? .slept : .clockSet)
    source.forget(afterSleep: event == .woke)
    for object in clients.objects {
      object.clockChanged()
      guard event == .woke else { continue }
      object.slept()
      object.checkNow()
    }
    for request in clients.requests { if event == .woke { request.slept() } else { request.clockChanged() } }
    if event == .clockSet { source.ask() }
  }

  /// Drops every location that is stored for all clients.
  private func forget(_ gap: SharedLocations.Gap) {
    locations.forget(gap)
    signals.forget()
  }

  /// Handles a change to a different network, after which the machine may have moved.
  public func networkChanged() {
    for object in clients.objects { object.checkNow() }
  }

  private func follow(_ publicist: LocationPublicist) {
    publicist.authorizationPublisher()
      .sink { [weak self] _ in
        guard let self, let session = gatekeeper as? SessionGatekeeper else { return }
        let authorization = publicist.manager.authorization
        // A source that was released has not refused anything.
        if !authorization.isAuthorized, authorization.reason != .undecided { forget(.accessLost) }
        session.geoClueAuthorization = authorization
      }.store(in: &cancellables)
    publicist.sourceStatusPublisher()
      .sink { [weak self] status in self?.sourceChanged(status) }.store(in: &cancellables)
    publicist.errorPublisher().sink { [weak self] error in self?.report(error) }.store(in: &cancellables)
    publicist.locationPublisher().sink { [weak self] in self?.arrived($0) }.store(in: &cancellables)
  }

  /// Handles a new state of the source, or its release until the next delivery is due.
  private func sourceChanged(_ new: SourceStatus) {
    let before = sourceStatus
    var status = new
    if source.isResting, status.state == .idle { status.reason = .resting }
    sourceStatus = status
    source.status = new
    if status.state == .idle, status.reason != .resting { outage = nil }
    if status != before {
      Log.debug("Source: \(status.state.rawValue) \(status.reason.rawValue), available \(status.availableAccuracyName)")
    }
    if status.state != before.state { changed(Location1Interface.state) }
    if status.reason != before.reason { changed(Location1Interface.stateReason) }
    if status.availableAccuracy != before.availableAccuracy { changed(Location1Interface.availableAccuracy) }
    if status != before { for request in clients.requests { request.sourceChanged(status) } }
    guard status.state == .running, before.state != .running else { return }
    // The location that makes the source run arrives in this turn.
    firstOffer = MainLoop.main.nextTurn { [weak self] in
      guard let self, sourceStatus.state == .running else { return }
      for object in clients.objects { object.offerFirst() }
    }
  }

  private func arrived(_ locations: [Location]) {
    clients.locationArrived(newest: self.locations.newestArrival ?? .origin)
    if let newest = locations.last { Log.debug("A location arrived, source \(newest.source.rawValue)") }
    // A client that was refused before may now have the location of its level's interval, which is not published again.
    let refused = clients.all.filter { $0.deniedAt > .origin && !$0.requests.isEmpty }
    if !refused.isEmpty { review(refused) }
    guard outage != nil else { return }
    outage = nil
    Log.notice("Locations are arriving again")
  }

  private func report(_ error: LocationError) {
    // An attempt may fail after the last client that needed it has stopped or lost access.
    guard outage == nil, source.isHeld else { return }
    outages &+= 1
    outage = Outage(number: outages, error: error)
    Log.notice("No locations are arriving: \(error.message)")
    for object in clients.objects { object.tellLater() }
  }

  /// Notes that the authorization of clients may have changed. Their deliveries are held until they have been reviewed.
  private func review(_ changed: [Client]) {
    for client in changed where !client.isToBeReviewed {
      client.isToBeReviewed = true
      reviews?.add(client, of: client.account ?? .common)
    }
    reviews?.schedule()
  }

  /// Reviews a client before its turn.
  func reviewNow(_ client: Client) {
    reviews?.remove(client)
    refresh(client)
  }

  private func refresh(_ client: Client) {
    client.isToBeReviewed = false
    if !client.isWaiting {
      // A refusal must erase the user's record even if no object or call of the client waits for the decision.
      let authorization = gatekeeper.access(for: client, asking: .exact, as: "").authorization
      client.note(authorization, at: MainLoop.main.clock.boottime())
      lastPlaces?.note(authorization, of: client, gatekeeper.account(of: client))
    }
    for object in client.objects.values.sorted(by: { $0.number < $1.number }) { object.refresh() }
    for request in client.requests { request.refresh() }
    // A change during the review causes another one.
    if !client.isToBeReviewed { client.changedAt = nil }
  }

  /// The finest level at which GeoClue would serve the user of any client that is being served.
  private var ceiling: AccuracyLevel {
    var ceiling = AccuracyLevel.none
    for client in clients.served where ceiling < .exact {
      ceiling = max(ceiling, gatekeeper.ceiling(for: client))
    }
    return ceiling
  }

  private func changed(_ property: MemberName) { object?.propertyChanged(property, of: Location1Interface.interface) }

  private func broadcast() {
    guard !isBroadcastDue else { return }
    isBroadcastDue = true
    outbox.whenBroadcastDue { [weak self] in
      self?.isBroadcastDue = false
      self?.object?.flushChanges()
    }
  }
}

// MARK: - Cells of reduced locations, which outlive the service
extension LocationService {
  /// The current cells, to be passed to ``restore(_:)`` of the next service.
  public var cells: [String] { locations.memory }

  public func restore(_ cells: [String]) { locations.restore(cells) }

  /// Returns whether to keep running because cells cannot be passed on and the next service would choose new ones too
  /// early.
  private func staysForCells() -> Bool {
    let now = MainLoop.main.clock.boottime()
    guard !passesCellsOn, let end = locations.cellsChangeAt, end > now else { return false }
    cellTimer = MainLoop.main.after(end - now) { [weak self] in self?.idleWatch.touch() }
    return true
  }
}

// MARK: - Objects of clients
extension LocationService {
  /// Gathers what must be known about a client for a call, then calls `action`: immediately, or when it is the turn of
  /// the client's account.
  func prepare(_ client: Client, since arrival: BootInstant, _ action: @escaping () -> Void) {
    var isWaiting = false
    gatekeeper.prepare(client, since: arrival) { [weak self] in
      self?.intake.resume(client, hasWaited: isWaiting, action)
    }
    isWaiting = true
  }

  /// Calls `action` when the bus has room for an answer to a client's call, and it is the turn of the client's account.
  func whenTurn(of client: Client, _ action: @escaping () -> Void) {
    intake.resume(client, hasWaited: true, action)
  }

  /// Returns the location that GeoClue would report to a new client: its newest one while it is running. An older
  /// location is returned only if it is recent, or if it is that of its level's current interval.
  func firstLocation(for level: AccuracyLevel) -> Location? {
    guard let arrival = locations.newestArrival, let newest = locations.newest(for: level) else { return nil }
    let isRecent = MainLoop.main.clock.boottime() - arrival <= ClientOptions.defaultMaximumAge
    return isRecent || sourceStatus.state == .running || locations.isCurrent(newest, at: level) ? newest : nil
  }

  /// Counts clients that receive locations; with `whileHeld`, they count only while the source is held.
  func receiverCountChanged(by difference: Int, whileHeld: Bool) {
    let before = isInUse
    if whileHeld { briefReceivers += difference } else { receivers += difference }
    if isInUse != before { changed(Location1Interface.inUse) }
  }
}

/// A failure of the source since its last location. Retries that fail belong to the same outage.
nonisolated struct Outage: Equatable, Sendable {
  let number: UInt64
  let error: LocationError
}
