// SPDX-License-Identifier: Apache-2.0
/// Limits the audit lines: one per program and outcome per ``window``, and at most ``linesPerUser`` per user.
nonisolated struct AuditLimiter {
  /// The time in microseconds during which a line is not repeated.
  static let window: Int64 = 60_000_000
  /// The maximum number of lines per user and window.
  static let linesPerUser = 30
  private static let capacity = 512

  /// Identifies lines that say the same.
  struct Subject: Hashable, Sendable {
    let unit: String?
    let desktopID: String
    let words: String
  }

  private struct Record {
    let begin: Int64
    var subjects: Set<Subject> = []
    var omitted = 0
  }

  private var users: [UInt32?: Record] = [:]

  /// Returns nil if a line must be omitted, otherwise the number of this user's lines omitted since the last written
  /// one.
  mutating func admit(_ subject: Subject, of user: UInt32?, at now: Int64) -> Int? {
    var record = users[user] ?? Record(begin: now)
    var omitted = 0
    if now - record.begin >= Self.window {
      omitted = record.omitted
      record = Record(begin: now)
    }
    let isNew = record.subjects.count < Self.linesPerUser && record.subjects.insert(subject).inserted
    if !isNew { record.omitted += 1 }
    users[user] = record
    if users.count > Self.capacity { users = users.filter { now - $0.value.begin < Self.window } }
    return isNew ? omitted : nil
  }
}
