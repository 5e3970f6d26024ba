// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// A client's almanac, driven by an ``AlmanacMachine``.
final class ClientAlmanac: ClientObject<AlmanacMachine> {
  /// When the wait for the first location began.
  private var waitsFrom: MonotonicInstant?

  init(_ number: UInt64, of client: Client, _ options: ClientOptions, in service: LocationService) {
    super.init(.almanac, number, of: client, options, in: service) {
      AlmanacMachine(options, $0, sourceDecides: $1)
    }
    export(Implementation(of: Self.interface, by: self))
  }

  override var isPaced: Bool { false }
  override var usesSourceBriefly: Bool { true }
  override func firstLocation(for level: AccuracyLevel) -> Location? {
    super.firstLocation(for: level) ?? service.lastPlaces?.location(for: client, at: level)?.location
  }
  override func chainBegins() {
    waitsFrom = nil
    super.chainBegins()
  }

  /// The remembered place may be too old by the new time, or no longer.
  override func clockChanged() {
    if remembered == nil {
      host.machine.forgetRemembered()
      if waiting?.isRemembered ?? false { forget(.waiting) }
    }
    super.clockChanged()
    offerRemembered()
  }

  private var remembered: Location? { service.lastPlaces?.location(for: client, at: machine.level)?.location }

  private func offerRemembered() {
    if machine.location == nil, waiting == nil, let remembered { offer(remembered) }
  }

  override func checkNow() {
    waitsFrom = nil
    // A sleep has dropped one that waited.
    offerRemembered()
    handle(.check)
    updateNeed()
  }

  override func sourceNeed(at level: AccuracyLevel) -> SourceSchedule.Need {
    let from = machine.checkAt.map(monotonic) ?? waitsFrom ?? monotonic(now)
    waitsFrom = machine.checkAt == nil ? from : nil
    return .check(level, from: from)
  }

  override func received(_ location: Location) {
    host.machine.place = service.places.answer(for: location)
    super.received(location)
  }

  override func perform(kind action: AlmanacMachine.Kind) {
    switch action {
    case .reviewNeed: updateNeed()
    }
  }

  override func tellState() {
    reviewIfDue()
    super.tellState()
    host.machine.wallClock = MainLoop.main.clock.realtime()
    guard let newest = machine.location else { return }
    let isReleased = isReleased(newest.receivedAt)
    guard let report = host.machine.announcement(isReleased: isReleased) else { return }
    emit(AlmanacInterface.almanacChanged, report.value)
    remember(report.location)
  }
}

extension AlmanacMachine {
  @MainActor mutating func handle(_ event: Event, at now: BootInstant) -> [Action] {
    handle(event, at: now, wallClock: MainLoop.main.clock.realtime())
  }
}

extension ClientAlmanac: AlmanacSkeleton {
  static let interface = ClientAlmanac.almanacTable()

  func readAlmanac(_ request: PropertyRead) { readPlace(request) { [self] in machine.told?.value } }
}

/// One `GetAlmanac` call: a call for a location of a city, which is answered with its almanac.
final class AlmanacRequest: LocationRequest {
  override func value(of delivery: Delivery) -> Value {
    let place = service.places.answer(for: delivery.location)
    return AlmanacReport(
      delivery.location, place, at: MainLoop.main.clock.realtime(), machine.options.almanac
    ).value
  }
}

nonisolated extension AlmanacReport {
  var value: Value {
    func time(_ seconds: Int64) -> Value { Value(Timestamp(seconds: UInt64(clamping: seconds))) }
    var pairs: [(String, Value)] = [
      ("Phase", .string(forecast.phase.rawValue)),
      ("Timestamp", Value(location.timestamp)),
      ("Approximate", .boolean(location.isApproximate)),
      (
        "Forecast",
        .array("(s(tt))", forecast.entries.map { .structure([.string($0.phase.rawValue), time($0.start)]) })
      ),
    ]
    if let next = forecast.next {
      pairs += [("NextPhase", .string(next.phase.rawValue)), ("NextTime", time(next.start))]
    }
    if location.isRemembered { pairs.append(("Remembered", .boolean(true))) }
    if let sunrise = forecast.sunrise { pairs.append(("Sunrise", time(sunrise))) }
    if let sunset = forecast.sunset { pairs.append(("Sunset", time(sunset))) }
    let names = [("TimeZone", place.timeZone), ("Place", place.town), ("Country", place.country)]
    pairs += names.compactMap { name, text in text.map { (name, .string($0)) } }
    return .options(pairs)
  }
}
