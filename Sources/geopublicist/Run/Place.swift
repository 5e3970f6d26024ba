// SPDX-License-Identifier: Apache-2.0
/// A named place of the user.
nonisolated struct Place: Equatable {
  let name: String
  let latitude: Double
  let longitude: Double
  /// Metres.
  let radius: Double

  /// Whether a name can be a group of the file, an operand of `run` and an argument of a hook.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 64 && name != PlaceEvent.sun && name.first != "-"
      && name.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_".unicodeScalars.contains($0)
      }
  }
}

/// The words by which hooks and `run` know events.
nonisolated enum PlaceEvent {
  /// Stands for the place in the events of the sun.
  static let sun = "sun"
  /// The events of a region that run a command.
  static let borders = ["entered", "exited", "dwelled"]
}
