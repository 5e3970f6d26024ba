// SPDX-License-Identifier: Apache-2.0
/// What polkit replies to one check.
nonisolated struct PolkitReply: Hashable, Sendable {
  /// What it says.
  let answer: Facts.Answer
  /// Whether a yes rests on an authentication that polkit remembers for a while, and takes back with a `Changed`.
  let isTemporary: Bool

  init(_ answer: Facts.Answer, isTemporary: Bool = false) {
    self.answer = answer
    self.isTemporary = isTemporary
  }

  static let unavailable = PolkitReply(.unavailable)
}
