// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

/// Logs each grant, refusal and revocation with user, level and reason. Never logs a coordinate.
package enum AuditLog {
  nonisolated enum Event: String, Sendable {
    case granted = "grant"
    case refused = "refusal"
    case undecided = "pending"
    case revoked = "revocation"
  }

  /// Logs the authorization that a client receives, unless it equals the one the client received before.
  ///
  /// - Parameter account: The client's account now.
  package static func note(
    _ authorization: Authorization, for client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String,
    chargedTo account: Account
  ) {
    let before = client.audited.updateValue(authorization, forKey: desktopID, asking: level)
    guard before != authorization else { return }
    let event: Event =
      switch authorization.status {
      case .authorizedAlways, .authorizedWhenInUse: .granted
      case _ where before?.isAuthorized == true: .revoked
      case .notDetermined: .undecided
      case .restricted, .denied: .refused
      }
    client.auditAccount = payer(before: client.auditAccount ?? client.account, now: account)
    write(event, authorization, client, level, desktopID, client.auditAccount ?? account)
  }

  /// Returns the account whose limit counts for a line. The lines of users who share ``Account/common`` must not suppress
  /// those of a user whose session begins or ends, so a client that has once had its own account keeps it here.
  nonisolated static func payer(before: Account?, now: Account) -> Account {
    before.flatMap { $0 == .common ? nil : $0 } ?? now
  }

  private static func write(
    _ event: Event, _ authorization: Authorization, _ client: GatekeeperClient, _ asked: AccuracyLevel,
    _ desktopID: String, _ account: Account
  ) {
    let user = client.credentials.map { "\($0.userID)" } ?? "unknown"
    let process = client.credentials?.processID.map { "\($0)" } ?? "unknown"
    let level = authorization.isAuthorized ? authorization.revealedLevel(asked: asked) : asked
    let reason = authorization.reason.rawValue
    let outcome = "status \(authorization.status.rawValue)" + (reason.isEmpty ? "" : ", reason \(reason)")
    let subject = AuditLimiter.Subject(
      unit: client.unit, desktopID: desktopID, words: "\(event.rawValue) \(user) \(level.contractName) \(outcome)")
    let now = MainLoop.main.clock.monotonic()
    guard let omitted = limiter.admit(subject, of: account, isGrant: event == .granted, at: now) else { return }
    var words = "\(event.rawValue): location, level \(level.contractName), user \(user), process \(process), \(outcome)"
    if omitted > 0 { words += ", \(omitted) more lines of this user omitted" }
    // Text chosen by the client comes last and quoted, so that it cannot pass for the service's own words.
    if !desktopID.isEmpty { words += ", desktop-id '\(desktopID.escapedForQuotes)'" }
    if let unit = client.unit { words += ", unit \(unit)" }
    Log.write(
      .notice, words,
      [
        ("GEOPUBLICIST_AUDIT", event.rawValue), ("GEOPUBLICIST_UID", user), ("GEOPUBLICIST_PID", process),
        ("GEOPUBLICIST_UNIT", client.unit ?? ""), ("GEOPUBLICIST_DESKTOP_ID", desktopID),
        ("GEOPUBLICIST_LEVEL", level.contractName), ("GEOPUBLICIST_STATUS", authorization.status.rawValue),
        ("GEOPUBLICIST_REASON", reason), ("GEOPUBLICIST_CONNECTION", client.name.rawValue),
      ])
  }

  private static var limiter = AuditLimiter()
}

/// The last authorization that one client received for each desktop-id and level.
nonisolated struct AuditedAnswers: Sendable {
  private struct Key: Hashable {
    let desktopID: String
    let level: AccuracyLevel
  }

  /// A client chooses its desktop-ids freely, so their number is bounded.
  private static let capacity = 64
  private var answers: [Key: Authorization] = [:]

  mutating func updateValue(
    _ answer: Authorization, forKey desktopID: String, asking level: AccuracyLevel
  ) -> Authorization? {
    let key = Key(desktopID: desktopID, level: level)
    if answers.count >= Self.capacity, answers[key] == nil { answers = [:] }
    return answers.updateValue(answer, forKey: key)
  }
}

/// Limits the audit lines: one per program, user and outcome per ``window``, at most ``linesPerAccount`` per account,
/// and at most ``lines`` in total, because journald drops what a unit writes beyond 10,000 lines in 30 seconds.
nonisolated struct AuditLimiter {
  /// The time during which a line is not repeated.
  static let window = Duration.seconds(60)
  /// The maximum number of lines per account and window.
  static let linesPerAccount = 30
  /// The time in which at most ``lines`` are written.
  static let totalWindow = Duration.seconds(30)
  static let lines = 2_000
  /// How many of these lines are reserved for grants.
  static let linesForGrants = 500
  private static let capacity = 512

  /// Identifies lines with the same content.
  struct Subject: Hashable, Sendable {
    let unit: String?
    let desktopID: String
    let words: String
  }

  private struct Record {
    let begin: MonotonicInstant
    var subjects: Set<Subject> = []
    var omitted = 0
  }

  private var accounts: [Account: Record] = [:]
  private var total: (begin: MonotonicInstant, lines: Int)?

  /// Returns nil if a line must be omitted, otherwise the number of this account's lines omitted since the last written
  /// one.
  mutating func admit(_ subject: Subject, of account: Account, isGrant: Bool, at now: MonotonicInstant) -> Int? {
    var total = total ?? (now, 0)
    if now - total.begin >= Self.totalWindow { total = (now, 0) }
    defer { self.total = total }
    var record = accounts[account] ?? Record(begin: now)
    var omitted = 0
    if now - record.begin >= Self.window {
      omitted = record.omitted
      record = Record(begin: now)
    }
    let hasRoom =
      record.subjects.count < Self.linesPerAccount && total.lines < Self.lines - (isGrant ? 0 : Self.linesForGrants)
    let isNew = hasRoom && record.subjects.insert(subject).inserted
    if isNew { total.lines += 1 } else { record.omitted += 1 }
    accounts[account] = record
    if accounts.count > Self.capacity { accounts = accounts.filter { now - $0.value.begin < Self.window } }
    return isNew ? omitted : nil
  }
}
