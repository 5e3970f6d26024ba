// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop
import Publicist
import Publishing

/// The common part of all objects of clients: feeds events to a machine, and executes its actions.
class ClientShell<Machine: ClientMachine> {
  let client: Client
  /// The service outlives the objects of its clients.
  unowned let host: any ClientHost
  private(set) var machine: Machine
  private(set) var isOver = false
  private var events: [ClientEvent] = []
  private var isHandling = false
  /// The level that the machine wants, and what that means for the source now.
  private var neededLevel: AccuracyLevel?
  private var need: SourceSchedule.Need?
  private var timer: LoopSource?
  private let pacer = Pacer()
  private var emitter: LocationEmitter?
  private var chain: AnyCancellable?

  init(_ machine: Machine, of client: Client, in host: any ClientHost) {
    self.machine = machine
    self.client = client
    self.host = host
    pacer.onNeedChanged = { [weak self] in self?.updateNeed() }
  }

  /// The thresholds of the chain at a level; none unless overridden.
  func thresholds(at level: AccuracyLevel) -> DeliveryRule.Configuration {
    DeliveryRule.Configuration()
  }
  /// The location with which the chain of a level begins.
  func firstLocation(for level: AccuracyLevel) -> Location? { nil }
  /// Whether the thresholds apply; without them every location comes through.
  var isPaced: Bool { true }
  /// Takes a location of the followed level in.
  func received(_ location: Location, at level: AccuracyLevel) { handle(.location(location, level)) }
  /// The time that the machine asked for has come.
  func timeHasCome() { handle(.timer) }
  /// What the chain that runs needs of the source.
  func sourceNeed(at level: AccuracyLevel) -> SourceSchedule.Need { pacer.need(at: level) }
  /// Notes that the device may be somewhere else: periodic checks are due now.
  func checkNow() { pacer.checkNow() }
  /// Sends what the client receives: every action that is not about the service itself.
  func send(_ action: ClientAction) {}
  /// Removes the object.
  func finish(_ reason: ClosedReason?) {}

  /// The gatekeeper's decision at this moment.
  var standing: Standing {
    Standing(
      authorization: host.gatekeeper.authorization(
        for: client, asking: machine.options.accuracy, as: machine.options.desktopID),
      isHeld: host.gatekeeper.isHeld(client))
  }

  /// Asks the gatekeeper again, since something may have changed.
  final func refresh() {
    handle(.standing(standing))
    emitter?.release()
  }

  /// Handles an event, and then those that follow from it.
  final func handle(_ event: ClientEvent) {
    events.append(event)
    guard !isHandling else { return }
    isHandling = true
    defer { isHandling = false }
    while !events.isEmpty {
      let event = events.removeFirst()
      perform(machine.handle(event, at: now))
    }
  }

  /// Changes the machine directly, for changes that are not events.
  final func withMachine<Result>(_ body: (inout Machine) -> Result) -> Result { body(&machine) }

  final func perform(_ actions: [ClientAction]) {
    for action in actions { perform(action) }
  }

  /// Applies changed thresholds to the chain that runs.
  final func configureChain(at level: AccuracyLevel) { pacer.configure(thresholds(at: level)) }

  final var now: UInt64 { MainLoop.main.clock.boottime() }

  private func perform(_ action: ClientAction) {
    switch action {
    case .need(let level):
      neededLevel = level
      updateNeed()
    case .follow(let level): follow(level)
    case .receiving(let isReceiving): host.receiverCountChanged(by: isReceiving ? 1 : -1)
    case .askSource: host.askSource()
    case .armTimer(let time):
      timer = MainLoop.main.after(microseconds: Int64(clamping: time > now ? time - now : 0)) {
        [weak self] in
        self?.timeHasCome()
      }
    case .audit(let authorization):
      AuditLog.note(
        authorization, for: client, asking: machine.options.accuracy, as: machine.options.desktopID)
    case .end(let reason):
      isOver = true
      timer = nil
      follow(nil)
      finish(reason)
    case .reviewNeed: updateNeed()
    case .deliver, .tell, .announce, .report, .changed, .done, .reply, .refuse, .openDialog: send(action)
    }
  }

  private func updateNeed() {
    // Before there is a chain, the decision is pending, which may need the source at once.
    let new = neededLevel.map { chain == nil ? SourceSchedule.Need($0) : sourceNeed(at: $0) }
    guard new != need else { return }
    need = new
    host.setNeed(new, for: ObjectIdentifier(self))
  }

  private func follow(_ level: AccuracyLevel?) {
    chain = nil
    emitter = nil
    guard let level else { return updateNeed() }
    pacer.configure(thresholds(at: level))
    let emitter = LocationEmitter(
      client.queue, isHeld: { [weak self] in self.map { $0.host.gatekeeper.isHeld($0.client) } ?? true },
      { [weak self] location in self?.received(location, at: level) })
    self.emitter = emitter
    chain = host.locations.deliver(
      at: level, from: firstLocation(for: level), through: isPaced ? pacer : nil, to: emitter)
    updateNeed()
  }
}
