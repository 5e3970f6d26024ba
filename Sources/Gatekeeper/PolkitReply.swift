// SPDX-License-Identifier: Apache-2.0
/// polkit's answer to one check.
nonisolated struct PolkitReply: Hashable, Sendable {
  let answer: Facts.Answer
  /// Whether a yes rests on an authentication that polkit keeps only for a while. polkit sends `Changed` when it
  /// expires.
  let isTemporary: Bool

  init(_ answer: Facts.Answer, isTemporary: Bool = false) {
    self.answer = answer
    self.isTemporary = isTemporary
  }

  static let unavailable = PolkitReply(.unavailable)
}
