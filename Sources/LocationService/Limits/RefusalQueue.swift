// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel

/// Schedules the refusal of calls.
///
/// A refusal costs the bus, and users waiting for answers, as much as any other answer, and invites the next call. Each
/// account therefore gets a burst of immediate refusals, and then refusals at a steady rate. While the bus is slow, an
/// account's calls are refused only after its other calls have been answered. The account's clients take turns. A
/// client that floods the service only delays itself, because the bus limits the calls that a connection may have
/// unanswered.
nonisolated struct RefusalQueue<Client: Hashable, Call> {
  struct Bounds: Sendable {
    var burst: UInt32 = 2_500
    var perSecond: UInt32 = 200
    /// The number of calls that may wait per client and in total. dbus-daemon allows a client 128 calls without an
    /// answer.
    var perClient = 2_048
    var all = 8_192
  }

  enum Outcome: Equatable {
    case refuseNow
    /// The call is refused later, when ``next(at:)`` returns it.
    case waits
    /// There is no room, so the call gets no answer.
    case drop
  }

  private struct Line {
    var bucket: TokenBucket
    var calls = TurnQueue<Client, Call>()
  }

  private let bounds: Bounds
  private var lines: [Account: Line] = [:]
  /// The accounts with waiting calls, in the order of their turns.
  private var accounts: [Account] = []
  private var quota = Quota()
  private static var largestLineCount: Int { 256 }

  init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

  var count: Int { quota.total }

  /// Decides what to do with a call. `bytes` is the size of the call:
  /// it is charged, because an answer invites the next call.
  mutating func add(
    _ call: Call, bytes: Int, of client: Client, _ account: Account, mayRefuseNow: Bool, at now: MonotonicInstant
  ) -> Outcome {
    if lines.count >= Self.largestLineCount { removeIdle(at: now) }
    var line = lines.removeValue(forKey: account) ?? Line(bucket: TokenBucket(burst: bounds.burst, at: now))
    defer { lines[account] = line }
    line.bucket.charge(Double(bytes / 1_024), burst: bounds.burst)
    if mayRefuseNow, line.calls.isEmpty, takeToken(&line, now) { return .refuseNow }
    guard line.calls[client].count < bounds.perClient,
      quota.take(for: account, perAccount: bounds.all, of: bounds.all) == nil
    else { return .drop }
    if line.calls.isEmpty { accounts.append(account) }
    line.calls.edit(client) { $0.append(call) }
    return .waits
  }

  /// Removes and returns the next call that may be refused now, of an account for which `isServed` is true.
  mutating func next(at now: MonotonicInstant, _ isServed: (Account) -> Bool = { _ in true }) -> Call? {
    for _ in accounts.indices {
      let account = accounts.removeFirst()
      guard var line = lines.removeValue(forKey: account), !line.calls.isEmpty else { continue }
      let call = isServed(account) && takeToken(&line, now) ? line.calls.next() : nil
      if !line.calls.isEmpty { accounts.append(account) }
      lines[account] = line
      guard let call else { continue }
      quota.release(of: account)
      return call
    }
    return nil
  }

  @discardableResult
  mutating func remove(_ client: Client) -> [Call] {
    var removed: [Call] = []
    for account in lines.keys {
      let calls = lines[account]?.calls[client] ?? []
      lines[account]?.calls.edit(client) { $0 = [] }
      quota.release(calls.count, of: account)
      removed += calls
    }
    accounts.removeAll { lines[$0]?.calls.isEmpty ?? true }
    return removed
  }

  @discardableResult
  mutating func removeAll() -> [Call] {
    let removed = lines.values.flatMap(\.calls.elements)
    self = RefusalQueue(bounds)
    return removed
  }

  private func takeToken(_ line: inout Line, _ now: MonotonicInstant) -> Bool {
    line.bucket.take(burst: bounds.burst, perSecond: bounds.perSecond, at: now)
  }

  private mutating func removeIdle(at now: MonotonicInstant) {
    lines = lines.filter {
      !$1.calls.isEmpty || !$1.bucket.isFull(burst: bounds.burst, perSecond: bounds.perSecond, at: now)
    }
  }
}
