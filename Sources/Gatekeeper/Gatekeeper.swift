// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import MainLoop

/// Decides the access of each client.
package protocol Gatekeeper: AnyObject {
  /// Returns the current decision from the facts at hand, without asking anything.
  func authorization(for client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String)
    -> Authorization

  /// Returns the hold on deliveries to an authorized client while a fact behind the authorization may have changed and
  /// is being confirmed. The authorization itself stays unchanged meanwhile, for at most one second after deliveries
  /// were last allowed. ``onChange`` is called when holding begins and ends, even if nothing else has changed.
  func hold(on client: GatekeeperClient) -> Hold<BootClock>?

  /// Returns the finest level at which GeoClue would serve the client's user, as permitted by the user's agent.
  func ceiling(for client: GatekeeperClient) -> AccuracyLevel

  /// Determines the account that is charged for a client, then calls `action`, at the latest after ``accountTime``.
  func findAccount(of client: GatekeeperClient, _ action: @escaping () -> Void)

  /// Returns the account that is charged for a client, as far as it is known.
  func account(of client: GatekeeperClient) -> Account

  /// Gathers missing or outdated facts about a client, then calls `action`: immediately if nothing is missing, at the
  /// latest ``AnswerDeadlines/gathering`` after the arrival of the call that waits.
  func prepare(_ client: GatekeeperClient, since arrival: BootInstant, _ action: @escaping () -> Void)

  /// Rereads GeoClue's rules for applications if the files have changed.
  func reload()

  /// Returns whether a dialog could give a client more access than it has now.
  func wouldAsk(_ client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String) -> Bool

  /// Asks the user, then calls the handler with the resulting decision, unless the returned prompt is cancelled first.
  func ask(
    _ client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt

  /// Whether GeoClue itself judges the clients, so that it must be running before a decision is possible.
  var sourceDecides: Bool { get }

  /// Called with a client whose decision may have changed, or with nil if any client's may have.
  var onChange: ((GatekeeperClient?) -> Void)? { get set }
}

/// Why deliveries wait: a question whose answer they need.
nonisolated package struct Hold<Clock>: Hashable, Sendable {
  /// When the question was asked; the origin if it was not.
  package var question = Instant<Clock>.origin
  /// Whether the answer also allows locations from before the question, and no further question has been asked yet.
  package var isConfirmed = false

  package init(question: Instant<Clock> = .origin, isConfirmed: Bool = false) {
    (self.question, self.isConfirmed) = (question, isConfirmed)
  }

  /// Returns the hold that results from both.
  func and(_ other: Hold?) -> Hold {
    guard let other else { return self }
    return Hold(question: min(question, other.question), isConfirmed: isConfirmed && other.isConfirmed)
  }
}

nonisolated extension Hold where Clock == MonotonicClock {
  /// Returns the hold with the time of the boot clock. If the machine has slept since the question, the returned time is
  /// later than the question, but still before the machine woke.
  @MainActor func onBootClock() -> Hold<BootClock> {
    let time = question == .origin ? .origin : MainLoop.main.clock.boottime(at: question)
    return Hold<BootClock>(question: time, isConfirmed: isConfirmed)
  }
}

/// A dialog that is open or queued.
package final class Prompt {
  private var end: (() -> Void)?

  package init(_ end: @escaping () -> Void) { self.end = end }

  /// Closes the dialog. Its handler is not called.
  package func cancel() {
    let end = end
    self.end = nil
    end?()
  }
}

/// How long the first call of a user waits for logind. Users listed by logind have an account.
nonisolated let accountTime = Duration.milliseconds(300)
