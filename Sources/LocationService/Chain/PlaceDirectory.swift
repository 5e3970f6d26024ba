// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// The table of places, which is read when it is first needed and released a minute after it was last used.
final class PlaceDirectory {
  private static let patience = Duration.seconds(60)

  private var table: PlaceTable?
  private var release: LoopSource?
  /// The last answer, because all almanacs ask for the same cell when a location arrives.
  private var last: (location: Location, answer: PlaceAnswer)?
  private var isMissing = false

  /// Returns what is known about a reduced location; nothing if there is no table.
  func answer(for location: Location) -> PlaceAnswer {
    if let last, last.location.level == location.level, last.location.accuracy == location.accuracy,
      last.location.latitude == location.latitude, last.location.longitude == location.longitude
    {
      return last.answer
    }
    guard let table = table ?? read() else { return PlaceAnswer() }
    self.table = table
    release = MainLoop.main.after(Self.patience) { [weak self] in
      self?.table = nil
      self?.last = nil
      self?.release = nil
    }
    let answer = table.answer(for: location, isCountry: location.level <= .country)
    last = (location, answer)
    return answer
  }

  private func read() -> PlaceTable? {
    guard !isMissing else { return nil }
    let folders = getenv("XDG_DATA_DIRS").map { String(cString: $0) } ?? ""
    let own = OwnProgram.prefix.map { "\($0)/share:" } ?? ""
    for folder in (folders.isEmpty ? "\(own)/usr/local/share:/usr/share" : folders).split(separator: ":") {
      let path = "\(folder)/geopublicist/places"
      guard folder.hasPrefix("/"), let bytes = try? TextFile.bytes(of: path) else { continue }
      if let table = PlaceTable(bytes) { return table }
      Log.error("\(path) is damaged; almanacs have no time zone and no place until it is reinstalled")
    }
    // This process does not look for the table again, because every call would wait for the disk.
    isMissing = true
    return nil
  }
}
