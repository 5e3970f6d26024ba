// SPDX-License-Identifier: Apache-2.0
extension Location {
  /// Reads a latitude and a longitude in degrees, such as `52.5,13.4`; nil for anything else.
  package init?(degrees text: String) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    // Comparisons with NaN are false.
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1], abs(latitude) <= 90,
      abs(longitude) <= 180
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }
}
