// SPDX-License-Identifier: Apache-2.0
/// Shares a fixed amount among users, so that no user can exhaust it for the others.
///
/// Two rules apply in addition to the limit per user. Root may exceed the whole slightly. Beyond the first ``free``
/// units, a user may hold at most `1 / (n + 1)` of what the others leave, where `n` is the number of users that hold
/// something. Part of the whole therefore stays free for the next user, however many users act together. dbus-broker
/// shares its resources by the same rule. A limit per user of at most a tenth of the whole already is a share, so ten
/// users can have all that it promises.
nonisolated struct UserQuota: Sendable {
  /// The limit that would be exceeded.
  enum Refusal: Equatable, Sendable {
    /// The limit per user.
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

  /// Returns the amount that a user holds.
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
