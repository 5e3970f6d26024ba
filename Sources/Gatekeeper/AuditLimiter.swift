// SPDX-License-Identifier: Apache-2.0
/// Chooses which audit lines are written: one for each program and outcome in a while, and not too many for a user.
nonisolated struct AuditLimiter {
  /// Microseconds in which a line of a program is not repeated.
  static let window: Int64 = 60_000_000
  /// How many lines a user has in that time.
  static let linesPerUser = 30
  private static let capacity = 512

  /// What lines have in common that say the same.
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

  /// Whether a line may be written, and how many of this user have been left out since the last one; nil leaves it out.
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
