// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

nonisolated extension ConnectionMachine {
  package enum Event: MachineEvent, Equatable, Sendable {
    /// The level that subscribers need, or nil when there are none.
    case demand(AccuracyLevel?)
    /// A subscriber requests a fix now. A source that has fallen silent measures again, or asserts its location again,
    /// for a new client.
    case refresh
    /// Earlier measurements must no longer be used, because the machine has slept.
    case startOver
    /// GeoClue's name has an owner. Also sent when one owner replaces another.
    case serviceAppeared
    case serviceVanished
    case activated
    case activationFailed(notInstalled: Bool)
    /// The reply to `CreateClient`, which may take a long time.
    case created(client: String)
    case creationFailed(Failure)
    case started
    case startFailed(Failure)
    /// GeoClue's `Active`: the user turned location off or on.
    case active(Bool)
    /// `AvailableAccuracyLevel`, or nil if GeoClue answered without it.
    case available(AccuracyLevel?)
    /// A fix was read. It is not new if GeoClue returned the same measurement again.
    case fix(isNew: Bool)
    case timer
    /// A user's agent now allows a different level, or may have exited (nil). GeoClue's running clients do not always
    /// notice.
    case agentChanged(AccuracyLevel?)
    /// GeoClue's configuration does not accept the service as its user's agent.
    case agentRefused
  }

  package enum Failure: Equatable, Sendable {
    case refused(AuthorizationReason)
    case other
  }

  package enum Action: Equatable, Sendable {
    case activate
    /// Become the agent of the service's own user. Only for system users.
    case registerAgent
    case createClient
    case startClient(String, AccuracyLevel)
    case deleteClient(String)
    /// Read the available accuracy, which is also a sign of life.
    case readAvailableAccuracy
  }
}
