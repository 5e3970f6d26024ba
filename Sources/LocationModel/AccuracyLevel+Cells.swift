// SPDX-License-Identifier: Apache-2.0
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

  /// The minimum time between two updates of this level, in seconds.
  public var minimumInterval: UInt32 {
    switch self {
    case .exact: 0
    case .street: 10
    case .neighborhood: 60
    case .city: 300
    case .country, .none: 900
    }
  }
}
