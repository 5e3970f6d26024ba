// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeoClue

@Suite nonisolated struct BackoffTests {
  @Test func `each delay is twice the previous one, up to a maximum`() {
    var backoff = Backoff(from: .milliseconds(100), to: .milliseconds(1_000))
    #expect((0..<6).map { _ in backoff.next(chance: 0.5).milliseconds } == [100, 200, 400, 800, 1_000, 1_000])
  }

  @Test func `a delay varies randomly by up to a quarter`() {
    for (chance, expected) in [(0.0, 750), (0.5, 1_000), (1.0, 1_250), (-3, 750), (7, 1_250)] as [(Double, Int64)] {
      var backoff = Backoff(from: .milliseconds(1_000), to: .milliseconds(60_000))
      #expect(backoff.next(chance: chance) == .milliseconds(expected))
    }
  }

  @Test func `after a success, the first delay is used again`() {
    var backoff = Backoff(from: .milliseconds(100), to: .milliseconds(1_000))
    for _ in 0..<5 { _ = backoff.next(chance: 0.5) }
    backoff.reset()
    #expect(backoff.next(chance: 0.5) == .milliseconds(100))
  }

  @Test func `a delay never exceeds the maximum plus a quarter`() {
    var backoff = Backoff(from: .milliseconds(60_000), to: .milliseconds(300_000))
    for _ in 0..<1_000 { #expect(backoff.next(chance: 1) <= .seconds(375)) }
  }
}
