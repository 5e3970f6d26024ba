// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// What has been found out about one client.
final class ClientFacts {
  var confinement = Facts.Confinement.unknown
  var placement = Facts.Placement.unknown
  /// What a dialog calls it.
  var program: String?
  /// What polkit says of it.
  var policy = PolicyAnswers()
  /// Wakes ``policy``.
  var timer: LoopSource?
  /// Calls that wait for polkit.
  var policyWaiters: [() -> Void] = []

  private var rounds: [ObjectIdentifier: (round: Gathering, timer: LoopSource)] = [:]

  /// Whether something is being found out.
  var isGathering: Bool { !rounds.isEmpty }

  /// Calls `action` when all that `gather` expects has come, or after ``gatheringTime``.
  func wait(_ action: @escaping () -> Void, _ gather: (Gathering) -> Void) {
    var identifier: ObjectIdentifier?
    var isDone = false
    let round = Gathering { [weak self] in
      isDone = true
      if let identifier { self?.rounds[identifier] = nil }
      action()
    }
    gather(round)
    round.allExpected()
    guard !isDone else { return }
    identifier = ObjectIdentifier(round)
    rounds[ObjectIdentifier(round)] = (
      round, MainLoop.main.after(milliseconds: gatheringTime) { [weak round] in round?.giveUp() }
    )
  }
}
