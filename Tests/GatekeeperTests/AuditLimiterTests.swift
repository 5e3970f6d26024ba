// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistGatekeeper

/// Which audit lines are written.
@Suite struct AuditLimiterTests {
  private func subject(_ desktopID: String = "", _ words: String = "grant") -> AuditLimiter.Subject {
    AuditLimiter.Subject(unit: "session-2.scope", desktopID: desktopID, words: words)
  }

  @Test func `a program that is called every second has one line a minute`() {
    var limiter = AuditLimiter()
    var lines = 0
    for second in 0..<86_400 as Range<Int64> where limiter.admit(subject(), of: 1_000, at: second * 1_000_000) != nil {
      lines += 1
    }
    #expect(lines == 1_440)
  }

  @Test func `another outcome, program or user gets a separate line`() {
    var limiter = AuditLimiter()
    #expect(limiter.admit(subject(), of: 1, at: 0) == 0)
    #expect(limiter.admit(subject("", "revocation"), of: 1, at: 1) == 0)
    #expect(limiter.admit(subject("a"), of: 1, at: 2) == 0)
    #expect(limiter.admit(subject(), of: 2, at: 3) == 0)
    #expect(limiter.admit(subject(), of: 1, at: 4) == nil)
    #expect(limiter.admit(subject(), of: 1, at: AuditLimiter.window) == 1, "the next line counts what was left out")
  }

  /// One user wrote thousands of lines in a few seconds, under as many names.
  @Test func `a user has only so many lines, whatever its programs are called`() {
    var limiter = AuditLimiter()
    let lines = (0..<10_000).filter { limiter.admit(subject("\($0)"), of: 1, at: 0) != nil }.count
    #expect(lines == AuditLimiter.linesPerUser)
    #expect(limiter.admit(subject(), of: 2, at: 0) == 0)
    #expect(limiter.admit(subject(), of: 1, at: AuditLimiter.window) == 10_000 - AuditLimiter.linesPerUser)
  }
}
