// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

extension SourceKind {
  /// Reads GeoClue's `Description`: 2.6 leaves it empty; 2.7 and later name the method, and forks may use other words.
  nonisolated init(geoclueDescription description: String) {
    // "ipf fallback (from WiFi data)": the server knew none of the networks, and answered from something coarser.
    if let end = description.firstRange(of: " fallback (") {
      self = Self.fallbacks[String(description[..<end.lowerBound])] ?? .unknown
    } else {
      let method =
        description.prefix { $0 != "(" }.split(separator: " ", maxSplits: 1).first.map(String.init)
        ?? ""
      self = Self.methods[description] ?? Self.families[method] ?? .unknown
    }
  }

  nonisolated private static let methods: [String: SourceKind] = [
    "WiFi": .wifi, "3GPP": .cell, "3GPP + WiFi": .wifi, "Static location": .static,
  ]
  /// Methods that name their service or sentence as well: "GeoIP (ichnaea)", "GPS GGA+RMC".
  nonisolated private static let families: [String: SourceKind] = ["GeoIP": .ip, "GPS": .gnss]
  nonisolated private static let fallbacks: [String: SourceKind] = [
    "ipf": .ip, "GeoIP": .ip, "lacf": .cell, "3GPP": .cell, "WiFi": .wifi,
  ]
}
