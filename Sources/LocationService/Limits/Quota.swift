// SPDX-License-Identifier: Apache-2.0
/// Shares a fixed amount among users, so that no user can exhaust it for the others.
///
/// Two rules apply in addition to the limit per user. Root may exceed the whole slightly. Beyond the first ``free``
/// units, a user may hold at most `1 / (n + 1)` of what the others leave, where `n` is the number of users that hold
/// something. Part of the whole therefore stays free for the next user, however many users act together. dbus-broker
/// shares its resources by the same rule. A limit per user of at most a tenth of the whole already is a share, so ten
/// users can have all that it promises.
nonisolated struct UserQuota: Sendable {
  enum Refusal: Equatable, Sendable {
    case user
    /// The whole, or this user's share of it.
    case whole
  }

  /// The amount that a user may hold regardless of its share.
  static let free = 16
  /// The part of the whole (one in this many) that root may take beyond it.
  static let reservedPart = 64
  /// A limit per user of at most one in this many of the whole already counts as a share.
  static let sharedPart = 10

  private(set) var total = 0
  private var held: [UInt32: Int] = [:]

  func held(by user: UInt32) -> Int { held[user] ?? 0 }

  /// Takes `amount` for a user, or returns the limit that it would exceed.
  mutating func take(_ amount: Int = 1, for user: UInt32, perUser: Int, of whole: Int) -> Refusal? {
    let mine = held(by: user)
    guard amount <= perUser - mine else { return .user }
    let available = user == 0 ? whole + whole / Self.reservedPart : whole
    let left = available - total
    guard amount <= left else { return .whole }
    let users = held.count + (mine == 0 ? 1 : 0)
    let share = perUser <= whole / Self.sharedPart ? perUser : (left + mine) / (users + 1)
    guard mine + amount <= max(Self.free, share) else { return .whole }
    held[user] = mine + amount
    total += amount
    return nil
  }

  /// Releases an amount taken by ``take(_:for:perUser:of:)``.
  mutating func release(_ amount: Int = 1, of user: UInt32) {
    let mine = held(by: user)
    let released = min(amount, mine)
    total -= released
    held[user] = mine > released ? mine - released : nil
  }
}

/// Allows a burst, then a steady rate. Expensive operations are charged afterwards.
nonisolated struct TokenBucket: Sendable {
  private var tokens: Double
  private var filledAt: Int64

  init(burst: UInt32, at now: Int64) {
    tokens = Double(burst)
    filledAt = now
  }

  /// Takes one token if available. `now` is in microseconds of a monotonic clock.
  mutating func take(burst: UInt32, perSecond: UInt32, at now: Int64) -> Bool {
    fill(burst: burst, perSecond: perSecond, at: now)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// Returns how long it takes until `count` tokens are available, in microseconds.
  mutating func wait(for count: Int, burst: UInt32, perSecond: UInt32, at now: Int64) -> Int64 {
    fill(burst: burst, perSecond: perSecond, at: now)
    return Int64(max(0, Double(count) - tokens) / Double(max(1, perSecond)) * 1_000_000)
  }

  /// Charges for work already done, even beyond the available tokens. The debt is limited to one burst, so that a lower
  /// limit after a configuration change does not lock a client out.
  mutating func charge(_ cost: Double, burst: UInt32) {
    tokens = max(-Double(burst), tokens - cost)
  }

  /// Returns whether the bucket is full, so that it can be replaced by a new one.
  mutating func isFull(burst: UInt32, perSecond: UInt32, at now: Int64) -> Bool {
    fill(burst: burst, perSecond: perSecond, at: now)
    return tokens >= Double(burst)
  }

  private mutating func fill(burst: UInt32, perSecond: UInt32, at now: Int64) {
    let elapsed = Double(max(0, now &- filledAt)) / 1_000_000
    tokens = min(Double(burst), tokens + elapsed * Double(perSecond))
    filledAt = now
  }
}
