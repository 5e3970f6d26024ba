// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

extension SourceKind {
  /// Interprets GeoClue's `Description`. It is empty in 2.6 and names the method since 2.7. Forks may use other words.
  nonisolated init(geoclueDescription description: String) {
    let words = description.split(separator: " ")
    // In "ipf fallback (from WiFi data)", the server knew none of the networks and answered from a coarser source.
    // Split into words, because searching a string for a substring would link Swift's regular expressions, 1 MB.
    if words.count > 2, words[1] == "fallback", words[2].hasPrefix("(") {
      self = Self.fallbacks[String(words[0])] ?? .unknown
    } else {
      let method = words.first.map { String($0.prefix { $0 != "(" }) } ?? ""
      self = Self.methods[description] ?? Self.families[method] ?? .unknown
    }
  }

  nonisolated private static let methods: [String: SourceKind] = [
    "WiFi": .wifi, "3GPP": .cell, "3GPP + WiFi": .wifi, "Static location": .static,
  ]
  /// Methods whose description also contains a service or sentence: "GeoIP (ichnaea)", "GPS GGA+RMC".
  nonisolated private static let families: [String: SourceKind] = ["GeoIP": .ip, "GPS": .gnss]
  nonisolated private static let fallbacks: [String: SourceKind] = [
    "ipf": .ip, "GeoIP": .ip, "lacf": .cell, "3GPP": .cell, "WiFi": .wifi,
  ]
}
