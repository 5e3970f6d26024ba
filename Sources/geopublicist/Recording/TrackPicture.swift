// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// A recording as a picture, which is drawn as a whole: every few seconds, and at the end.
final class TrackPicture: TrackSink {
  /// The time between two drawings.
  private static let pause = Duration.seconds(5)

  private let path: String
  private let isNew: Bool
  private var pieces: [[Location]] = []
  private var isInterrupted = true
  private var drawnAt: MonotonicInstant?

  init(_ path: String, replacing: Bool) throws(TrackFailure) {
    self.path = path
    let descriptor: Int32
    (descriptor, isNew) = TrackWriter.open(path, O_WRONLY, mayExist: replacing)
    guard descriptor >= 0 else { throw .system(path, hint: errno == EEXIST ? tr("; --force replaces it") : "") }
    close(descriptor)
  }

  func append(_ location: Location) throws(TrackFailure) {
    if isInterrupted { pieces.append([]) }
    isInterrupted = false
    pieces[pieces.count - 1].append(location)
    let now = MainLoop.main.clock.monotonic()
    guard drawnAt.map({ now - $0 >= Self.pause }) ?? true else { return }
    drawnAt = now
    try draw()
  }

  func interrupt() { isInterrupted = true }
  /// Without a fix, a picture that would be replaced is kept.
  func finish() throws(TrackFailure) {
    if isNew || !pieces.isEmpty { try draw() }
  }
  func discard() {
    if isNew { unlink(path) }
  }

  private func draw() throws(TrackFailure) {
    do throws(KeyFile.FileError) {
      try TextFile.replace(path, with: SVGDrawing(pieces).text, mode: 0o644)
    } catch {
      throw TrackFailure(error.description)
    }
  }
}

/// A track as a picture, north up: the line, the accuracy of each fix, the start, the end and a scale; on light and dark
/// pages.
nonisolated struct SVGDrawing {
  private static let width = 800.0
  private static let margin = 40.0
  /// The height below the track for the caption and the scale.
  private static let footer = 44.0
  /// More circles would merge into a dark band.
  private static let mostCircles = 400

  private struct Point {
    /// Metres east and south of the first fix.
    let x: Double
    let y: Double
    let accuracy: Double
  }

  private let pieces: [[Point]]
  private let caption: String
  private let scale: Double
  private let height: Double
  private let center: (x: Double, y: Double)

  init(_ locations: [[Location]]) {
    let all = locations.joined()
    let middle = all.first ?? Location(latitude: 0, longitude: 0)
    pieces = locations.map { $0.map { Self.project($0, around: middle) } }
    let points = pieces.joined()
    let (west, east) = (points.map(\.x).min() ?? 0, points.map(\.x).max() ?? 0)
    let (north, south) = (points.map(\.y).min() ?? 0, points.map(\.y).max() ?? 0)
    center = ((west + east) / 2, (north + south) / 2)
    // A track without extent is drawn with some metres around it.
    let room = max((points.map(\.accuracy).max() ?? 0) * 2, 20)
    let (wide, high) = (max(east - west, room), max(south - north, room))
    let inner = Self.width - 2 * Self.margin
    scale = min(inner / wide, inner / high)
    height = min(max(high * scale, 160), inner) + 2 * Self.margin + Self.footer
    caption = Self.caption(TrackSummary(locations))
  }

  var text: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(Self.width)) \(number(height))" role="img">
    <title>\(caption)</title>
    <style>
    svg { background: #fff; color: #222; font: 15px sans-serif }
    .way { fill: none; stroke: #1668c7; stroke-width: 3; stroke-linejoin: round; stroke-linecap: round }
    .accuracy { fill: #1668c7; fill-opacity: .06 }
    .start { fill: #2a8a3c } .end { fill: #c4342b } .ink { fill: currentColor } .rule { stroke: currentColor; fill: none }
    @media (prefers-color-scheme: dark) {
    svg { background: #16181c; color: #ddd } .way { stroke: #6db1ff } .accuracy { fill: #6db1ff; fill-opacity: .08 }
    .start { fill: #5cc873 } .end { fill: #ff7a70 }
    }
    </style>
    \(circles)\(ways)\(ends)\(scaleBar)
    <text class="ink" x="\(number(Self.margin))" y="\(number(height - 18))">\(caption)</text>
    </svg>

    """
  }

  private var circles: String {
    let all = Array(pieces.joined())
    let step = max(1, (all.count + Self.mostCircles - 1) / Self.mostCircles)
    return stride(from: 0, to: all.count, by: step).map { index in
      let point = all[index]
      guard point.accuracy * scale >= 1 else { return "" }
      return "<circle class=\"accuracy\" \(place(point)) r=\"\(number(point.accuracy * scale))\"/>\n"
    }.joined()
  }

  private var ways: String {
    pieces.filter { $0.count > 1 }.map { piece in
      let corners = piece.map { "\(number(x($0))),\(number(y($0)))" }.joined(separator: " ")
      return "<polyline class=\"way\" points=\"\(corners)\"/>\n"
    }.joined()
  }

  private var ends: String {
    guard let first = pieces.joined().first, let last = pieces.last?.last else { return "" }
    return "<circle class=\"start\" \(place(first)) r=\"7\"/>\n<circle class=\"end\" \(place(last)) r=\"5\"/>"
  }

  /// A bar of 1, 2, 5, 10, … metres, as long as fits into a quarter of the picture.
  private var scaleBar: String {
    guard !pieces.isEmpty else { return "" }
    let most = Self.width / 4 / scale
    let power = pow(10, floor(log10(most)))
    let metres = [5, 2, 1].map { $0 * power }.first { $0 <= most } ?? power
    let (right, bottom) = (Self.width - Self.margin, height - 18)
    let left = right - metres * scale
    return "\n<path class=\"rule\" d=\"M\(number(left)) \(number(bottom - 5))v5H\(number(right))v-5\"/>\n"
      + "<text class=\"ink\" x=\"\(number(right))\" y=\"\(number(bottom - 9))\" text-anchor=\"end\">"
      + "\(TrackSummary.text(metres: metres))</text>"
  }

  private static func caption(_ summary: TrackSummary) -> String {
    var parts = ["\(summary.count) fix\(summary.count == 1 ? "" : "es")", TrackSummary.text(metres: summary.metres)]
    if summary.seconds > 0 { parts.append(TrackSummary.text(seconds: summary.seconds)) }
    return parts.joined(separator: ", ")
  }

  /// Projects onto a plane in metres, which is accurate enough for the length of a day's drive.
  private static func project(_ location: Location, around middle: Location) -> Point {
    let degree = 111_195.0
    // Across the antimeridian the shorter way counts.
    let turn = (location.longitude - middle.longitude + 540).truncatingRemainder(dividingBy: 360) - 180
    return Point(
      x: turn * degree * cos(middle.latitude * .pi / 180), y: (middle.latitude - location.latitude) * degree,
      accuracy: location.accuracy ?? 0)
  }

  private func x(_ point: Point) -> Double { Self.width / 2 + (point.x - center.x) * scale }
  private func y(_ point: Point) -> Double { (height - Self.footer) / 2 + (point.y - center.y) * scale }
  private func place(_ point: Point) -> String { "cx=\"\(number(x(point)))\" cy=\"\(number(y(point)))\"" }
  private func number(_ value: Double) -> String { Number.short(value, 1) }
}
