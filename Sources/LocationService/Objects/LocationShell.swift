// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop
import Publicist
import Publishing

/// The common part of objects and calls that receive locations: passes those of a chain, through a slot, to a machine.
class LocationShell<Machine: LocationMachine>: ClientShell<Machine> {
  private let pacer = Pacer()
  private var slot: DeliverySlot?
  private var chain: AnyCancellable?
  /// Whether the chain has sent nothing, and the source has neither rested nor has the machine slept since it began.
  private var awaitsFirst = false
  /// Whether a location waits for room. Chains that are restarted while the client does not read wait only once.
  private var waitsForRoom = false
  /// The last time converted by ``monotonic(_:)``, by both clocks.
  private var converted: (at: BootInstant, monotonic: MonotonicInstant) = (.origin, .origin)

  override init(_ machine: Machine, of client: Client, in service: LocationService) {
    super.init(machine, of: client, in: service)
    pacer.onNeedChanged = { [weak self] in self?.updateNeed() }
  }

  func thresholds(at level: AccuracyLevel) -> DeliveryRule.Configuration { .init(ClientOptions()) }
  /// Returns the location with which the chain of a level begins.
  func firstLocation(for level: AccuracyLevel) -> Location? { nil }
  /// Whether the thresholds apply. Without them, every location is delivered.
  var isPaced: Bool { true }
  /// Called before a chain begins, whose first location passes all thresholds.
  func chainBegins() {}
  /// Called with each location that the slot sends.
  func received(_ location: Location) { handle(.location(location)) }
  /// Returns what the running chain needs from the source.
  func sourceNeed(at level: AccuracyLevel) -> SourceSchedule.Need { pacer.need(at: level) }
  /// Makes periodic checks due now, because the device may have moved.
  func checkNow() { pacer.checkNow() }
  /// Whether the client counts as using the location only while the source is held.
  var usesSourceBriefly: Bool { false }
  /// Whether a location must wait for a signal that must precede it.
  var isTelling: Bool { false }
  /// Calls `action` once a location may be sent to the client, possibly immediately.
  func whenRoom(_ action: @escaping () -> Void) { service.outbox.whenRoom(for: client.name, action) }

  final override func refresh() {
    super.refresh()
    release()
  }

  /// Handles a sleep, in which the machine may have moved: nothing from before the sleep is delivered.
  final func slept() {
    converted = (.origin, .origin)
    forget(.waiting)
    handle(.slept)
  }

  /// The location that waits until it is due or can be sent.
  final var waiting: Location? { slot?.waiting }

  /// Takes a location that did not come through the running chain.
  final func offer(_ location: Location) { slot?.offer(location) }

  /// Offers the newest location to a chain that awaits its first one. While the source of another program is silent,
  /// GeoClue repeats the one that it has, which is published only once. It says nothing about where the device is now.
  final func offerFirst(at level: AccuracyLevel) {
    guard awaitsFirst, let first = firstLocation(for: level) else { return }
    slot?.offer(first, endsCheck: false)
  }

  final func forget(_ part: DeliverySlot.Part) {
    awaitsFirst = false
    slot?.forget(part)
  }

  /// Sends the waiting location if nothing holds it.
  final func release() { slot?.release() }

  /// Whether a location that arrived at a time may be sent now.
  final func isReleased(_ time: BootInstant) -> Bool { slot?.isReleased(time) ?? false }

  /// Sends the waiting location if nothing holds it, although there may be no room.
  final func sendNow() { slot?.send() }

  /// Applies changed thresholds to the running chain.
  final func configureChain(at level: AccuracyLevel) {
    var configuration = thresholds(at: level)
    configuration.allowsRepetitions = !isPaced
    if let slot { slot.configure(configuration) } else { pacer.configure(configuration) }
  }

  /// Converts a time of the boot clock to the clock of the schedule. The same time always yields the same result.
  final func monotonic(_ time: BootInstant) -> MonotonicInstant {
    if time != converted.at { converted = (time, MainLoop.main.clock.monotonic(at: max(time, now))) }
    return converted.monotonic
  }

  /// Performs an action of this kind of machine.
  func perform(own action: Machine.Own) {}

  final override func perform(_ action: Machine.Action) {
    switch action {
    case .need(let level): require(level)
    case .follow(let level):
      if level != nil { chainBegins() }
      follow(level)
    case .receiving(let isReceiving):
      service.receiverCountChanged(by: isReceiving ? 1 : -1, whileHeld: usesSourceBriefly)
    case .audit(let authorization): audit(authorization)
    case .end(let reason):
      follow(nil)
      isEnded(reason)
    case .own(let action): perform(own: action)
    }
  }

  final override func need(at level: AccuracyLevel) -> SourceSchedule.Need {
    // Without a chain the decision is pending and may require the source immediately.
    guard chain != nil else { return super.need(at: level) }
    var need = sourceNeed(at: level)
    // A try that can publish no location would count as failed.
    if need.firstTry != nil, let end = service.locations.hiddenUntil[level] {
      need.from = max(need.from, end - SourceSchedule.warmUp)
    }
    return need
  }

  private var hold: Hold<BootClock>? {
    isTelling || client.isToBeReviewed ? Hold<BootClock>() : service.gatekeeper.hold(on: client)
  }

  private func sendWhenRoom() {
    guard !waitsForRoom else { return }
    waitsForRoom = true
    whenRoom { [weak self] in
      self?.waitsForRoom = false
      self?.sendNow()
    }
  }

  private func follow(_ level: AccuracyLevel?) {
    chain = nil
    slot = nil
    awaitsFirst = level != nil
    guard let level else { return updateNeed() }
    configureChain(at: level)
    // A location that the arbiter holds back and publishes later must also be from after the refusal.
    let slot = DeliverySlot(
      pacer, began: now, after: level == .exact ? min(client.exactFrom, now) : .origin,
      newest: { [locations = service.locations, isPaced] in locations.newest(at: level, isPaced: isPaced) },
      hold: { [weak self] in if let self { hold } else { Hold() } },
      whenRoom: { [weak self] in self?.sendWhenRoom() },
      { [weak self] location in
        self?.awaitsFirst = false
        self?.received(location)
      })
    self.slot = slot
    chain = service.locations.deliver(at: level, from: firstLocation(for: level), to: slot, isPaced: isPaced)
    updateNeed()
    // A source that is silent because nothing moves would not send a location that the client may receive.
    if level == .exact, client.exactFrom > .origin { service.source.ask() }
  }
}
