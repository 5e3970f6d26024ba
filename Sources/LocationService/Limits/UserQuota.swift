// SPDX-License-Identifier: Apache-2.0
/// Shares a fixed amount among users, so that no user can take what all others need.
///
/// Two rules apply besides the plain limit per user. Root may have a little more than the whole. And beyond the first
/// few, a user may hold at most `1 / (n + 1)` of what the others leave, where `n` users hold something: however many
/// users act together, part of the whole stays free for the next one. dbus-broker shares its resources by the same rule.
/// A plain limit of at most a tenth of the whole is a share already, so that ten users can have all that it promises.
nonisolated struct UserQuota: Sendable {
  /// Which of the limits would be exceeded.
  enum Refusal: Equatable, Sendable {
    /// The plain limit per user.
    case user
    /// The whole, or this user's share of it.
    case whole
  }

  /// What a user may hold before its share is looked at.
  static let free = 16
  /// What only root may take beyond the whole: one part of this many.
  static let reservedPart = 64
  /// A limit per user below one part of this many is a share already.
  static let sharedPart = 10

  private(set) var total = 0
  private var held: [UInt32: Int] = [:]

  /// How much a user holds.
  func held(by user: UInt32) -> Int { held[user] ?? 0 }

  /// Counts `amount` more for a user, or returns the limit that it would exceed.
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

  /// Takes back what ``take(_:for:perUser:of:)`` has counted.
  mutating func release(_ amount: Int = 1, of user: UInt32) {
    let mine = held(by: user)
    let released = min(amount, mine)
    total -= released
    held[user] = mine > released ? mine - released : nil
  }
}
