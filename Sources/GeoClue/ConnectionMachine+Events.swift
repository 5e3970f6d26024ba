// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

nonisolated extension ConnectionMachine {
  /// What happens to the connection.
  enum Event: Equatable, Sendable {
    /// The level that subscribers need, or nil when there are none.
    case demand(AccuracyLevel?)
    /// A subscriber asks for a fix now.
    case refresh
    /// What was measured so far is worthless: the machine has slept.
    case startOver
    /// GeoClue's name has an owner; also when one owner follows another.
    case serviceAppeared
    case serviceVanished
    case activated
    case activationFailed(notInstalled: Bool)
    /// The reply to `CreateClient`, which may take long.
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
    /// An agent of the user allows another level now, or may have gone (nil). Running clients of GeoClue do not notice
    /// all of that.
    case agentChanged(AccuracyLevel?)
    /// GeoClue's configuration does not accept the service as its user's agent.
    case agentRefused
  }

  enum Failure: Equatable, Sendable {
    case refused(AuthorizationReason)
    case other
  }

  /// What to do about it.
  enum Action: Equatable, Sendable {
    case activate
    /// Become the agent of the service's own user; only where no human could be one.
    case registerAgent
    case createClient
    case startClient(String, AccuracyLevel)
    case deleteClient(String)
    /// Also shows whether GeoClue answers at all.
    case readAvailableAccuracy
    /// Read the current location of the client once more.
    case readLocation
  }
}
