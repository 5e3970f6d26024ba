// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

@Suite struct AccountTests {
  private let ranges = SubordinateRanges(
    contents: """
      anna:100000:65536
      1001:165536:65536
      gone:231072:65536
      nonsense
      anna:4294967290:100
      empty:5:0
      """
  ) { $0 == "anna" ? 1_000 : nil }

  private func account(_ user: UInt32, _ login: Account.Login = .absent, isNamed: Bool = false) -> Account {
    Account(of: user, login: login, isNamed: isNamed, ranges)
  }

  @Test(arguments: [0, 1, 999, 61_184, 65_519] as [UInt32])
  func `a system user always has a separate account`(user: UInt32) {
    for login in [.unknown, .present, .absent, .untracked] as [Account.Login] {
      #expect(Account(of: user, login: login, isNamed: false, nil) == .user(user))
    }
  }

  @Test func `a user who is logged in or named by a rule has a separate account`() {
    #expect(account(1_000, .present) == .user(1_000))
    #expect(account(2_000, .absent, isNamed: true) == .user(2_000))
    #expect(account(100_007, .present) == .user(100_007), "even within another user's range")
  }

  @Test func `a user and all of the user's subordinate ids share one account`() {
    for login in [.unknown, .absent, .untracked] as [Account.Login] {
      let accounts = Set((100_000..<165_536 as Range<UInt32>).map { account($0, login) })
      #expect(accounts == [.user(1_000)])
    }
    #expect(account(165_536) == .user(1_001) && account(231_071) == .user(1_001))
    #expect(
      account(231_072) == .range(231_072) && account(296_607) == .range(231_072), "the owner of the range is unknown")
    #expect(account(4_294_967_295) == .user(1_000), "a range that does not fit ends with the last id")
  }

  @Test func `users who are not logged in share one account`() {
    for user in [1_000, 60_000, 61_183, 65_520, 65_534, 99_999, 296_608] as [UInt32] {
      #expect(account(user) == .common)
      #expect(account(user, .unknown) == .common, "until logind has answered")
    }
  }

  @Test func `subordinate ids share the common account if the file with their ranges cannot be read`() {
    for login in [.unknown, .absent, .untracked] as [Account.Login] {
      #expect(Account(of: 100_000, login: login, isNamed: false, nil) == .common)
    }
    #expect(Account(of: 1_000, login: .present, isNamed: false, nil) == .user(1_000))
  }

  @Test func `without logind, an id outside all subordinate ranges has a separate account`() {
    #expect(account(1_000, .untracked) == .user(1_000))
  }

  @Test func `if subordinate ranges overlap, the innermost one decides`() {
    let ranges = SubordinateRanges(contents: "1:100000:1000\n2:100100:10\n3:100100:20") { _ in nil }
    let owners = [100_099, 100_100, 100_115, 100_120].map { ranges.range(of: $0)?.owner }
    #expect(owners == [1, 3, 3, 1])
  }

  @Test func `a changed file of subordinate ranges is read when the next client arrives`() throws {
    let folder = TemporaryDirectory()
    func write(_ name: String, _ text: String) throws {
      try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    }
    try write("passwd", "anna:x:1000:1000::/:/bin/sh\n")
    let file = SubordinateFile(file: folder.file("subuid"), names: folder.file("passwd"))
    func owner(of user: UInt32) -> UInt32? { file.ranges?.range(of: user)?.owner }
    file.readIfChanged()
    #expect(file.ranges == nil, "there is no file")
    try write("subuid", "anna:100000:65536\n")
    #expect(file.ranges == nil)
    file.readIfChanged()
    #expect(owner(of: 100_000) == 1_000 && owner(of: 165_536) == nil)
    try write("subuid", "anna:100000:65536\n1001:165536:65536\n")
    file.readIfChanged()
    #expect(owner(of: 165_536) == 1_001)
    try write("subuid", String(repeating: "#", count: Int(SubordinateFile.largestSize) + 1))
    file.readIfChanged()
    #expect(file.ranges == nil, "it is too large")
    try FileManager.default.removeItem(atPath: folder.file("subuid"))
    file.readIfChanged()
    #expect(file.ranges == nil)
  }
}

/// In tests a number stands for the account of the user with that id.
nonisolated extension Account: ExpressibleByIntegerLiteral {
  public init(integerLiteral user: UInt32) { self = .user(user) }
}
