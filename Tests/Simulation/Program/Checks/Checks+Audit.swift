// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// The lines that the service writes to its log for the administrator.
final class Audit {
  struct Line {
    let time: Int64
    let event: String
    let user: String
  }

  /// The lines of the last two minutes.
  private(set) var lines: [Line] = []
  /// When access was last granted to each user, and when a limit may last have suppressed further lines.
  private(set) var grants: [String: Int64] = [:]
  /// When a decision was last explained.
  private(set) var explainedAt: Int64 = .min / 2
  private(set) var limited: [String: Int64] = [:]

  func add(_ line: Line) {
    lines.removeAll { $0.time < line.time - 120_000_000 }
    lines.append(line)
    if line.event == "grant" { grants[line.user] = line.time }
    if lines.count(where: { $0.user == line.user && $0.time >= line.time - 60_000_000 }) >= 29 {
      limited[line.user] = line.time
    }
  }

  func explain(_ text: String, at time: Int64) { if text.hasPrefix("Decision") { explainedAt = time } }

  func count(of user: UInt32, since time: Int64) -> Int { lines.count { $0.user == "\(user)" && $0.time >= time } }

  func hasRevoked(_ user: UInt32, since time: Int64) -> Bool {
    lines.contains { $0.user == "\(user)" && $0.event == "revocation" && $0.time >= time }
  }
}

extension Checks {
  /// Checks that a text for administrators, or of an error, shows no place and no object.
  func checkRevealsNothing(_ text: String) {
    // Three decimals, which also rounded values show.
    let places = [world.place(isOther: false), world.place(isOther: true)].map { latitude in
      let digits = "\(latitude)"
      return digits.firstIndex(of: ".").map { String(digits[...$0]) + digits[$0...].dropFirst().prefix(3) } ?? digits
    }
    let secrets = places + ["/subscription/", "/region/", "/almanac/"]
    if secrets.contains(where: text.contains) { broken("no text shows a place or an object", text) }
  }

  /// The most lines about one user in a minute, which may overlap two minutes of the service's limit. A user who loses
  /// the session, and thus the account, during it has a third one; so has a user whose session the service did not know,
  /// because logind was slow.
  private var mostLines: Int {
    let isKnown = world.logind.answersSoon && world.logind.slowAt < world.schedule.now - 120_000_000
    return world.truth.hasSessionEnded || !isKnown ? 93 : 62
  }

  /// The service could not open a connection.
  func attemptFailed(to purpose: String) {
    let now = world.schedule.now
    failedAttempts.removeAll { $0.time < now - 950_000 }
    if failedAttempts.contains(where: { $0.purpose == purpose }) {
      broken("a connection that cannot be opened is tried again after a pause", purpose)
    }
    failedAttempts.append((now, purpose))
  }

  func logged(_ line: Audit.Line) {
    audit.add(line)
    guard let user = UInt32(line.user) else { return }
    let count = audit.count(of: user, since: line.time - 60_000_000)
    if count > mostLines { broken("the log has few lines about one user", "\(count) in a minute about \(user)") }
  }

  /// Whether the service may have left out lines about a user.
  private func isLimited(_ user: UInt32, since time: Int64) -> Bool {
    audit.limited["\(user)"].map { $0 >= time - 61_000_000 } ?? false
  }

  func granted(_ client: Client, _ parcel: Parcel) {
    // A line with the same content about another program of the user also covers this one.
    let since = client.connectedAt - 61_000_000
    guard audit.grants["\(client.user)"].map({ $0 < since }) ?? true, !isLimited(client.user, since: client.connectedAt)
    else { return }
    broken("the log contains each grant of a location", "client \(client.number): \(parcel.story)")
  }

  /// Checks that the loss of access that follows immediately is logged. Earlier ones have other reasons, so the log's limit
  /// does not omit this line as a repetition.
  func losesAccess(_ client: Client) {
    let begin = world.schedule.now
    let isAuthorized = client.subscriptions.contains {
      $0.isStarted && $0.told?.status.hasPrefix("authorized") == true
    }
    guard isAuthorized, client.entitlement.level == .exact else { return }
    world.schedule.after(500_000) { [self] in
      guard client.entitlement.level == .none, !isLimited(client.user, since: begin),
        !audit.hasRevoked(client.user, since: begin)
      else { return }
      broken("the log contains each loss of access", "client \(client.number), 0.5 s after its agent changed")
    }
  }

  /// A client has received its authorization.
  func told(_ client: Client, _ status: String, before: String?) {
    guard let before, before.hasPrefix("authorized"), !status.hasPrefix("authorized"), client.isReading,
      world.schedule.now - client.readSince > 1_000_000
    else { return }
    let now = world.sentSince
    // If a client has many names, the log does not distinguish a loss from a refusal.
    if !isLimited(client.user, since: now), !client.hasManyNames,
      !audit.hasRevoked(client.user, since: now - 61_000_000)
    {
      broken("the log contains each loss of access", "client \(client.number), now \(status)")
    }
  }
}
