// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import MainLoop

/// Decides the access of each client.
package protocol Gatekeeper: AnyObject {
  /// Decides from the facts at hand, without asking anything.
  func access(for client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String) -> ClientAccess

  /// Returns the hold on deliveries to an authorized client while a fact behind the authorization may have changed and
  /// is being confirmed. The authorization itself stays unchanged meanwhile, for at most one second after deliveries
  /// were last allowed. Checked before each delivery, so it takes no decision.
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

  /// Asks the user, then calls the handler with the resulting decision, unless the returned prompt is cancelled first.
  func ask(
    _ client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt

  /// Whether GeoClue itself judges the clients, so that it must be running before a decision is possible.
  var sourceDecides: Bool { get }

  /// Called with a client whose decision may have changed or whose deliveries are no longer held, or with nil if that
  /// may apply to any client. Until the first facts about a client have been gathered, it is not called for that client.
  var onChange: ((GatekeeperClient?) -> Void)? { get set }
}

/// The decision about a client at one moment.
nonisolated package struct ClientAccess: Equatable, Sendable {
  package var authorization: Authorization
  /// The client is authorized, but facts are being confirmed. Until then, calls are not answered and a subscription's
  /// chain keeps its newest location.
  package var isHeld: Bool
  /// A dialog could grant more access.
  package var canAsk: Bool
  /// For a one-shot call, the newest location that it may receive, if recent enough.
  package var cached: Location?

  package init(
    authorization: Authorization, isHeld: Bool = false, canAsk: Bool = false, cached: Location? = nil
  ) {
    (self.authorization, self.isHeld, self.canAsk, self.cached) = (authorization, isHeld, canAsk, cached)
  }
}

/// Why deliveries wait: a question whose answer they need.
nonisolated package struct Hold<Clock>: Hashable, Sendable {
  /// When the question was asked; the origin if it was not.
  package var question = Instant<Clock>.origin
  /// Whether the answer also allows locations from before the question: no further question has been asked yet, and the
  /// doubt is recent.
  package var isConfirmed = false

  package init(question: Instant<Clock> = .origin, isConfirmed: Bool = false) {
    (self.question, self.isConfirmed) = (question, isConfirmed)
  }

  /// Combines the holds because of polkit's answers, the session and the agents. For users named in an administrator's
  /// rule, neither the session nor the agents matter.
  init?(policy: Hold?, session: Hold?, agents: Hold?, isNamed: Bool) {
    let holds = (isNamed ? [policy] : [policy, session, agents]).compactMap(\.self)
    guard let question = holds.map(\.question).min() else { return nil }
    self.init(question: question, isConfirmed: holds.allSatisfy(\.isConfirmed))
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
