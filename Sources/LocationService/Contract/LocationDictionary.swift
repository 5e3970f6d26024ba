import DBus
import GeopublicistLocationModel

/// A location as it travels: the contract's `a{sv}`, in which what is unknown is absent.
nonisolated enum LocationDictionary {
  /// `level` is the finest level that the location may reveal; `isReduced` says that it is coarser than asked.
  static func value(
    _ location: Location, level: AccuracyLevel, isReduced: Bool, age: UInt32? = nil
  ) -> Value {
    var pairs: [(String, Value)] = [
      ("Latitude", .double(location.latitude)),
      ("Longitude", .double(location.longitude)),
      ("Level", .string(level.contractName)),
      ("Reduced", .boolean(isReduced)),
      ("Simulated", .boolean(location.isSimulated)),
      ("Sequence", .uint64(location.sequence)),
      ("Timestamp", value(location.timestamp)),
      ("MonotonicUSec", .uint64(location.receivedAt)),
    ]
    func add(_ name: String, _ number: Double?) {
      if let number, number.isFinite { pairs.append((name, .double(number))) }
    }
    add("Accuracy", location.accuracy)
    add("Altitude", location.altitude)
    add("Speed", location.speed)
    add("Heading", location.heading)
    if let description = location.sourceDescription { pairs.append(("Description", .string(description))) }
    if let age { pairs.append(("Age", .uint32(age))) }
    return .options(pairs)
  }

  static func value(_ timestamp: Timestamp) -> Value {
    .structure([.uint64(timestamp.seconds), .uint64(timestamp.microseconds)])
  }
}
