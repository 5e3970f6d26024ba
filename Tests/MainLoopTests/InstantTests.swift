// SPDX-License-Identifier: Apache-2.0
import MainLoop
import Testing

@Suite struct InstantTests {
  @Test(arguments: [Int64.min, -1, 0, 1, 1_763_704_000_123_456, .max])
  func `an instant made from microseconds converts back to the same number`(microseconds: Int64) {
    let time = MonotonicInstant(microseconds: microseconds)
    #expect(time.sinceOrigin.microseconds == microseconds)
    #expect(time.microseconds == UInt64(max(0, microseconds)))
  }

  @Test func `instants beyond the representable range are clamped, and adding to them does not trap`() {
    #expect(BootInstant(microseconds: UInt64.max) == .distantFuture)
    let span = BootInstant.distantFuture - .distantPast
    #expect(BootInstant.distantFuture + span + span > .distantFuture)
    #expect((BootInstant.distantFuture + span).microseconds == UInt64(Int64.max))
    #expect((BootInstant.distantPast - span).microseconds == 0)
  }

  @Test func `conversions of durations to integers round down and are clamped`() {
    #expect(Duration.nanoseconds(1_999_999).microseconds == 1_999)
    #expect(Duration.nanoseconds(1_999_999).milliseconds == 1)
    #expect(Duration.milliseconds(1_500).seconds == 1.5)
    #expect(Duration.seconds(Int64.max).microseconds == .max)
  }
}
