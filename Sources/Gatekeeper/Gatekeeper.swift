// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Decides what each client may have, now.
package protocol Gatekeeper: AnyObject {
  /// What is decided at this moment; asks nobody.
  func authorization(for client: any GatekeeperClient, asking level: AccuracyLevel, as desktopID: String)
    -> Authorization

  /// Whether deliveries to a client wait, although it is authorized: a fact behind the authorization may have changed
  /// and is being confirmed. The authorization stays as it is meanwhile, at most for a second; ``onChange`` tells of
  /// the beginning and the end, even if nothing else has changed.
  func isHeld(_ client: any GatekeeperClient) -> Bool

  /// The finest level at which GeoClue itself would serve the client's user: what the user's agent permits.
  func ceiling(for client: any GatekeeperClient) -> AccuracyLevel

  /// Gathers the facts about a client that are missing or old, then calls `action`: at once if there are none, and
  /// after ``gatheringTime`` whatever is missing then.
  func prepare(_ client: any GatekeeperClient, _ action: @escaping () -> Void)

  /// Reads GeoClue's rules for applications again if they have changed.
  func reload()

  /// Whether a dialog could give a client more than it has now.
  func wouldAsk(_ client: any GatekeeperClient, asking level: AccuracyLevel, as desktopID: String) -> Bool

  /// Asks the person, and calls the handler with what is decided then, unless the returned prompt ends before.
  func ask(
    _ client: any GatekeeperClient, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt

  /// Whether GeoClue itself judges the clients: then it has to run for a decision to come.
  var decidesByListening: Bool { get }

  /// Called when the decisions about a client may have become others; nil is all clients.
  var onChange: (((any GatekeeperClient)?) -> Void)? { get set }
}

/// A dialog that is open, or waits to be.
package final class Prompt {
  private var end: (() -> Void)?

  package init(_ end: @escaping () -> Void) { self.end = end }

  /// Takes it back.
  package func cancel() {
    let end = end
    self.end = nil
    end?()
  }
}

/// How long a call waits for facts, in milliseconds: a little less than the 5 s in which it has to be answered.
nonisolated package let gatheringTime: Int64 = 4_500
