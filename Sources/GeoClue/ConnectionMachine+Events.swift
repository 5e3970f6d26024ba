// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

nonisolated extension ConnectionMachine {
  /// What happens to the connection.
  enum Event: Equatable, Sendable {
    /// The level that subscribers need, or nil when there are none.
    case demand(AccuracyLevel?)
    /// A subscriber requests a fix now.
    case refresh
    /// Earlier measurements are worthless: the machine has slept.
    case startOver
    /// GeoClue's name has an owner; also sent when one owner replaces another.
    case serviceAppeared
    case serviceVanished
    case activated
    case activationFailed(notInstalled: Bool)
    /// The reply to `CreateClient`, which may take a long time.
    case created(client: String)
    case creationFailed(Failure)
    case started
    case startFailed(Failure)
    /// GeoClue's `Active`: the user has turned location off or on.
    case active(Bool)
    /// `AvailableAccuracyLevel`; nil when GeoClue has answered without it.
    case available(AccuracyLevel?)
    /// A fix was read; not new if GeoClue has returned the same measurement again.
    case fix(isNew: Bool)
    case timer
    /// An agent of the user allows a different level now, or may have exited (nil). GeoClue's running clients do not
    /// always notice.
    case agentChanged(AccuracyLevel?)
    /// GeoClue's configuration does not accept the service as its user's agent.
    case agentRefused
  }

  enum Failure: Equatable, Sendable {
    case refused(AuthorizationReason)
    case other
  }

  /// What the shell must do.
  enum Action: Equatable, Sendable {
    case activate
    /// Become the agent of the service's own user; only for users that are not human.
    case registerAgent
    case createClient
    case startClient(String, AccuracyLevel)
    case deleteClient(String)
    /// Also a sign of life.
    case readAvailableAccuracy
    /// Read the current location of the client once more.
    case readLocation
  }
}
