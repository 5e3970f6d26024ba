// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import MainLoop

/// The clients whose authorization may have changed. All changes of a turn of the loop are considered together.
///
/// Accounts take turns. A review may answer hundreds of calls that waited for the same decision, so while the bus has no
/// room for more answers, only one client is reviewed at a time.
final class ReviewTurns<Client: AnyObject> {
  /// The minimum time between two passes.
  private static var gap: Duration { .milliseconds(5) }
  /// The same, while the bus has not taken the answers of the last pass.
  private static var crowdedGap: Duration { .milliseconds(10) }

  private var turns = TurnQueue<Account, Client>()
  private var nextPass: LoopSource?
  private var passedAt = MonotonicInstant.origin
  private let hasRoom: () -> Bool
  private let review: (Client) -> Void
  private let whenDone: () -> Void

  /// - Parameter review: Reviews a client that no longer waits here.
  /// - Parameter whenDone: Called when all clients have been reviewed.
  init(
    hasRoom: @escaping () -> Bool, review: @escaping (Client) -> Void, whenDone: @escaping () -> Void
  ) {
    (self.hasRoom, self.review, self.whenDone) = (hasRoom, review, whenDone)
  }

  /// Adds a client, which must not be waiting here already.
  func add(_ client: Client, of account: Account) {
    turns.edit(account) { $0.append(client) }
    schedule()
  }

  /// Removes a client that has been reviewed before its turn, or has left.
  func remove(_ client: Client) { turns.removeAll { $0 === client } }

  /// Schedules a pass even if no client waits.
  func schedule() { schedule(after: Self.gap) }

  private func schedule(after gap: Duration) {
    guard nextPass == nil else { return }
    nextPass = MainLoop.main.at(passedAt + gap) { [weak self] in self?.pass() }
  }

  private func pass() {
    nextPass = nil
    passedAt = MainLoop.main.clock.monotonic()
    while let client = turns.next() {
      review(client)
      if !turns.isEmpty, !hasRoom() { return schedule(after: Self.crowdedGap) }
    }
    whenDone()
  }
}
