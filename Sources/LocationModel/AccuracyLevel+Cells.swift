// SPDX-License-Identifier: Apache-2.0
extension AccuracyLevel {
  /// The side of the cells that this level tells, metres; nil for ``exact``, which is not reduced. ``none`` has the
  /// coarsest, so that a mistake does not tell more than the least.
  public var cellSize: Double? {
    switch self {
    case .exact: nil
    case .street: 500
    case .neighborhood: 3_000
    case .city: 15_000
    case .country, .none: 300_000
    }
  }

  /// Seconds that pass between two updates of this level at least.
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
