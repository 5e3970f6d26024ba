// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport

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
            path, group: group, key: key, "it takes a number from \(range.lowerBound) to \(range.upperBound)")
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

  /// Replaces the file.
  func write(_ places: [Place]) throws(KeyFile.FileError) {
    let groups = places.map { place in
      "[\(place.name)]\nlatitude=\(place.latitude)\nlongitude=\(place.longitude)\nradius=\(place.radius)\n"
    }
    let text = "# Written by `geopublicist place`.\n" + groups.map { "\n" + $0 }.joined()
    try UserFile.write(text, to: path)
  }
}
