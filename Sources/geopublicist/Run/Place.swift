// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistLocationModel
import GeopublicistProcessSupport

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

/// The words for events in hooks and in `run`.
nonisolated enum PlaceEvent {
  /// Stands for the place in the events of the sun.
  static let sun = "sun"
  /// The events of a region that run a command.
  static let borders = ["entered", "exited", "dwelled"]
}

/// The user's places: a key file with a group for each, readable only by the user.
struct PlaceFile {
  let path = UserFile.folder + "/places.conf"

  /// Returns the places in the order of the file; throws for an invalid one.
  func read() throws(KeyFile.FileError) -> [Place] {
    guard TextFile.exists(path) else { return [] }
    let file = try KeyFile(path: path)
    var places: [Place] = []
    for group in file.groups {
      func number(_ key: String, _ range: ClosedRange<Double>) throws(KeyFile.FileError) -> Double {
        guard let number = file.text(key, of: group).flatMap(Double.init), range.contains(number) else {
          throw KeyFile.FileError(
            path, group: group, key: key, tr("it must be a number from \(range.lowerBound) to \(range.upperBound)"))
        }
        return number
      }
      places.append(
        Place(
          name: group, latitude: try number("latitude", -90...90), longitude: try number("longitude", -180...180),
          radius: try number("radius", CircularRegion.radii)))
    }
    return places
  }

  /// The names of the places; none if the file is invalid.
  var names: [String] { ((try? read()) ?? []).map(\.name) }

  func write(_ places: [Place]) throws(KeyFile.FileError) {
    let groups = places.map { place in
      "[\(place.name)]\nlatitude=\(place.latitude)\nlongitude=\(place.longitude)\nradius=\(place.radius)\n"
    }
    let text = "# Written by `geopublicist place`.\n" + groups.map { "\n" + $0 }.joined()
    try UserFile.write(text, to: path)
  }
}

/// Files in the user's configuration, readable only by the user.
enum UserFile {
  static let folder = String(cString: g_get_user_config_dir()) + "/geopublicist"

  /// Replaces a file in the folder of places. Creates the folder if it is missing.
  static func write(_ text: String, to path: String) throws(KeyFile.FileError) {
    g_mkdir_with_parents(folder, 0o700)
    try TextFile.replace(path, with: text, mode: 0o600)
  }
}
