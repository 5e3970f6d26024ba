// SPDX-License-Identifier: Apache-2.0
/// A place of the user's, by name.
nonisolated struct Place: Equatable {
  /// What the service monitors.
  static let radii = 50.0...1_000_000.0

  let name: String
  let latitude: Double
  let longitude: Double
  /// Metres.
  let radius: Double

  /// Whether a name can be a group of the file, a word of a command line and an argument of a hook.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 64 && name != PlaceEvent.sun && name.first != "-"
      && name.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_".unicodeScalars.contains($0)
      }
  }
}

/// What hooks are told of besides places.
nonisolated enum PlaceEvent {
  /// The name that stands for a place in the events of the sun.
  static let sun = "sun"
  /// Those of the service that say something about a border.
  static let borders = ["entered", "exited", "dwelled"]
}
