// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@Suite struct FixArbiterTests {
  static let second = Duration.seconds(1)
  /// A thousandth of a degree of latitude, in metres.
  static let step = 111.195

  /// A fix `metres` north of a place, received at `at` seconds, and by default measured then.
  static func fix(
    _ accuracy: Double?, metres: Double = 0, at: UInt64, measured: UInt64? = nil, speed: Double? = nil,
    from source: SourceKind? = nil
  ) -> Location {
    var location = Location(
      latitude: 50 + metres / step / 1000, longitude: 8, accuracy: accuracy, speed: speed,
      timestamp: Timestamp(seconds: 1_800_000_000 + (measured ?? at)), receivedAt: at * second)
    if let source { location.source = source }
    return location
  }

  @Test func `the first fix is published`() {
    var arbiter = FixArbiter()
    let first = Self.fix(nil, at: 5)
    #expect(arbiter.published == nil && arbiter.heldUntil == nil)
    #expect(arbiter.accept(first, at: 5 * Self.second) == true)
    #expect(arbiter.published == first)
  }

  @Test(
    arguments: [
      ("a finer fix", fix(10, at: 100), fix(5, at: 101), .accepted),
      ("an equally fine fix", fix(10, at: 100), fix(10, at: 100), .accepted),
      ("the same measurement again", fix(10, at: 100), fix(10, at: 110, measured: 100), .accepted),
      ("a little coarser after a second", fix(10, at: 100), fix(25, at: 101), .accepted),
      ("much coarser after a second", fix(10, at: 100), fix(26, at: 101), .coarser),
      ("much coarser after ten seconds", fix(10, at: 100), fix(160, at: 110), .accepted),
      ("coarser, but the last fix was moving fast", fix(10, at: 100, speed: 80), fix(90, at: 101), .accepted),
      (
        "from the network address while a receiver is in use", fix(3, at: 100), fix(25_000, metres: 9000, at: 110),
        .coarser
      ),
      ("just before the last fix is stale", fix(3, at: 100), fix(25_000, metres: 9000, at: 129), .coarser),
      ("when the last fix is stale", fix(3, at: 100), fix(25_000, metres: 9000, at: 130), .accepted),
      ("the last fix is outside the new circle", fix(3, at: 100), fix(300, metres: 350, at: 102), .accepted),
      ("faster than any device, and coarse", fix(3, at: 100), fix(25_000, metres: 500_000, at: 102), .jump),
      ("as fast as some devices, and coarse", fix(3, at: 100), fix(25_000, metres: 26_000, at: 102), .accepted),
      ("as fine, but far away", fix(3, at: 100), fix(3, metres: 500_000, at: 101), .jump),
      ("at the greatest plausible speed", fix(0, at: 100), fix(0, metres: 514, at: 101), .accepted),
      ("a little above that speed", fix(0, at: 100), fix(0, metres: 517, at: 101), .jump),
      ("far away, but the last fix is stale", fix(3, at: 100), fix(3, metres: 500_000, at: 130), .accepted),
      ("finer and far away", fix(100, at: 100), fix(3, metres: 500_000, at: 101), .accepted),
      ("of unknown accuracy", fix(3, at: 100), fix(nil, at: 110), .coarser),
      ("the last fix has an unknown accuracy", fix(nil, at: 100), fix(25_000, at: 101), .accepted),
      ("both accuracies are unknown", fix(nil, at: 100), fix(nil, metres: 500, at: 101), .accepted),
      ("measured earlier", fix(3000, at: 100), fix(3, at: 101, measured: 99), .measuredEarlier),
      // Regression: it was dropped, although the source sends no other.
      (
        "asserted, but determined earlier", fix(3, at: 100), fix(25_000, at: 101, measured: 1, from: .ip),
        .determinedEarlier
      ),
      ("measured earlier, but the last fix is stale", fix(3, at: 100), fix(3, at: 130, measured: 1), .accepted),
      ("received earlier", fix(3, at: 100), fix(3, at: 99, measured: 100), .outOfOrder),
    ] as [(String, Location, Location, FixArbiter.Verdict)])
  func `a fix is judged by comparison with the last published fix`(
    _: String, last: Location, new: Location, expected: FixArbiter.Verdict
  ) {
    var arbiter = FixArbiter()
    #expect(arbiter.accept(last, at: last.receivedAt) == true)
    let now = max(last.receivedAt, new.receivedAt)
    #expect(arbiter.verdict(on: new, at: now) == expected)
    #expect(arbiter.accept(new, at: now) == (expected == .accepted))
    #expect(arbiter.published == (expected == .accepted ? new : last))
  }

  @Test func `a coarse fix is published when the last exact fix is 30 s old`() {
    var arbiter = FixArbiter()
    let (exact, coarse) = (Self.fix(3, at: 100), Self.fix(25_000, metres: 2000, at: 105))
    #expect(arbiter.accept(exact, at: 100 * Self.second) == true)
    #expect(arbiter.accept(coarse, at: 105 * Self.second) == false)
    #expect(arbiter.heldBack == coarse)
    #expect(arbiter.heldUntil == 130 * Self.second)
    #expect(arbiter.release(at: 130 * Self.second - 1) == nil)
    #expect(arbiter.published == exact)
    #expect(arbiter.release(at: 130 * Self.second) == coarse)
    #expect(arbiter.published == coarse)
    #expect(arbiter.heldUntil == nil)
    #expect(arbiter.release(at: 131 * Self.second) == nil)
  }

  @Test func `of several fixes that are held back, only the newest is kept`() {
    var arbiter = FixArbiter()
    #expect(arbiter.accept(Self.fix(3, at: 100), at: 100 * Self.second) == true)
    for time in [101, 102, 103] as [UInt64] {
      #expect(arbiter.accept(Self.fix(5000, at: time), at: time * Self.second) == false)
      #expect(arbiter.heldBack?.receivedAt == time * Self.second)
      #expect(arbiter.heldUntil == 130 * Self.second)
    }
    #expect(arbiter.accept(Self.fix(5000, at: 104, measured: 90), at: 104 * Self.second) == false)
    #expect(arbiter.heldBack?.receivedAt == 103 * Self.second)
    #expect(arbiter.accept(Self.fix(4, at: 105), at: 105 * Self.second) == true)
    #expect(arbiter.heldBack == nil && arbiter.heldUntil == nil)
  }

  @Test func `coarse fixes are not published while a receiver delivers exact ones`() {
    var arbiter = FixArbiter()
    for time in 0..<600 as Range<UInt64> {
      #expect(arbiter.accept(Self.fix(4, metres: Double(time), at: time), at: time * Self.second) == true)
      let fromNetwork = Self.fix(25_000, metres: 8000, at: time)
      #expect(arbiter.accept(fromNetwork, at: time * Self.second + Self.second / 2) == false)
    }
    #expect(arbiter.published?.accuracy == 4)
  }

  @Test func `a single fix that is far from all others is not published`() {
    var arbiter = FixArbiter()
    for time in 0..<100 as Range<UInt64> {
      let isWrong = time % 10 == 9
      let fix = Self.fix(1, metres: isWrong ? 5_000_000 : Double(time), at: time)
      #expect(arbiter.accept(fix, at: time * Self.second) == !isWrong)
      #expect((arbiter.heldUntil != nil) == isWrong)
      #expect(arbiter.release(at: time * Self.second + Self.second / 2) == nil)
    }
  }

  @Test func `a jump is published after a second fix has confirmed it, or after five seconds without a fix`() {
    var arbiter = FixArbiter()
    #expect(arbiter.accept(Self.fix(3, at: 0), at: 0) == true)
    let first = Self.fix(3, metres: 500_000, at: 1)
    #expect(arbiter.accept(first, at: 1 * Self.second) == false)
    #expect(
      arbiter.accept(Self.fix(3, metres: -500_000, at: 2), at: 2 * Self.second) == false, "they contradict each other")
    #expect(arbiter.accept(Self.fix(3, metres: -500_010, at: 3), at: 3 * Self.second) == true)
    #expect(arbiter.heldUntil == nil)
    let last = Self.fix(3, at: 4)
    #expect(arbiter.accept(last, at: 4 * Self.second) == false)
    #expect(arbiter.heldUntil == 9 * Self.second)
    #expect(arbiter.release(at: 9 * Self.second - 1) == nil)
    #expect(arbiter.release(at: 9 * Self.second) == last)
    #expect(arbiter.published == last)
  }

  /// Regression: each fix of unknown accuracy ended the wait for a confirmation.
  @Test func `a fix of unknown accuracy contradicts a jump only if it is nearer to the place before`() {
    for (metres, isConfirmed) in [(500_010, true), (10, false)] as [(Double, Bool)] {
      var arbiter = FixArbiter()
      #expect(arbiter.accept(Self.fix(3, at: 100), at: 100 * Self.second) == true)
      #expect(arbiter.accept(Self.fix(20, metres: 500_000, at: 101), at: 101 * Self.second) == false)
      #expect(arbiter.accept(Self.fix(nil, metres: metres, at: 102), at: 102 * Self.second) == false)
      #expect(arbiter.accept(Self.fix(25, metres: 500_020, at: 103), at: 103 * Self.second) == isConfirmed)
    }
  }

  @Test func `a jump waits no longer if its fix is coarser`() {
    var arbiter = FixArbiter()
    #expect(arbiter.accept(Self.fix(3, at: 0), at: 0) == true)
    let coarse = Self.fix(25_000, metres: 500_000, at: 1)
    #expect(arbiter.accept(coarse, at: 1 * Self.second) == false)
    #expect(arbiter.heldUntil == 6 * Self.second)
    var confirmed = arbiter
    #expect(arbiter.release(at: 6 * Self.second) == coarse)
    #expect(confirmed.accept(Self.fix(25_000, metres: 510_000, at: 2), at: 2 * Self.second) == true)
  }

  /// Regression: after a refusal, a program received the place that the source had asserted before.
  @Test(arguments: [SourceKind.ip, .static])
  func `another place that a source asserts is published immediately`(source: SourceKind) {
    var arbiter = FixArbiter()
    #expect(arbiter.accept(Self.fix(20, at: 100, from: source), at: 100 * Self.second) == true)
    #expect(arbiter.accept(Self.fix(11, metres: 500_000, at: 120, from: source), at: 120 * Self.second) == true)
    #expect(arbiter.accept(Self.fix(11, at: 121, from: source == .ip ? .static : .ip), at: 121 * Self.second) == false)
  }

  @Test func `in a replayed track, jumps are published immediately`() {
    var arbiter = FixArbiter()
    for time in 0..<100 as Range<UInt64> {
      var fix = Self.fix(time % 2 == 0 ? 1 : 5_000, metres: Double(time % 3) * 1_000_000, at: 0)
      fix.source = .replay
      #expect(arbiter.accept(fix, at: .seconds(time)) == true)
    }
  }

  @Test func `a jump that waits is not lost when an earlier coarse fix is due`() {
    var arbiter = FixArbiter()
    #expect(arbiter.accept(Self.fix(10, at: 100), at: 100 * Self.second) == true)
    #expect(arbiter.accept(Self.fix(5_000, at: 101), at: 101 * Self.second) == false)
    let jump = Self.fix(3, metres: 500_000, at: 128)
    #expect(arbiter.accept(jump, at: 128 * Self.second) == false)
    #expect(arbiter.heldUntil == 133 * Self.second)
    #expect(arbiter.release(at: 130 * Self.second) == nil)
    #expect(arbiter.release(at: 133 * Self.second) == jump)
  }

  @Test func `after a suspend, fixes from before it are rejected`() {
    var arbiter = FixArbiter()
    #expect(arbiter.accept(Self.fix(3, at: 100), at: 100 * Self.second) == true)
    #expect(arbiter.accept(Self.fix(5000, at: 101), at: 101 * Self.second) == false)
    arbiter.forget(at: 9000 * Self.second)
    #expect(arbiter.published == nil && arbiter.heldBack == nil && arbiter.heldUntil == nil)
    #expect(arbiter.release(at: 9999 * Self.second) == nil)
    #expect(arbiter.verdict(on: Self.fix(3, at: 8999), at: 9001 * Self.second) == .outOfOrder)
    #expect(arbiter.accept(Self.fix(3, at: 8999), at: 9001 * Self.second) == false)
    #expect(arbiter.accept(Self.fix(25_000, at: 9000), at: 9001 * Self.second) == true)
  }

  @Test func `after the clock was set back, new fixes are accepted immediately`() {
    var arbiter = FixArbiter()
    #expect(arbiter.accept(Self.fix(3, at: 100), at: 100 * Self.second) == true)
    let new = Self.fix(3, at: 101, measured: 5)
    #expect(arbiter.verdict(on: new, at: 101 * Self.second) == .measuredEarlier)
    arbiter.forget(at: 101 * Self.second)
    #expect(arbiter.accept(new, at: 101 * Self.second) == true)
  }

  @Test func `a fix of the same second was not measured earlier`() {
    var arbiter = FixArbiter()
    var first = Self.fix(10, at: 100)
    first.timestamp = Timestamp(seconds: first.timestamp.seconds, microseconds: 700_000)
    #expect(arbiter.accept(first, at: 100 * Self.second) == true)
    #expect(arbiter.verdict(on: Self.fix(10, at: 100), at: 100 * Self.second) == .accepted)
  }

  @Test func `times at the end of the clock's range do not overflow`() {
    var arbiter = FixArbiter()
    var last = Self.fix(3, at: 0)
    last.receivedAt = .max - 1
    #expect(arbiter.accept(last, at: .max) == true)
    var coarse = Self.fix(5000, at: 1)
    coarse.receivedAt = .max
    #expect(arbiter.accept(coarse, at: .max) == false)
    #expect(arbiter.heldUntil.map { $0 > .max } == true)
  }
}
