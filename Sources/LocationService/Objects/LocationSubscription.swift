import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop
import Publishing

/// One subscription of a client: an object on the bus that only its owner sees, fed by one publisher chain.
final class LocationSubscription {
  let number: UInt64
  let path: ObjectPath
  let client: Client
  /// When it was made, by the wall clock.
  let since: Timestamp
  private(set) var options: SubscriptionOptions
  private(set) var authorization: Authorization
  /// The last fix delivered here; nil before the first and from the moment access is lost.
  private(set) var last: (fix: Fix, isReduced: Bool)?

  private unowned let service: LocationService
  private let gate: DeliveryGate
  /// Of its locations.
  private let route: SignalRoute
  private var budget: UpdateBudget
  /// The newest fix that waits until the authorization has been confirmed.
  private var held: Fix?
  private var isStarted = false
  /// Counts what its owner has asked for, so that a `Start` that had to wait does not undo a later `Stop`.
  private var wishes: UInt64 = 0
  private var object: ExportedObject?
  private var chain: Set<AnyCancellable> = []
  /// The level of the chain that runs; nil while none does.
  private var running: AccuracyLevel?
  private var demand = DemandShare()
  private var wasActive = false
  private var deadline: LoopSource?

  init(_ number: UInt64, of client: Client, _ options: SubscriptionOptions, in service: LocationService) {
    self.number = number
    path = ServiceNames.subscriptionsPath.child(number)
    route = SignalRoute(from: path, to: client.name)
    self.client = client
    self.options = options
    self.service = service
    since = Timestamp(microsecondsSinceEpoch: MainLoop.main.clock.realtime())
    authorization = service.gatekeeper.authorization(
      for: client, asking: options.accuracy, as: options.desktopID)
    budget = UpdateBudget(maxUpdates: options.maximumUpdates, duration: options.duration)
    gate = DeliveryGate(DeliveryRule.Configuration())
    object = service.connection.objects.export(
      path, owner: client.name, Implementation(of: Self.interface, by: self))
  }

  /// Whether updates come: started, and allowed.
  var isActive: Bool { isStarted && authorization.isAuthorized }

  /// The finest level that its locations may reveal.
  var level: AccuracyLevel { authorization.revealedLevel(asked: options.accuracy) }

  /// How many updates have been sent.
  var delivered: UInt64 { budget.delivered }
}

/// What its owner asks for.
extension LocationSubscription {
  /// `Start`: refused while a rule forbids it; otherwise updates begin now, or by themselves when it is allowed.
  func start(_ call: MethodCall) {
    wishes &+= 1
    service.gatekeeper.prepare(client) { [weak self, wish = wishes] in
      guard let self, object != nil else {
        return call.fail(DBusError(.unknownObject, "There is no object at this path any more"))
      }
      guard wish == wishes else { return call.reply() }
      start(answering: call)
    }
  }

  private func start(answering call: MethodCall) {
    refresh()
    audit()
    if authorization.status == .restricted { return call.fail(.notAuthorized(authorization)) }
    isStarted = true
    call.reply()
    announceAuthorization()
    beginBudget()
    // Each start begins anew, also that of one that runs already.
    cutChain()
    settle()
  }

  /// `Stop`: no updates until the next start.
  func stop() {
    wishes &+= 1
    isStarted = false
    settle()
  }

  /// Ends it and says so to its owner.
  func close(because reason: String) {
    guard let object else { return }
    end()
    object.flushChanges()
    object.emit("Closed", of: ServiceNames.subscription, .string(reason))
    object.unexport()
  }

  /// Ends it without a word: the owner has gone.
  func abandon() {
    guard let object else { return }
    end()
    object.unexport()
  }

  /// Changes options while it exists; a change of the accuracy begins anew.
  func update(_ change: (inout SubscriptionOptions) -> Void) {
    let old = options
    change(&options)
    guard options != old else { return }
    if options.accuracy != old.accuracy {
      cutChain()
      refresh()
    }
    settle()
    gate.configure(configuration)
  }

  /// Time has passed in which no timer ran.
  func clockChanged() {
    last = nil
    if deadline != nil { armDeadline() }
  }

  private func beginBudget() {
    budget.started(at: MainLoop.main.clock.boottime())
    if deadline == nil { armDeadline() }
  }

  private func armDeadline() {
    guard let end = budget.deadline else { return }
    let now = MainLoop.main.clock.boottime()
    deadline = MainLoop.main.after(microseconds: Int64(clamping: end > now ? end - now : 0)) { [weak self] in
      self?.close(because: "completed")
    }
  }

  private func end() {
    object = nil
    isStarted = false
    settle()
    deadline = nil
    last = nil
    client.remove(self)
    service.clients.releaseSubscription(of: client)
  }
}

/// What happens around it.
extension LocationSubscription {
  /// Asks the gatekeeper again, since something may have changed.
  func refresh() {
    let new = service.gatekeeper.authorization(for: client, asking: options.accuracy, as: options.desktopID)
    guard new != authorization else { return deliverHeld() }
    let old = authorization
    authorization = new
    // What it got before may be finer than what it may have now.
    if let fix = last?.fix, fix.level > level { last = nil }
    if isStarted { audit() }
    // Deliveries stop before the client is told of less, and begin after it is told of more.
    if level != running { cutChain() }
    if !new.isAuthorized { settle() }
    if new.status != old.status || new.reason != old.reason { announceAuthorization() }
    if new.status != old.status { changed("AuthorizationStatus") }
    if new.reason != old.reason { changed("AuthorizationReason") }
    settle()
  }

  /// Tells of a failure that is not the end.
  func report(_ error: DBusError) {
    // A bus that does not read would pile them up; the state says what matters.
    guard isStarted, authorization.status != .restricted, service.queue.hasRoom else { return }
    object?.emit(
      "ErrorOccurred", of: ServiceNames.subscription, .string(error.name.rawValue), .string(error.message))
  }

  func changed(_ property: MemberName) { object?.propertyChanged(property, of: ServiceNames.subscription) }

  /// Reads a property that follows from the authorization, when that is known.
  func readAuthorization(_ request: PropertyRead, _ text: @escaping (Authorization) -> String) {
    guard request.sender != nil, authorization.reason == .undecided else {
      return request.answer(.string(text(authorization)))
    }
    service.gatekeeper.prepare(client) { [weak self] in
      guard let self else { return }
      refresh()
      request.answer(.string(text(authorization)))
    }
  }

  private func audit() {
    AuditLog.note(authorization, for: client, asking: options.accuracy, as: options.desktopID)
  }

  private func announceAuthorization() {
    object?.emit(
      "AuthorizationChanged", of: ServiceNames.subscription, .string(authorization.status.rawValue),
      .string(authorization.reason.rawValue))
  }
}

/// The chain.
extension LocationSubscription {
  /// Makes what runs agree with what is so: the chain, what GeoClue is needed for, the property `Active`.
  private func settle() {
    if !authorization.isAuthorized { last = nil }
    demand.change(to: neededLevel, in: service)
    if isActive != wasActive {
      wasActive = isActive
      changed("Active")
      service.receiverCountChanged(by: isActive ? 1 : -1)
    }
    let wanted = isActive ? level : nil
    guard wanted != running else { return }
    cutChain()
    if let wanted { build(for: wanted) }
  }

  private func cutChain() {
    running = nil
    held = nil
    chain = []
  }

  private func build(for level: AccuracyLevel) {
    running = level
    gate.configure(configuration)
    let emitter = FixEmitter(service.queue) { [weak self] fix in self?.deliver(fix) }
    AnyCancellable(emitter).store(in: &chain)
    service.fixes.fixes(for: level)
      .prepend(service.firstFix(for: level).map { [$0] } ?? [])
      .paced(by: gate)
      .keepingNewest()
      .subscribe(emitter)
  }

  private func deliver(_ fix: Fix) {
    let isReduced = authorization.level < options.accuracy
    guard isActive, fix.level <= level, let signal = fix.signal(isReduced: isReduced) else { return }
    guard !service.gatekeeper.isHeld(client) else {
      held = fix
      return
    }
    last = (fix, isReduced)
    service.connection.send(signal, along: route)
    if budget.countDelivery() { close(because: "completed") }
  }

  /// Delivers what had to wait until the authorization was confirmed.
  private func deliverHeld() {
    guard let fix = held else { return }
    held = nil
    deliver(fix)
  }

  private var configuration: DeliveryRule.Configuration {
    DeliveryRule.Configuration(
      distanceThreshold: options.distanceThreshold, timeThreshold: options.timeThreshold,
      debounce: options.debounce, minimumInterval: level.minimumInterval &* 1_000)
  }

  /// The level for which GeoClue is needed here; where GeoClue itself decides, also before it has said yes.
  private var neededLevel: AccuracyLevel? {
    guard isStarted else { return nil }
    if authorization.isAuthorized { return level }
    return service.gatekeeper.decidesByListening ? options.accuracy : nil
  }
}
