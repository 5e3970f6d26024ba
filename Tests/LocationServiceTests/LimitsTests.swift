// SPDX-License-Identifier: Apache-2.0
import DBus
import Testing

@testable import GeopublicistService

@Suite("Limits")
struct LimitsTests {
  @Test func `a burst passes, then the rate per second`() {
    var bucket = TokenBucket(burst: 3, at: 0)
    func take(_ now: Int64) -> Bool { bucket.take(burst: 3, perSecond: 2, at: now) }
    #expect([take(0), take(0), take(0), take(0)] == [true, true, true, false])
    #expect([take(499_000), take(500_000), take(500_000)] == [false, true, false])
    // A long pause fills it to the burst and no further.
    #expect([take(60_000_000), take(60_000_000), take(60_000_000), take(60_000_000)] == [true, true, true, false])
  }

  @Test func `a clock that goes back neither adds nor removes tokens`() {
    var bucket = TokenBucket(burst: 2, at: 1_000_000)
    func take() -> Bool { bucket.take(burst: 2, perSecond: 1, at: 0) }
    #expect([take(), take(), take()] == [true, true, false])
  }

  @Test func `the property has every limit under its name`() {
    let limits = Limits()
    guard case .dictionary(let key, let value, let entries) = limits.value else {
      Issue.record("not a dictionary")
      return
    }
    #expect(key == "s" && value == "u")
    #expect(Set(entries.compactMap(\.key.string)) == Set(Limits.Key.allCases.map(\.rawValue)))
    #expect(limits[.subscriptions] == 4096)
    #expect(limits[.messageBytes] == 65_536)
  }

  @Test func `the error names the limit`() {
    for key in Limits.Key.allCases {
      let error = DBusError.limitsExceeded(key)
      #expect(error.name.rawValue == "org.geopublicist.Location1.Error.LimitsExceeded")
      #expect(error.message.split(separator: " ").contains { $0 == key.rawValue })
    }
  }
}
