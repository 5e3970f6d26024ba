// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Divides the Earth into cells: bands of equal latitude, each divided into equal longitudes.
///
/// The grid has no configuration or seed, so any two services return the same centre for the same cell. No cell is
/// smaller than `cellSize` in either direction, so the number of cells in a band is determined by its edge nearer to a
/// pole. A band that touches a pole is one round cell with the pole at its centre. Columns start at the antimeridian,
/// so no cell lies across it.
struct Grid: Sendable {
  /// A cell, identified by its band from the south pole and its column eastwards from the antimeridian.
  struct Cell: Hashable, Sendable {
    var band: Int
    var column: Int
  }

  /// The minimum size of a cell from north to south and from east to west, in metres.
  let cellSize: Double
  let bands: Int
  let height: Double

  init(cellSize: Double) {
    self.cellSize = cellSize
    bands = Int(.pi * Earth.smallestRadius / cellSize)
    height = 180 / Double(bands)
  }

  func columns(inBand band: Int) -> Int {
    let poleward = max(abs(south(ofBand: band)), abs(south(ofBand: band + 1)))
    let circumference = 2 * .pi * Earth.smallestRadius * cos(poleward.radians)
    return max(1, Int(circumference / cellSize))
  }

  func cell(latitude: Double, longitude: Double) -> Cell {
    let band = min(max(Int((latitude + 90) / height), 0), bands - 1)
    let columns = columns(inBand: band)
    let column = min(Int(Angle.wrapped(longitude + 180) / 360 * Double(columns)), columns - 1)
    return Cell(band: band, column: column)
  }

  /// Returns the centre of a cell, the only position that is ever revealed for it.
  func center(of cell: Cell) -> Location {
    let columns = columns(inBand: cell.band)
    guard columns > 1 else { return Location(latitude: cell.band == 0 ? -90 : 90, longitude: 0) }
    return Location(
      latitude: south(ofBand: cell.band) + height / 2,
      longitude: (Double(cell.column) + 0.5) * 360 / Double(columns) - 180)
  }

  /// Returns whether a position is inside a cell or outside by no more than `margin` of the cell's size.
  func contains(_ cell: Cell, latitude: Double, longitude: Double, margin: Double) -> Bool {
    let middle = south(ofBand: cell.band) + height / 2
    guard abs(latitude - middle) <= height * (0.5 + margin) else { return false }
    let columns = columns(inBand: cell.band)
    guard columns > 1 else { return true }
    let away = Angle.difference(from: center(of: cell).longitude, to: longitude)
    return abs(away) <= 360 / Double(columns) * (0.5 + margin)
  }

  /// Returns the distance in metres from the centre to the farthest position that
  /// ``contains(_:latitude:longitude:margin:)`` accepts.
  func reach(of cell: Cell, margin: Double) -> Double {
    let center = center(of: cell)
    let columns = columns(inBand: cell.band)
    let halfWidth = columns > 1 ? 360 / Double(columns) * (0.5 + margin) : 180
    let edges = [south(ofBand: cell.band) - height * margin, south(ofBand: cell.band + 1) + height * margin]
    return edges.reduce(0) { farthest, edge in
      let corner = Location(latitude: min(max(edge, -90), 90), longitude: center.longitude + halfWidth)
      return max(farthest, center.distance(to: corner))
    }
  }

  private func south(ofBand band: Int) -> Double { Double(band) * height - 90 }
}

enum Angle {
  static func wrapped(_ degrees: Double) -> Double {
    let rest = fmod(degrees, 360)
    let positive = rest < 0 ? rest + 360 : rest
    // The addition rounds a tiny negative number up to 360.
    return positive < 360 ? positive + 0 : 0
  }

  /// Returns the shorter way from one longitude to another, from -180 up to but not including 180 degrees.
  static func difference(from start: Double, to end: Double) -> Double { wrapped(end - start + 180) - 180 }
}

extension Double {
  var radians: Double { self * .pi / 180 }
}
