// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistService

@Suite struct UserQuotaTests {
  @Test func `D23: eight users cannot take everything, and root still gets some`() {
    var quota = UserQuota()
    let taken = (1...8).map { quota.fill($0) }
    #expect(taken[0] == 512)
    #expect(quota.total < 4096 - 64)
    #expect(quota.fill(0) >= 64)
    #expect(quota.fill(99) >= 16)
  }

  @Test func `D23: thirty users leave something for the next one`() {
    var quota = UserQuota()
    for user: UInt32 in 1...30 { #expect(quota.fill(user) >= UserQuota.free) }
    #expect(quota.fill(31) >= UserQuota.free)
    #expect(quota.take(for: 0, perUser: 512, of: 4096) == nil, "root has its reserve")
  }

  @Test func `ten users may have a tenth each, and root still gets some`() {
    var quota = UserQuota()
    for user: UInt32 in 1...10 { #expect(quota.fill(user, perUser: 100, of: 1_000) == 100) }
    #expect(quota.fill(11, perUser: 100, of: 1_000) == 0)
    #expect(quota.fill(0, perUser: 100, of: 1_000) == 15)
  }

  @Test func `a user alone may have the whole limit per user`() {
    var quota = UserQuota()
    #expect(quota.fill(1000) == 512)
    #expect(quota.take(for: 1000, perUser: 512, of: 4096) == .user)
  }

  @Test func `a small whole is not shared but used up`() {
    var quota = UserQuota()
    #expect(quota.fill(1000, of: 10) == 10)
    #expect(quota.take(for: 1000, perUser: 512, of: 10) == .whole)
    #expect(quota.take(for: 1001, perUser: 512, of: 10) == .whole)
  }

  @Test func `a released place can be taken again`() {
    var quota = UserQuota()
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

extension UserQuota {
  /// Takes as much as there is for a user, and returns how much that was.
  fileprivate mutating func fill(_ user: UInt32, perUser: Int = 512, of whole: Int = 4096) -> Int {
    var count = 0
    while take(for: user, perUser: perUser, of: whole) == nil { count += 1 }
    return count
  }
}
