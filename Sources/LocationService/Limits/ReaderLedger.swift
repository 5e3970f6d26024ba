// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel

/// Tracks what has been sent to each client since it last proved that it reads.
///
/// dbus-daemon charges messages that a client leaves unread to their *sender*, and stops reading from the sender at 127
/// MiB. A client that does not read must therefore be sent only a limited amount. Two sums are kept for each client:
///
/// - the **tally**: bytes sent since the last sign of life, which is a call or an answer to a ping;
/// - the **unproven** bytes: bytes sent since the last answer to a ping. A call proves that a client writes, not that
///   it reads, so a client that only calls is pinged, too. These bytes are slowly forgiven, for programs that make one
///   blocking call after another and never process anything else.
///
/// The unproven bytes of all clients of an account together are limited as well, because a user may have hundreds of
/// connections.
nonisolated struct ReaderLedger<Client: Hashable>: Sendable where Client: Sendable {
  struct Thresholds: Sendable {
    /// The tally, or the unproven bytes, at which a ping is sent.
    var ping = 256 * 1024
    /// How long a ping may stay unanswered.
    var patience = Duration.seconds(5)
    /// The tally at which nothing more is sent while a ping is unanswered.
    var suspend = 1024 * 1024
    /// The unproven bytes at which nothing more is sent while a ping is unanswered.
    var unproven = 4 * 1024 * 1024
    /// The number of unproven bytes per client that are forgiven each second.
    var forgivenPerSecond = 8 * 1024
    /// The number of unproven bytes of an account that are forgiven each second.
    var forgivenOfAccount = 32 * 1024
    /// The number of an account's unproven bytes at which its clients are pinged at a sixteenth of the usual tally.
    var accountPing = 4 * 1024 * 1024
    /// The number of an account's unproven bytes at which its clients are sent nothing while they owe an answer.
    var account = 16 * 1024 * 1024
    /// The number of all accounts' unproven bytes above which each account may have only a quarter of ``account``.
    var all = 48 * 1024 * 1024
  }

  /// How much a client may be sent.
  enum State: Equatable, Sendable {
    case reading
    /// Only the newest location, once a minute.
    case reduced
    /// Nothing until the next sign of life. Calls that are no sign of life are dropped.
    case suspended
  }

  private struct Entry {
    var account: Account
    var tally = 0
    var unproven = 0
    var forgivenAt: MonotonicInstant
    /// When the first ping without an answer was sent, and the last one.
    var pingedAt: MonotonicInstant?
    var lastPing = MonotonicInstant.origin
    /// Whether the answer to the last one is no longer awaited.
    var isAbandoned = false
  }

  /// The unproven bytes of an account, and how many may be forgiven.
  private struct Load {
    var bytes = 0
    var forgivable = 0.0
    var updatedAt: MonotonicInstant?
  }

  private let thresholds: Thresholds
  private var entries: [Client: Entry] = [:]
  private var loads: [Account: Load] = [:]
  private var unprovenOfAll = 0

  init(_ thresholds: Thresholds = Thresholds()) { self.thresholds = thresholds }

  /// Counts bytes sent to a client. Returns whether to ping it now. Call ``pinged(_:at:)`` if that was possible.
  mutating func sent(_ bytes: Int, to client: Client, of account: Account, at now: MonotonicInstant) -> Bool {
    var entry = entries[client] ?? Entry(account: account, forgivenAt: now)
    if entry.account != account { move(&entry, to: account) }
    forgive(&entry, at: now)
    entry.tally += bytes
    count(bytes, in: &entry)
    entries[client] = entry
    return isPingDue(entry, at: now)
  }

  /// Records that a ping has been sent. The client's time to answer begins with the first one.
  mutating func pinged(_ client: Client, at now: MonotonicInstant) {
    guard var entry = entries[client] else { return }
    if entry.pingedAt == nil { entry.pingedAt = now }
    (entry.lastPing, entry.isAbandoned) = (now, false)
    entries[client] = entry
  }

  /// Whether to send a ping.
  func isPingDue(_ client: Client, at now: MonotonicInstant) -> Bool {
    entries[client].map { isPingDue($0, at: now) } ?? false
  }

  private func isPingDue(_ entry: Entry, at now: MonotonicInstant) -> Bool {
    guard entry.pingedAt != nil else { return needsProof(entry) }
    return entry.isAbandoned && now - entry.lastPing >= thresholds.patience
  }

  /// Whether so much has been sent that the client must show that it reads.
  private func needsProof(_ entry: Entry) -> Bool {
    let bytes = max(entry.tally, entry.unproven)
    // Most clients have few unread bytes, and need no look-up of the account.
    return bytes >= crowdedPing && bytes >= pingThreshold(of: entry.account)
  }

  /// Records a call by a client.
  mutating func called(_ client: Client, at now: MonotonicInstant) {
    guard var entry = entries[client] else { return }
    forgive(&entry, at: now)
    // Does not apply to a client that keeps calling while it is over its limit and leaves a ping unanswered.
    if !isOverLimit(entry) {
      entry.tally = 0
      // The ping stays in flight, because only its answer proves that the client reads.
      if let pingedAt = entry.pingedAt { entry.pingedAt = max(pingedAt, now) }
    }
    entries[client] = entry
  }

  /// Records any answer of a client to a ping.
  mutating func answered(_ client: Client, at now: MonotonicInstant) {
    guard var entry = entries[client] else { return }
    count(-entry.unproven, in: &entry)
    entry.tally = 0
    (entry.pingedAt, entry.isAbandoned) = (nil, false)
    entry.forgivenAt = now
    entries[client] = entry
  }

  /// Records that the answer to a client's ping is no longer awaited, so that another one becomes due.
  mutating func abandoned(_ client: Client) { entries[client]?.isAbandoned = true }

  func state(of client: Client, at now: MonotonicInstant) -> State {
    entries[client].map { state(of: $0, at: now) } ?? .reading
  }

  mutating func left(_ client: Client) {
    guard var entry = entries.removeValue(forKey: client) else { return }
    count(-entry.unproven, in: &entry)
  }

  /// Suspends clients that owe an answer, after the service has rejoined a bus that had stopped reading from it.
  mutating func suspendDebtors() {
    for (client, entry) in entries where entry.pingedAt != nil {
      entries[client]?.tally = max(entry.tally, thresholds.suspend)
    }
  }

  var count: Int { entries.count }

  private func state(of entry: Entry, at now: MonotonicInstant) -> State {
    // The limits hold even if no ping could be sent.
    guard entry.pingedAt != nil || needsProof(entry) else { return .reading }
    if entry.tally >= thresholds.suspend || isOverLimit(entry) { return .suspended }
    guard let pingedAt = entry.pingedAt else { return .reading }
    return now - pingedAt >= thresholds.patience ? .reduced : .reading
  }

  private func isOverLimit(_ entry: Entry) -> Bool {
    guard entry.pingedAt != nil || needsProof(entry) else { return false }
    let limit = unprovenOfAll > thresholds.all ? thresholds.account / 4 : thresholds.account
    return entry.unproven >= thresholds.unproven || load(of: entry.account).bytes >= limit
  }

  private func pingThreshold(of account: Account) -> Int {
    load(of: account).bytes >= thresholds.accountPing ? crowdedPing : thresholds.ping
  }

  /// The tally at which clients of an account with many unproven bytes are pinged.
  private var crowdedPing: Int { thresholds.ping / 16 }

  private mutating func forgive(_ entry: inout Entry, at now: MonotonicInstant) {
    let elapsed = max(.zero, now - entry.forgivenAt)
    guard var load = loads[entry.account] else { return }
    let waited = load.updatedAt.map { max(.zero, now - $0) } ?? .zero
    load.forgivable += waited.seconds * Double(thresholds.forgivenOfAccount)
    load.forgivable = min(load.forgivable, Double(thresholds.accountPing))
    load.updatedAt = now
    let most = elapsed.seconds * Double(thresholds.forgivenPerSecond)
    let bytes = Int(min(Double(entry.unproven), most, load.forgivable))
    load.forgivable -= Double(bytes)
    loads[entry.account] = load
    guard bytes > 0 else { return }
    entry.forgivenAt = now
    count(-bytes, in: &entry)
  }

  private mutating func count(_ bytes: Int, in entry: inout Entry) {
    entry.unproven += bytes
    unprovenOfAll += bytes
    var load = load(of: entry.account)
    load.bytes += bytes
    loads[entry.account] = load.bytes > 0 ? load : nil
  }

  private func load(of account: Account) -> Load { loads[account] ?? Load() }

  private mutating func move(_ entry: inout Entry, to account: Account) {
    let bytes = entry.unproven
    count(-bytes, in: &entry)
    entry.account = account
    count(bytes, in: &entry)
  }
}
