// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

/// The interface `org.geopublicist.Location1.Region`.
extension MonitoredRegion {
  static let interface = Interface<MonitoredRegion>(
    ServiceContract.region,
    commonMembers() + [
      .signal("StateChanged", ["event": "a{sv}"]),

      .property("State", "s", emits: .changed) { .string($0.machine.region.state.rawValue) },
      .property("StateReason", "s", emits: .changed) { .string($0.machine.region.reason.rawValue) },
      .property("Since", "(tt)", emits: .nothing) { Value($0.machine.since) },
      .property("LastEvent", "a{sv}", emits: .nothing) { $0.machine.last?.value ?? .options([]) },
      .property("Latitude", "d", emits: .const) { .double($0.circle.latitude) },
      .property("Longitude", "d", emits: .const) { .double($0.circle.longitude) },
      .property("Radius", "d", emits: .const) { .double($0.circle.radius) },
    ])

  private var circle: CircularRegion { machine.region.configuration.region }
}

nonisolated extension RegionReport {
  /// The argument of `StateChanged`.
  var value: Value {
    var pairs: [(String, Value)] = [
      ("Event", .string(event.kind.rawValue)),
      ("State", .string(event.state.rawValue)),
      ("Previous", .string(event.previous.rawValue)),
      ("Reason", .string(event.reason.rawValue)),
      ("Sequence", .uint64(event.sequence)),
      ("Timestamp", Value(event.timestamp)),
      ("MonotonicUSec", .uint64(event.committedAt)),
      ("Gap", .boolean(event.hasGap)),
      ("Simulated", .boolean(event.isSimulated)),
    ]
    if includesLocation, let location = event.location {
      pairs.append(("Location", Delivery(location: location, level: level, isReduced: isReduced).value()))
    }
    return .options(pairs)
  }
}
