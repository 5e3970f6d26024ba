// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Random numbers that are the same in each run (SplitMix64), so that a failure can be repeated.
public nonisolated struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: some BinaryInteger) { state = UInt64(truncatingIfNeeded: seed) }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  public mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// Returns a number of the normal distribution with mean 0 and deviation 1.
  public mutating func nextNormal() -> Double {
    let radius = (-2 * log(Double.random(in: Double.leastNonzeroMagnitude...1, using: &self))).squareRoot()
    return radius * cos(Double.random(in: 0...(2 * .pi), using: &self))
  }
}
