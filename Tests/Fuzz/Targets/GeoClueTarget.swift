// SPDX-License-Identifier: Apache-2.0
import GeopublicistGeoClueSimulation
import GeopublicistLocationModel

@testable import DBus
@testable import GeoClue

/// Fuzzes GeoClue's replies and signals: every location must be valid, and a reduced one must reveal nothing finer.
func fuzzGeoClue(_ source: ByteSource) {
  let names = ["Latitude", "Longitude", "Accuracy", "Altitude", "Speed", "Heading", "Description", "Timestamp"]
  var arbiter = FixArbiter()
  var reducers = AccuracyLevel.allCases.map(GridReducer.init(level:))
  var now = BootInstant(microseconds: 1)
  while !source.isEmpty {
    var properties: [(String, Value)] = []
    for name in names where source.number(below: 8) != 0 { properties.append((name, answer(name, source))) }
    now = BootInstant(microseconds: now.microseconds &+ source.integer(UInt64.self))
    guard let fix = GeoClueReply.fix(from: .options(properties)) else { continue }
    let wallClock = Timestamp(seconds: 9)
    guard let location = try? LocationValidator.location(from: fix, receivedAt: now, wallClock: wallClock)
    else { continue }
    check(location)
    let isNewest = arbiter.accept(location, at: now)
    claim(!isNewest || arbiter.published?.receivedAt == now, "an accepted fix is published")
    for index in reducers.indices {
      let reduced = reducers[index].reduce(location)
      check(reduced)
      if reducers[index].level < .exact {
        claim(
          reduced.altitude == nil && reduced.speed == nil && reduced.sourceDescription == nil,
          "a reduced location contains nothing finer")
      }
    }
  }
  let error = DBusError(source.pick([.accessDenied, .failed, .serviceUnknown, .noReply]), source.text())
  let failure = source.pick([CallFailure.notSent(error), .lost(error), .refused(error)])
  _ = (GeoClueReply.failure(failure), GeoClueReply.isNotInstalled(failure), GeoClueReport.failure(failure))
  let signal = Signal(
    sender: ":1.1", path: "/", interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
    arguments: (0..<source.number(below: 5)).map { _ in source.value() })
  _ = GeoClueReply.changes(in: signal, of: "org.freedesktop.GeoClue2.Client")
}

private func answer(_ name: String, _ source: ByteSource) -> Value {
  switch source.number(below: 10) {
  case 0: source.value()
  case _ where name == "Description": .string(source.text())
  case _ where name == "Timestamp": .structure([.uint64(source.integer()), .uint64(source.integer())])
  case 1: .double(source.double())
  default: .double(Double(source.integer(Int16.self)) / 180)
  }
}

private func check(_ location: Location) {
  claim(abs(location.latitude) <= 90 && abs(location.longitude) <= 180, "the coordinates are in range")
  for number in [location.accuracy, location.altitude, location.speed, location.heading] {
    claim(number?.isFinite ?? true, "known values are finite")
  }
  claim(location.accuracy ?? 0 >= 0 && location.speed ?? 0 >= 0, "accuracy and speed are not negative")
  claim((0..<360).contains(location.heading ?? 0), "a heading is in range")
  claim(location.timestamp.microseconds < 1_000_000, "a time is normalised")
}

/// Fuzzes the connection to GeoClue, with arbitrary behaviour of GeoClue, subscribers and an agent.
func fuzzConnection(_ source: ByteSource) {
  var geoclue = SimulatedGeoClue(registersAgent: source.flag(), choices: source)
  while !source.isEmpty, geoclue.violation == nil { geoclue.step() }
  geoclue.settle()
  claim(geoclue.violation == nil, geoclue.violation ?? "")
}

extension ByteSource: Choices {}
