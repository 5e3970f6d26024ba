// SPDX-License-Identifier: Apache-2.0
/// The precision of a location. Raw values are GeoClue's.
public enum AccuracyLevel: UInt32, CaseIterable, Sendable {
  /// No location: location is turned off.
  case none = 0
  /// The country.
  case country = 1
  /// The city.
  case city = 4
  /// The neighbourhood.
  case neighborhood = 5
  /// The street.
  case street = 6
  /// The best available location.
  case exact = 8

  /// Creates the finest level that is no finer than `number`, so that an unknown number never gains accuracy: 2 and 3
  /// become ``country``, 7 becomes ``street``, and numbers above 8 become ``exact``.
  public init(rounding number: UInt32) {
    self =
      switch number {
      case 0: .none
      case 1..<4: .country
      case 4: .city
      case 5: .neighborhood
      case 6..<8: .street
      default: .exact
      }
  }

  /// Creates a level from its name in the D-Bus contract. Returns nil for any other string, including `none`, which
  /// cannot be requested.
  public init?(contractName: String) {
    guard let level = Self.allCases.first(where: { $0.contractName == contractName }), level != .none else {
      return nil
    }
    self = level
  }

  /// The name in the D-Bus contract.
  public var contractName: String {
    switch self {
    case .none: "none"
    case .country: "country"
    case .city: "city"
    case .neighborhood: "neighborhood"
    case .street: "street"
    case .exact: "exact"
    }
  }
}

extension AccuracyLevel: Comparable {
  /// Returns whether the left level is coarser.
  public static func < (left: AccuracyLevel, right: AccuracyLevel) -> Bool { left.rawValue < right.rawValue }
}

extension AccuracyLevel {
  /// The side length of this level's cells in metres, or nil for ``exact``, which is not reduced. ``none`` has the
  /// coarsest cells, so that a mistake reveals as little as possible.
  public var cellSize: Double? {
    switch self {
    case .exact: nil
    case .street: 500
    case .neighborhood: 3_000
    case .city: 15_000
    case .country, .none: 300_000
    }
  }

  /// The minimum time between two updates of this level.
  public var minimumInterval: Duration {
    switch self {
    case .exact: .zero
    case .street: .seconds(10)
    case .neighborhood: .seconds(60)
    case .city: .seconds(300)
    case .country, .none: .seconds(900)
    }
  }
}
