// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// A call that waits for a decision or a location.
protocol PendingRequest: AnyObject {
  func handle(_ event: ClientEvent)
  func refresh()
  func slept()
}

/// The common part of calls that are answered by a state machine.
class ClientCall<Machine: ClientMachine>: ClientShell<Machine>, PendingRequest {
  final let call: MethodCall

  init(_ call: MethodCall, _ machine: Machine, from client: Client, in host: any ClientHost) {
    self.call = call
    super.init(machine, of: client, in: host)
  }

  /// Answers immediately or starts waiting.
  final func begin(_ actions: [ClientAction]) {
    client.add(self)
    perform(actions)
    refresh()
    host.prepare(client, since: call.arrivedAt) { [weak self] in
      self?.refresh()
      self?.handle(.prepared)
    }
  }

  override func send(_ action: ClientAction) { if case .refuse(let error) = action { call.fail(error) } }

  override func finish(_ reason: ClosedReason?) { client.remove(self) }
}

/// One `GetLocation` call, driven by a ``LocationRequestMachine``.
class LocationRequest: ClientCall<LocationRequestMachine> {
  init(_ call: MethodCall, from client: Client, _ options: ClientOptions, in host: any ClientHost) {
    let machine = LocationRequestMachine(
      options, host.sourceStatus, at: call.arrivedAt, sourceDecides: host.gatekeeper.sourceDecides)
    super.init(call, machine, from: client, in: host)
  }

  final func begin() { begin([.armTimer(machine.nextTime)]) }

  /// Returns what the caller is told of a location.
  func value(of delivery: Delivery) -> Value {
    let age = delivery.location.isRemembered ? remembered(at: delivery.location.level)?.age : nil
    return delivery.value(age: age.map { UInt32(clamping: $0.milliseconds) } ?? delivery.age(at: now))
  }

  private func remembered(at level: AccuracyLevel) -> (location: Location, age: Duration)? {
    level <= .city ? host.lastPlaces?.location(for: client, at: level) : nil
  }

  final override var standing: Standing {
    var standing = super.standing
    let level = standing.authorization.revealedLevel(asked: machine.options.accuracy)
    guard standing.authorization.isAuthorized else { return standing }
    if let arrival = host.locations.newestArrival, let newest = host.locations.newest(for: level) {
      // Its age is that of the reduced location: questions of different ages would reveal when the finer one arrived. After
      // a refusal, the location of the interval counts as soon as any has arrived.
      let isCurrent = host.locations.isCurrent(newest, at: level) && arrival > client.deniedAt
      let isAllowed =
        level != .exact || client.exactFrom == .origin || newest.receivedAt > client.exactFrom || newest.isAsserted
      if isCurrent || isAllowed && machine.accepts(arrivedAt: newest.receivedAt, at: now) { standing.cached = newest }
    } else if let (location, age) = remembered(at: level), machine.accepts(age: age) {
      standing.cached = location
    }
    return standing
  }

  /// One location may answer thousands of calls, which must not delay the answers of others.
  final override func whenRoom(_ action: @escaping () -> Void) { host.whenTurn(of: client, action) }

  final override func timeHasCome() {
    sendNow()
    super.timeHasCome()
  }

  final override func send(_ action: ClientAction) {
    guard case .deliver(let delivery) = action else { return super.send(action) }
    call.reply(value(of: delivery))
    host.lastPlaces?.received(delivery.location, by: client)
  }
}

/// One `RequestAuthorization` call, driven by an ``AuthorizationRequestMachine``.
final class AuthorizationRequest: ClientCall<AuthorizationRequestMachine> {
  private var prompt: Prompt?
  private var isAsking = false

  init(_ call: MethodCall, from client: Client, _ options: ClientOptions, in host: any ClientHost) {
    let machine = AuthorizationRequestMachine(
      options, host.sourceStatus, isInteractive: call.allowsInteractiveAuthorization, at: call.arrivedAt,
      sourceDecides: host.gatekeeper.sourceDecides)
    super.init(call, machine, from: client, in: host)
  }

  func begin() { begin(withMachine { $0.begin() }) }

  override var standing: Standing {
    var standing = super.standing
    standing.canAsk = host.gatekeeper.wouldAsk(client, asking: machine.options.accuracy, as: machine.options.desktopID)
    return standing
  }

  override func send(_ action: ClientAction) {
    switch action {
    case .openDialog: openDialog()
    case .reply(let authorization):
      call.reply(.string(authorization.status.rawValue), .string(authorization.reason.rawValue))
    default: super.send(action)
    }
  }

  override func finish(_ reason: ClosedReason?) {
    if isAsking { host.releasePrompt(of: client) }
    prompt?.cancel()
    prompt = nil
    super.finish(reason)
  }

  private func openDialog() {
    if let limit = host.reservePrompt(for: client) { return handle(.dialogUnavailable(limit)) }
    isAsking = true
    let prompt = host.gatekeeper.ask(
      client, asking: machine.options.accuracy, as: machine.options.desktopID
    ) { [weak self] authorization in self?.handle(.dialogEnded(authorization)) }
    if !isOver { self.prompt = prompt }
  }
}
