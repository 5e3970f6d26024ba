// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistService

@Suite struct UserQuotaTests {
  /// Expectations cannot call what mutates a value.
  private final class Quota {
    private var value = UserQuota()

    var total: Int { value.total }
    func held(by user: UInt32) -> Int { value.held(by: user) }
    func take(for user: UInt32, perUser: Int, of whole: Int) -> UserQuota.Refusal? {
      value.take(for: user, perUser: perUser, of: whole)
    }
    func release(_ amount: Int = 1, of user: UInt32) { value.release(amount, of: user) }
  }

  private func fill(_ quota: Quota, _ user: UInt32, perUser: Int = 512, of whole: Int = 4096) -> Int {
    var count = 0
    while quota.take(for: user, perUser: perUser, of: whole) == nil { count += 1 }
    return count
  }

  @Test func `D23: eight users cannot take everything, and root still gets some`() {
    let quota = Quota()
    let taken = (1...8).map { fill(quota, $0) }
    #expect(taken[0] == 512)
    #expect(quota.total < 4096 - 64)
    #expect(fill(quota, 0) >= 64)
    #expect(fill(quota, 99) >= 16)
  }

  @Test func `D23: thirty users leave something for the next one`() {
    let quota = Quota()
    for user: UInt32 in 1...30 { #expect(fill(quota, user) >= UserQuota.free) }
    #expect(fill(quota, 31) >= UserQuota.free)
    #expect(quota.take(for: 0, perUser: 512, of: 4096) == nil, "root has its reserve")
  }

  @Test func `ten users may have a tenth each, and root still gets some`() {
    let quota = Quota()
    for user: UInt32 in 1...10 { #expect(fill(quota, user, perUser: 100, of: 1_000) == 100) }
    #expect(fill(quota, 11, perUser: 100, of: 1_000) == 0)
    #expect(fill(quota, 0, perUser: 100, of: 1_000) == 15)
  }

  @Test func `a user alone may have the whole limit per user`() {
    let quota = Quota()
    #expect(fill(quota, 1000) == 512)
    #expect(quota.take(for: 1000, perUser: 512, of: 4096) == .user)
  }

  @Test func `a small whole is not shared but used up`() {
    let quota = Quota()
    #expect(fill(quota, 1000, of: 10) == 10)
    #expect(quota.take(for: 1000, perUser: 512, of: 10) == .whole)
    #expect(quota.take(for: 1001, perUser: 512, of: 10) == .whole)
  }

  @Test func `a released place can be taken again`() {
    let quota = Quota()
    for _ in 0..<3 {
      #expect(fill(quota, 1000) == 512)
      for _ in 0..<512 { quota.release(of: 1000) }
      #expect(quota.total == 0)
      #expect(quota.held(by: 1000) == 0)
    }
    quota.release(5, of: 7)
    #expect(quota.total == 0, "nothing is released that was not taken")
  }
}
