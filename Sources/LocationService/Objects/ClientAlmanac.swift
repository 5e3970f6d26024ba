// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// A client's almanac, driven by an ``AlmanacMachine``.
final class ClientAlmanac: ClientObject<AlmanacMachine> {
  /// Since when the first location is awaited.
  private var waitsFrom: MonotonicInstant?

  init(_ number: UInt64, of client: Client, _ options: ClientOptions, in host: any ClientHost) {
    let authorization = host.gatekeeper.authorization(for: client, asking: options.accuracy, as: options.desktopID)
    super.init(
      .almanac, number, AlmanacMachine(options, authorization, sourceDecides: host.gatekeeper.sourceDecides),
      of: client, in: host)
    export(Implementation(of: Self.interface, by: self))
  }

  override var delivered: UInt64 { machine.delivered }
  override var isPaced: Bool { false }
  override var usesSourceBriefly: Bool { true }
  override func firstLocation(for level: AccuracyLevel) -> Location? {
    host.firstLocation(for: level) ?? host.lastPlaces?.location(for: client, at: level)?.location
  }
  override func checkNow() {
    waitsFrom = nil
    handle(.check)
    updateNeed()
  }

  override func sourceNeed(at level: AccuracyLevel) -> SourceSchedule.Need {
    if let time = machine.checkAt {
      waitsFrom = nil
      return .check(level, from: monotonic(time))
    }
    let from = waitsFrom ?? monotonic(now)
    waitsFrom = from
    return .check(level, from: from)
  }

  override func willHandle(_ event: ClientEvent) {
    let time = MainLoop.main.clock.realtime()
    var place: PlaceAnswer?
    if case .location(let location, _) = event { place = host.places.answer(for: location) }
    withMachine { machine in
      machine.wallClock = time
      if let place { machine.place = place }
    }
  }

  override func tellState() {
    super.tellState()
    tellOutage()
    let time = MainLoop.main.clock.realtime()
    let report = withMachine { machine in
      machine.wallClock = time
      return machine.announcement()
    }
    guard let report else { return }
    emit(AlmanacInterface.almanacChanged, report.value)
    host.lastPlaces?.received(report.location, by: client)
  }
}

extension ClientAlmanac: AlmanacSkeleton {
  static let interface = ClientAlmanac.almanacTable()

  func readAlmanac(_ request: PropertyRead) { readPlace(request) { [self] in machine.told?.value } }
}

/// One `GetAlmanac` call: a call for a location of a city, which is answered with its almanac.
final class AlmanacRequest: LocationRequest {
  override func value(of delivery: Delivery) -> Value {
    let place = host.places.answer(for: delivery.location)
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
