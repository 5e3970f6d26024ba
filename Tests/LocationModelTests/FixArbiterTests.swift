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
    _ accuracy: Double?, metres: Double = 0, at: UInt64, measured: UInt64? = nil, speed: Double? = nil
  ) -> Location {
    Location(
      latitude: 50 + metres / step / 1000, longitude: 8, accuracy: accuracy, speed: speed,
      timestamp: Timestamp(seconds: 1_800_000_000 + (measured ?? at)), receivedAt: at * second)
  }

  @Test func `the first fix is always published`() {
    var arbiter = FixArbiter()
    let first = Self.fix(nil, at: 5)
    #expect(arbiter.published == nil && arbiter.heldUntil == nil)
    #expect(arbiter.accept(first, at: 5 * Self.second) == true)
    #expect(arbiter.published == first)
  }

  @Test(
    arguments: [
      ("finer", fix(10, at: 100), fix(5, at: 101), .accepted),
      ("as fine", fix(10, at: 100), fix(10, at: 100), .accepted),
      ("the same again", fix(10, at: 100), fix(10, at: 110, measured: 100), .accepted),
      ("a little coarser after a second", fix(10, at: 100), fix(25, at: 101), .accepted),
      ("coarser after a second", fix(10, at: 100), fix(26, at: 101), .coarser),
      ("coarser after ten seconds", fix(10, at: 100), fix(160, at: 110), .accepted),
      ("coarser, but the old one was on a train", fix(10, at: 100, speed: 80), fix(90, at: 101), .accepted),
      ("the network address beside a receiver", fix(3, at: 100), fix(25_000, metres: 9000, at: 110), .coarser),
      ("the same just before it is stale", fix(3, at: 100), fix(25_000, metres: 9000, at: 129), .coarser),
      ("the same when it is stale", fix(3, at: 100), fix(25_000, metres: 9000, at: 130), .accepted),
      ("one has left the circle", fix(3, at: 100), fix(300, metres: 350, at: 102), .accepted),
      ("nobody is so fast", fix(3, at: 100), fix(25_000, metres: 500_000, at: 102), .implausible),
      ("but somebody is", fix(3, at: 100), fix(25_000, metres: 26_000, at: 102), .accepted),
      ("as fine, from far away", fix(3, at: 100), fix(3, metres: 500_000, at: 101), .jump),
      ("as fast as can be", fix(0, at: 100), fix(0, metres: 514, at: 101), .accepted),
      ("a little faster", fix(0, at: 100), fix(0, metres: 517, at: 101), .jump),
      ("faster, but the last one is stale", fix(3, at: 100), fix(3, metres: 500_000, at: 130), .accepted),
      ("a finer one from far away", fix(100, at: 100), fix(3, metres: 500_000, at: 101), .accepted),
      ("nobody knows how coarse", fix(3, at: 100), fix(nil, at: 110), .coarser),
      ("now one knows how coarse", fix(nil, at: 100), fix(25_000, at: 101), .accepted),
      ("neither knows", fix(nil, at: 100), fix(nil, metres: 500, at: 101), .accepted),
      ("measured earlier", fix(3000, at: 100), fix(3, at: 101, measured: 99), .measuredEarlier),
      ("measured earlier, but the last one is stale", fix(3, at: 100), fix(3, at: 130, measured: 1), .accepted),
      ("received earlier", fix(3, at: 100), fix(3, at: 99, measured: 100), .outOfOrder),
    ] as [(String, Location, Location, FixArbiter.Verdict)])
  func `a new fix is compared with the last published one`(
    _: String, last: Location, new: Location, expected: FixArbiter.Verdict
  ) {
    var arbiter = FixArbiter()
    #expect(arbiter.accept(last, at: last.receivedAt) == true)
    let now = max(last.receivedAt, new.receivedAt)
    #expect(arbiter.verdict(on: new, at: now) == expected)
    #expect(arbiter.accept(new, at: now) == (expected == .accepted))
    #expect(arbiter.published == (expected == .accepted ? new : last))
  }

  @Test func `a stale exact fix does not hide a newer coarse one`() {
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

  @Test func `the newest held fix is kept until a good one replaces it`() {
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

  @Test func `an active receiver is never displaced`() {
    var arbiter = FixArbiter()
    for time in 0..<600 as Range<UInt64> {
      #expect(arbiter.accept(Self.fix(4, metres: Double(time), at: time), at: time * Self.second) == true)
      let fromNetwork = Self.fix(25_000, metres: 8000, at: time)
      #expect(arbiter.accept(fromNetwork, at: time * Self.second + Self.second / 2) == false)
    }
    #expect(arbiter.published?.accuracy == 4)
  }

  @Test func `a single jump is never published`() {
    var arbiter = FixArbiter()
    for time in 0..<100 as Range<UInt64> {
      let isWrong = time % 10 == 9
      let fix = Self.fix(1, metres: isWrong ? 5_000_000 : Double(time), at: time)
      #expect(arbiter.accept(fix, at: time * Self.second) == !isWrong)
      #expect((arbiter.heldUntil != nil) == isWrong)
      #expect(arbiter.release(at: time * Self.second + Self.second / 2) == nil)
    }
  }

  @Test func `a jump is published when a second fix confirms it or no fix arrives for five seconds`() {
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

  @Test func `jumps in a replayed track are published`() {
    var arbiter = FixArbiter()
    for time in 0..<100 as Range<UInt64> {
      var fix = Self.fix(time % 2 == 0 ? 1 : 5_000, metres: Double(time % 3) * 1_000_000, at: 0)
      fix.source = .replay
      #expect(arbiter.accept(fix, at: .seconds(time)) == true)
    }
  }

  @Test func `after a suspend, older fixes are rejected`() {
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

  @Test func `once the clock was set back, new fixes are accepted immediately`() {
    var arbiter = FixArbiter()
    #expect(arbiter.accept(Self.fix(3, at: 100), at: 100 * Self.second) == true)
    let new = Self.fix(3, at: 101, measured: 5)
    #expect(arbiter.verdict(on: new, at: 101 * Self.second) == .measuredEarlier)
    arbiter.forget(at: 101 * Self.second)
    #expect(arbiter.accept(new, at: 101 * Self.second) == true)
  }

  @Test func `times at the end of the range do not overflow`() {
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
