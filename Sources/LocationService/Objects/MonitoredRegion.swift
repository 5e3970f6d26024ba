// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// A client's region, driven by a ``MonitoredRegionMachine``.
///
/// Nothing is evaluated while its result could not be sent. While the client does not read, the chain keeps the newest
/// location and the timer waits, so nothing accumulates and the sequence of events has no gaps.
final class MonitoredRegion: ClientObject<MonitoredRegionMachine> {
  private var waitsForRoom = false
  private var waitsForTelling = false

  init(
    _ number: UInt64, of client: Client, _ options: ClientOptions, _ configuration: RegionConfiguration,
    in service: LocationService
  ) {
    super.init(.region, number, of: client, options, in: service) {
      MonitoredRegionMachine(options, configuration, $0, sourceDecides: $1)
    }
    export(Implementation(of: Self.interface, by: self))
  }

  override var isPaced: Bool { false }
  override func checkNow() { handle(.check) }

  override func passTimer() { passTimer(hasRoom: service.outbox.hasRoom(for: client.name)) }

  private func passTimer(hasRoom: Bool) {
    waitsForTelling = isTelling
    guard !waitsForTelling else { return }
    guard hasRoom else { return waitForRoom() }
    super.passTimer()
  }

  override func sourceNeed(at level: AccuracyLevel) -> SourceSchedule.Need {
    guard case .check(let time) = machine.region.need else { return SourceSchedule.Need(level) }
    return .check(level, from: monotonic(time))
  }

  override func perform(kind action: MonitoredRegionMachine.Kind) {
    switch action {
    // Access can be lost at any time, while everything else happens only when there is room.
    case .tell(let report): if report.event.kind == .lost { tellLater() } else { tell(report) }
    case .reviewNeed: updateNeed()
    }
  }

  override func tellState() {
    super.tellState()
    if let loss = host.machine.takeLoss() { tell(loss) }
  }

  override func told() { if waitsForTelling { timeHasCome() } }

  private func tell(_ report: RegionReport) {
    service.outbox.signal { emit(RegionInterface.stateChanged, report.value) }
  }

  private func waitForRoom() {
    guard !waitsForRoom else { return }
    waitsForRoom = true
    service.outbox.whenRoom(for: client.name) { [weak self] in
      guard let self else { return }
      waitsForRoom = false
      reviewIfDue()
      // A client that does not read has its turn, although it has no room.
      passTimer(hasRoom: true)
    }
  }
}

extension MonitoredRegion: RegionSkeleton {
  static let interface = MonitoredRegion.regionTable()

  var state: String { machine.region.state.rawValue }
  var stateReason: String { machine.region.reason.rawValue }
  var since: Value { Value(machine.since) }
  func readLastEvent(_ request: PropertyRead) { readPlace(request) { [self] in machine.last?.value } }
  var latitude: Double { circle.latitude }
  var longitude: Double { circle.longitude }
  var radius: Double { circle.radius }

  private var circle: CircularRegion { machine.region.configuration.region }
}

nonisolated extension RegionReport {
  var value: Value {
    var pairs: [(String, Value)] = [
      ("Event", .string(event.kind.rawValue)),
      ("State", .string(event.state.rawValue)),
      ("Previous", .string(event.previous.rawValue)),
      ("Reason", .string(event.reason.rawValue)),
      ("Sequence", .uint64(event.sequence)),
      ("MonotonicUSec", .uint64(event.committedAt.microseconds)),
      ("Gap", .boolean(event.hasGap)),
      ("Simulated", .boolean(event.isSimulated)),
    ]
    if event.timestamp != Timestamp() { pairs.append(("Timestamp", Value(event.timestamp))) }
    if let delivery { pairs.append(("Location", delivery.value())) }
    return .options(pairs)
  }
}
