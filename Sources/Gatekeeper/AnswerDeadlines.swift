// SPDX-License-Identifier: Apache-2.0

/// How long the service waits for other programs while a call waits for its answer, from the innermost wait outwards.
/// Each wait ends before the one that contains it.
nonisolated package enum AnswerDeadlines {
  /// A search for a user's agents, and each of its questions: long enough for an agent on a busy machine.
  static let agentSearch = Duration.seconds(2)
  /// polkit's confirmation of a permission that has merely aged.
  static let confirmation = Duration.seconds(4)
  /// The turn of a call among those that wait, from its arrival.
  package static let turn = Duration.seconds(4)
  /// Facts about the caller, and a decision, from the call's arrival.
  package static let gathering = Duration.milliseconds(4_500)
  /// Every call that does not ask the user, as the contract requires.
  package static let answer = Duration.seconds(5)
  /// The user's answer to a dialog, from the call's arrival.
  package static let dialog = Duration.seconds(119)
  /// Every interactive call, as the contract requires.
  package static let interactiveAnswer = Duration.seconds(120)
}
