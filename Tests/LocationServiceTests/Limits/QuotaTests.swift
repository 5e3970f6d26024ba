// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistService

@Suite("Limits")
struct LimitsTests {
  @Test func `a burst of calls is accepted, and then calls at the permitted rate`() {
    var bucket = TokenBucket(burst: 3, at: 0)
    func take(_ now: MonotonicInstant) -> Bool { bucket.take(burst: 3, perSecond: 2, at: now) }
    #expect([take(0), take(0), take(0), take(0)] == [true, true, true, false])
    #expect([take(499_000), take(500_000), take(500_000)] == [false, true, false])
    // A long pause fills it to the burst and no further.
    #expect([take(60_000_000), take(60_000_000), take(60_000_000), take(60_000_000)] == [true, true, true, false])
  }

  @Test func `a clock that goes back does not change the number of permitted calls`() {
    var bucket = TokenBucket(burst: 2, at: 1_000_000)
    func take() -> Bool { bucket.take(burst: 2, perSecond: 1, at: 0) }
    #expect([take(), take(), take()] == [true, true, false])
  }

  @Test func `the property Limits contains every limit`() {
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

  @Test func `the error LimitsExceeded names the limit`() {
    for key in Limits.Key.allCases {
      let error = DBusError.limitsExceeded(key)
      #expect(error.name.rawValue == "org.geopublicist.Location1.Error.LimitsExceeded")
      #expect(error.message.split(separator: " ").contains { $0 == key.rawValue })
    }
  }
}

@Suite struct TokenBucketTests {
  @Test func `an expensive call delays the next call`() {
    var bucket = TokenBucket(burst: 400, at: 0)
    func take(_ now: MonotonicInstant) -> Bool { bucket.take(burst: 400, perSecond: 400, at: now) }
    #expect(take(0))
    bucket.charge(599, burst: 400)
    #expect(!take(499_000))
    #expect(take(510_000))
  }

  @Test func `an expensive call delays the next calls by no more than one burst`() {
    var bucket = TokenBucket(burst: 10, at: 0)
    bucket.charge(1_000_000, burst: 10)
    func take(_ now: MonotonicInstant) -> Bool { bucket.take(burst: 10, perSecond: 10, at: now) }
    #expect(!take(1_000_000))
    #expect(take(1_200_000))
  }

  @Test func `the record of a caller that has not called recently can be removed`() {
    var bucket = TokenBucket(burst: 2, at: 0)
    func isFull(_ now: MonotonicInstant) -> Bool { bucket.isFull(burst: 2, perSecond: 1, at: now) }
    #expect(isFull(0))
    _ = bucket.take(burst: 2, perSecond: 1, at: 0)
    #expect(!isFull(500_000))
    #expect(isFull(1_000_000))
  }
}

@Suite struct QuotaTests {
  @Test func `eight users cannot use up the total limit, and a part is reserved for root`() {
    var quota = Quota()
    let taken = (1...8).map { quota.fill(.user($0)) }
    #expect(taken[0] == 512)
    #expect(quota.total < 4096 - 64)
    #expect(quota.fill(0) >= 64)
    #expect(quota.fill(99) >= 16)
  }

  @Test func `thirty users leave room for one more user`() {
    var quota = Quota()
    for user: UInt32 in 1...30 { #expect(quota.fill(.user(user)) >= Quota.free) }
    #expect(quota.fill(31) >= Quota.free)
    #expect(quota.take(for: 0, perAccount: 512, of: 4096) == nil, "root has its reserve")
  }

  @Test func `ten users leave room for one more user and more room for root`() {
    var quota = Quota()
    for user: UInt32 in 1...5 { #expect(quota.fill(.user(user), perAccount: 100, of: 1_000) == 100) }
    for user: UInt32 in 6...10 { #expect(quota.fill(.user(user), perAccount: 100, of: 1_000) > Quota.free) }
    #expect(quota.fill(11, perAccount: 100, of: 1_000) >= Quota.free)
    #expect(quota.fill(0, perAccount: 100, of: 1_000) >= Quota.free)
  }

  @Test func `a single user may use the whole per-user limit`() {
    var quota = Quota()
    #expect(quota.fill(1000) == 512)
    #expect(quota.take(for: 1000, perAccount: 512, of: 4096) == .account)
  }

  @Test func `a small total limit can be used up by one user`() {
    var quota = Quota()
    #expect(quota.fill(1000, of: 10) == 10)
    #expect(quota.take(for: 1000, perAccount: 512, of: 10) == .whole)
    #expect(quota.take(for: 1001, perAccount: 512, of: 10) == .whole)
  }

  @Test func `a released part of a quota can be used again`() {
    var quota = Quota()
    for _ in 0..<3 {
      #expect(quota.fill(1000) == 512)
      for _ in 0..<512 { quota.release(of: 1000) }
      #expect(quota.total == 0)
      #expect(quota.held(by: 1000) == 0)
    }
    quota.release(5, of: 7)
    #expect(quota.total == 0, "nothing is released that was not taken")
  }
}

extension Quota {
  /// Uses up everything that is available to an account, and returns the amount.
  fileprivate mutating func fill(_ account: Account, perAccount: Int = 512, of whole: Int = 4096) -> Int {
    var count = 0
    while take(for: account, perAccount: perAccount, of: whole) == nil { count += 1 }
    return count
  }
}

/// In tests a number stands for the account of the user with that id.
nonisolated extension Account: ExpressibleByIntegerLiteral {
  public init(integerLiteral user: UInt32) { self = .user(user) }
}
