// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// A call that waits for a decision or a location.
protocol PendingRequest: ClientPart {
  var call: MethodCall { get }
  func sourceChanged(_ status: SourceStatus)
}

extension ClientShell where Machine.Event: CallEvent {
  func sourceChanged(_ status: SourceStatus) { handle(.source(status)) }

  /// Answers immediately or starts waiting.
  fileprivate func wait(with request: any PendingRequest, _ actions: [Machine.Action] = []) {
    client.add(request)
    for action in actions { perform(action) }
    var isPrepared = false
    service.prepare(client, since: request.call.arrivedAt) { [weak self] in
      isPrepared = true
      self?.review()
      self?.handle(.prepared)
    }
    if !isPrepared { review() }
  }
}

/// One `GetLocation` call, driven by a ``LocationRequestMachine``.
class LocationRequest: LocationShell<LocationRequestMachine>, PendingRequest {
  final let call: MethodCall

  init(_ call: MethodCall, from client: Client, _ options: ClientOptions, in service: LocationService) {
    let machine = LocationRequestMachine(
      options, service.sourceStatus, at: call.arrivedAt, sourceDecides: service.gatekeeper.sourceDecides)
    self.call = call
    super.init(machine, of: client, in: service)
  }

  final func begin() { wait(with: self) }
  final func clockChanged() {
    handle(.clockChanged)
    // A remembered location may still be recent enough by the new time, or only now.
    refresh()
  }

  /// Returns the answer that contains a location.
  func value(of delivery: Delivery) -> Value {
    let location = delivery.location
    return delivery.value(age: location.isRemembered ? LastPlaces.age(of: location) : delivery.age(at: now))
  }

  private func remembered(at level: AccuracyLevel) -> (location: Location, age: Duration)? {
    level <= .city ? service.lastPlaces?.location(for: client, at: level) : nil
  }

  /// After a refusal, a reduced location answers the call as soon as any location has arrived. One that was held back
  /// may be of an earlier interval.
  final override func received(_ location: Location) {
    let arrivedLater = service.locations.newestMeasurement.map { $0 > client.deniedAt } ?? true
    guard
      location.level == .exact || arrivedLater && machine.isOfInterval(location)
        || machine.accepts(arrivedAt: location.receivedAt, at: now)
    else { return }
    super.received(location)
  }

  final override func addCached(to access: inout ClientAccess) {
    let level = access.authorization.revealedLevel(asked: machine.options.accuracy)
    guard access.authorization.isAuthorized else { return }
    if let arrival = service.locations.newestMeasurement, let newest = service.locations.newest(for: level) {
      // The age is that of the reduced location: calls with different maximum ages would otherwise reveal when the
      // finer one arrived. After a refusal, the location of the interval counts as soon as any location has arrived.
      let isCurrent = service.locations.isCurrent(newest, at: level) && arrival > client.deniedAt
      let isAllowed = client.mayReceive(newest)
      if isCurrent || isAllowed && machine.accepts(arrivedAt: newest.receivedAt, at: now) { access.cached = newest }
      if isCurrent || isAllowed { return }
    }
    if let (location, age) = remembered(at: level), machine.accepts(age: age) { access.cached = location }
  }

  /// One that is not accurate enough must not replace a location that waits for the call's turn.
  final override func thresholds(at level: AccuracyLevel) -> DeliveryRule.Configuration {
    var thresholds = super.thresholds(at: level)
    if !machine.options.isBestEffort { thresholds.requiredAccuracy = machine.options.requiredAccuracy }
    return thresholds
  }

  /// One location may answer thousands of calls, which must not delay the answers of others.
  final override func whenRoom(_ action: @escaping () -> Void) { service.whenTurn(of: client, action) }

  final override func passTimer() {
    sendNow()
    super.passTimer()
  }

  final override func perform(own action: LocationRequestMachine.Own) {
    switch action {
    case .askSource: service.source.ask()
    case .deliver(let delivery):
      call.reply(value(of: delivery))
      // Without an answer, the user has not received the location.
      if call.wantsReply { remember(delivery.location) }
    case .refuse(let error): call.fail(error)
    }
  }

  final override func finish(_ reason: ClosedReason?) { client.remove(self) }
}

/// One `RequestAuthorization` call, driven by an ``AuthorizationRequestMachine``.
final class AuthorizationRequest: ClientShell<AuthorizationRequestMachine>, PendingRequest {
  let call: MethodCall
  private var prompt: Prompt?
  private var isAsking = false

  init(_ call: MethodCall, from client: Client, _ options: ClientOptions, in service: LocationService) {
    let machine = AuthorizationRequestMachine(
      options, service.sourceStatus, isInteractive: call.allowsInteractiveAuthorization, at: call.arrivedAt,
      sourceDecides: service.gatekeeper.sourceDecides)
    self.call = call
    super.init(machine, of: client, in: service)
  }

  func begin() { wait(with: self, host.machine.begin()) }

  /// Nothing that it keeps depends on where the machine is, or on the wall clock.
  func slept() {}
  func clockChanged() {}

  override func perform(_ action: AuthorizationRequestMachine.Action) {
    switch action {
    case .need(let level): require(level)
    case .audit(let authorization): audit(authorization)
    case .openDialog: openDialog()
    case .end: isEnded(nil)
    case .reply(let authorization):
      call.reply(.string(authorization.status.rawValue), .string(authorization.reason.rawValue))
    case .refuse(let error): call.fail(error)
    }
  }

  override func finish(_ reason: ClosedReason?) {
    if isAsking { service.clients.releasePrompt(of: client) }
    prompt?.cancel()
    prompt = nil
    client.remove(self)
  }

  private func openDialog() {
    if let limit = service.clients.reservePrompt(for: client) { return handle(.dialogUnavailable(limit)) }
    isAsking = true
    let prompt = service.gatekeeper.ask(
      client, asking: machine.options.accuracy, as: machine.options.desktopID
    ) { [weak self] authorization in self?.handle(.dialogEnded(authorization)) }
    if !isOver { self.prompt = prompt }
  }
}
