// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop
import Publicist
import Publishing

/// The common part of clients' objects and calls: feeds events to a state machine and executes its actions.
class ClientShell<Machine: ClientMachine> {
  let client: Client
  /// The service outlives the objects of its clients.
  unowned let host: any ClientHost
  private(set) var machine: Machine
  private(set) var isOver = false
  private var events: [ClientEvent] = []
  private var isHandling = false
  /// The level that the machine requires, and the resulting need for the source.
  private var neededLevel: AccuracyLevel?
  private var need: SourceSchedule.Need?
  private var timer: LoopSource?
  private let pacer = Pacer()
  private var slot: DeliverySlot?
  /// The decision that was last logged.
  private var noted: Authorization?
  private var chain: AnyCancellable?
  /// The last time converted by ``monotonic(_:)``, by both clocks.
  private var converted: (at: BootInstant, monotonic: MonotonicInstant) = (.origin, .origin)

  init(_ machine: Machine, of client: Client, in host: any ClientHost) {
    self.machine = machine
    self.client = client
    self.host = host
    pacer.onNeedChanged = { [weak self] in self?.updateNeed() }
  }

  func thresholds(at level: AccuracyLevel) -> DeliveryRule.Configuration {
    DeliveryRule.Configuration(ClientOptions())
  }
  /// Returns the location with which the chain of a level begins.
  func firstLocation(for level: AccuracyLevel) -> Location? { nil }
  /// Whether the thresholds apply. Without them, every location is delivered.
  var isPaced: Bool { true }
  /// Called before a chain begins, whose first location passes all thresholds.
  func chainBegins() {}
  /// Called at the time that the machine requested.
  func timeHasCome() { handle(.timer) }
  /// Returns what the running chain needs from the source.
  func sourceNeed(at level: AccuracyLevel) -> SourceSchedule.Need { pacer.need(at: level) }
  /// Makes periodic checks due now, because the device may have moved.
  func checkNow() { pacer.checkNow() }
  /// Whether the client counts as using the location only while the source is held.
  var usesSourceBriefly: Bool { false }
  /// Whether a location must wait for something that the client is to be told first.
  var isTelling: Bool { false }
  /// Calls `action` once a location may be sent to the client, possibly immediately.
  func whenRoom(_ action: @escaping () -> Void) { client.queue.whenRoom(action) }
  /// Sends an action's message to the client. Called for all actions that do not concern the service itself.
  func send(_ action: ClientAction) {}
  func finish(_ reason: ClosedReason?) {}

  /// What the log calls the client.
  private var subject: String {
    let user = client.credentials.map { "\($0.userID)" } ?? "unknown"
    return "Decision for \(client.name.rawValue), user \(user), level \(machine.options.accuracy.contractName)"
  }

  var standing: Standing {
    Standing(
      authorization: host.gatekeeper.authorization(
        for: client, asking: machine.options.accuracy, as: machine.options.desktopID),
      isHeld: host.gatekeeper.hold(on: client) != nil)
  }

  /// Queries the gatekeeper again, because something may have changed.
  final func refresh() {
    let standing = standing
    if standing.authorization != noted {
      noted = standing.authorization
      let new = standing.authorization
      Log.debug("\(subject): \(new.status.rawValue) \(new.reason.rawValue), granted \(new.level.contractName)")
    }
    client.note(standing.authorization, at: now)
    host.lastPlaces?.note(standing.authorization, of: client)
    handle(.standing(standing))
    release()
  }

  /// Handles that the machine has slept and may have moved: nothing from before is delivered.
  final func slept() {
    forget(.waiting)
    handle(.slept)
  }

  final func forget(_ part: DeliverySlot.Part) { slot?.forget(part) }

  /// Sends the location that waits if nothing holds it any more.
  final func release() { slot?.release() }

  /// Sends it although there may be no room.
  final func sendNow() { slot?.send() }

  /// Called before the machine handles an event.
  func willHandle(_ event: ClientEvent) {}

  /// Handles an event and all events that result from it.
  final func handle(_ event: ClientEvent) {
    events.append(event)
    guard !isHandling else { return }
    isHandling = true
    defer { isHandling = false }
    while !events.isEmpty {
      let event = events.removeFirst()
      willHandle(event)
      perform(machine.handle(event, at: now))
    }
  }

  /// Changes the machine directly, for changes that are not events.
  final func withMachine<Result>(_ body: (inout Machine) -> Result) -> Result { body(&machine) }

  final func perform(_ actions: [ClientAction]) {
    for action in actions { perform(action) }
  }

  /// Applies changed thresholds to the running chain.
  final func configureChain(at level: AccuracyLevel) { pacer.configure(thresholds(at: level)) }

  final var now: BootInstant { MainLoop.main.clock.boottime() }

  /// Converts a time of the boot clock to the clock of the schedule, and the same time always to the same result.
  final func monotonic(_ time: BootInstant) -> MonotonicInstant {
    if time != converted.at { converted = (time, MainLoop.main.clock.monotonic(at: max(time, now))) }
    return converted.monotonic
  }

  private func perform(_ action: ClientAction) {
    switch action {
    case .need(let level):
      neededLevel = level
      updateNeed()
    case .follow(let level):
      if level != nil { chainBegins() }
      follow(level)
    case .receiving(let isReceiving):
      host.receiverCountChanged(by: isReceiving ? 1 : -1, whileHeld: usesSourceBriefly)
    case .askSource: host.askSource()
    case .armTimer(let time):
      timer = MainLoop.main.after(time - now) { [weak self] in
        guard let self else { return }
        if client.isToBeReviewed { refresh() }
        timeHasCome()
      }
    case .audit(let authorization):
      AuditLog.note(authorization, for: client, asking: machine.options.accuracy, as: machine.options.desktopID)
    case .end(let reason):
      isOver = true
      timer = nil
      follow(nil)
      finish(reason)
    case .reviewNeed: updateNeed()
    case .deliver, .tell, .announce, .changed, .done, .reply, .refuse, .openDialog: send(action)
    }
  }

  private var hold: Hold<BootClock>? {
    isTelling || client.isToBeReviewed ? Hold<BootClock>() : host.gatekeeper.hold(on: client)
  }

  final func updateNeed() {
    // Without a chain the decision is pending and may require the source immediately.
    let new = neededLevel.map { chain == nil ? SourceSchedule.Need($0) : sourceNeed(at: $0) }
    guard new != need else { return }
    need = new
    host.setNeed(new, for: ObjectIdentifier(self))
  }

  private func follow(_ level: AccuracyLevel?) {
    chain = nil
    slot = nil
    guard let level else { return updateNeed() }
    pacer.configure(thresholds(at: level))
    // Also what the arbiter holds back and publishes later must be from after the refusal.
    let slot = DeliverySlot(
      isPaced ? pacer : nil, after: level == .exact ? min(client.exactFrom, now) : .origin,
      hold: { [weak self] in self.map(\.hold) ?? Hold() },
      whenRoom: { [weak self] in self?.whenRoom($0) },
      { [weak self] location in
        self?.handle(.location(location, level))
      })
    self.slot = slot
    chain = host.locations.deliver(at: level, from: firstLocation(for: level), to: slot)
    updateNeed()
    // A source that is silent because nothing moves would not report what the client may receive.
    if level == .exact, client.exactFrom > .origin { host.askSource() }
  }
}

/// The part of the service that clients' objects can access.
protocol ClientHost: AnyObject {
  var connection: Connection { get }
  var gatekeeper: any Gatekeeper { get }
  /// The part of the chain that all clients share.
  var locations: SharedLocations { get }
  var signals: LocationSignals { get }
  var sourceStatus: SourceStatus { get }
  var outage: Outage? { get }
  var places: PlaceDirectory { get }
  var lastPlaces: LastPlaces? { get }

  func firstLocation(for level: AccuracyLevel) -> Location?
  /// Sets what an object needs from the source, or nil for nothing.
  func setNeed(_ need: SourceSchedule.Need?, for object: ObjectIdentifier)
  func askSource()
  /// Counts clients that receive locations; with `whileHeld`, they count only while the source is held.
  func receiverCountChanged(by difference: Int, whileHeld: Bool)
  /// Gathers what must be known about a client for a call, then calls `action`: immediately, or when it is the turn of
  /// the client's account.
  func prepare(_ client: Client, since arrival: BootInstant, _ action: @escaping () -> Void)
  /// Calls `action` when the bus has room for an answer to a client's call, and it is the turn of the client's account.
  func whenTurn(of client: Client, _ action: @escaping () -> Void)
  /// Counts one more dialog for a client, or returns the limit that it would exceed.
  func reservePrompt(for client: Client) -> Limits.Key?
  func releasePrompt(of client: Client)
  func ended(_ object: any OwnedObject)
}
