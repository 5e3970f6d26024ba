// SPDX-License-Identifier: Apache-2.0

/// Shares a fixed amount among accounts, so that none can exhaust it for the others.
///
/// Two rules apply in addition to the limit per account. Root may exceed the whole slightly. Beyond the first ``free``
/// units, an account may hold at most `1 / (n + 1)` of what the others leave, where `n` is the number of accounts that
/// hold something. Part of the whole therefore stays free for the next account, however many act together. dbus-broker
/// shares its resources by the same rule.
nonisolated package struct Quota: Sendable {
  package enum Refusal: Equatable, Sendable {
    case account
    /// The whole, or this account's share of it.
    case whole
  }

  /// The amount that an account may hold regardless of its share. Each further account requires a login.
  package static let free = 16
  /// The part of the whole (one in this many) that root may take beyond it.
  package static let reservedPart = 64

  package private(set) var total = 0
  private var held: [Account: Int] = [:]

  package init() {}

  package func held(by account: Account) -> Int { held[account] ?? 0 }

  /// Takes `amount` for an account, or returns the limit that it would exceed.
  package mutating func take(_ amount: Int = 1, for account: Account, perAccount: Int, of whole: Int) -> Refusal? {
    let mine = held(by: account)
    guard amount <= perAccount - mine else { return .account }
    let left = (account == .user(0) ? whole + whole / Self.reservedPart : whole) - total
    guard amount <= left else { return .whole }
    let accounts = held.count + (mine == 0 ? 1 : 0)
    guard mine + amount <= max(Self.free, (left + mine) / (accounts + 1)) else { return .whole }
    held[account] = mine + amount
    total += amount
    return nil
  }

  /// Releases an amount taken by ``take(_:for:perAccount:of:)``.
  package mutating func release(_ amount: Int = 1, of account: Account) {
    let mine = held(by: account)
    let released = min(amount, mine)
    total -= released
    held[account] = mine > released ? mine - released : nil
  }
}
