// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The connection to GeoClue as a pure state machine: what happens goes in, what is to be done comes out.
///
/// It never waits in a call. A client that GeoClue does not hand out is the state "no agent"; a client that arrives
/// after everybody has left is deleted at once; GeoClue's end is a pause, longer from time to time. Whoever drives it
/// sends ``Event/timer`` when ``deadline`` has come. Times are milliseconds of a clock that only goes forward.
nonisolated struct ConnectionMachine: Sendable {
  /// What happens to us.
  enum Event: Equatable, Sendable {
    /// The level that listeners need, or nil when nobody listens.
    case demand(AccuracyLevel?)
    /// Somebody wants a fix now.
    case refresh
    /// What was measured so far is worth nothing: the machine has slept.
    case startOver
    /// Somebody owns GeoClue's name now; also when one owner follows another.
    case serviceAppeared
    case serviceVanished
    case activated
    case activationFailed(notInstalled: Bool)
    /// The reply to `CreateClient`, which may be long in coming.
    case created(client: String)
    case creationFailed(Failure)
    case started
    case startFailed(Failure)
    /// GeoClue's `Active`: the person has switched location off or on again.
    case active(Bool)
    /// `AvailableAccuracyLevel`; nil when GeoClue has answered, but without it.
    case available(AccuracyLevel?)
    case fix
    case timer
    /// An agent of our user has changed its mind, to the given level, or may have gone (nil): running clients do not
    /// notice all of that.
    case agentChanged(AccuracyLevel?)
    /// GeoClue's configuration does not accept us as our user's agent.
    case agentRefused
  }

  enum Failure: Equatable, Sendable {
    case refused(AuthorizationReason)
    case other
  }

  /// What we do about it.
  enum Action: Equatable, Sendable {
    case activate
    /// Make ourselves the agent of our user; only where there is no person to be one.
    case registerAgent
    case createClient
    case startClient(String, AccuracyLevel)
    case deleteClient(String)
    /// Also shows whether GeoClue answers at all.
    case readAvailableAccuracy
    /// Read once more where the client is.
    case readLocation
  }

  enum State: Equatable, Sendable {
    case idle
    case activating
    case creating
    case starting(client: String, AccuracyLevel)
    case running(client: String, AccuracyLevel)
    /// Until the deadline; `trouble` says why.
    case pausing
  }

  /// Whether we are our user's agent ourselves.
  let registersAgent: Bool

  var state = State.idle
  /// When the state is left by itself; ``deadline`` for those that have one.
  var stateDeadline: Int64 = 0
  var wanted: AccuracyLevel?
  var isServiceThere = false
  /// `StartServiceByName` is on its way.
  var isActivating = false
  /// A `CreateClient` is on its way; GeoClue answers it some day, even if nobody wants the client any more.
  var isCreationPending = false
  /// When GeoClue first answered something after that call, and so had it; nil as long as it may not know of it.
  var creationHeardAt: Int64?
  /// When GeoClue was last asked for a sign of life; nil once it has given one.
  var probedAt: Int64?
  /// What went wrong last, until the next success.
  var trouble = UpstreamReason.none
  var isActive = true
  var hasFix = false
  var available: AccuracyLevel?
  /// Whether GeoClue has refused us as an agent since the last client.
  var isAgentRefused = false
  /// What our user's agent said last of the level that it allows.
  var agentLevel: AccuracyLevel?
  var source = SourceWatch()
  /// When a client that is finer than needed is given up.
  var coarserAt: Int64?
  var connectedAt: Int64?
  /// No new client before this time.
  var settlesAt: Int64?
  var runningSince: Int64?
  /// A new listener may knock at this time, though a pause is longer.
  var mayActivateAt: Int64?
  var restartPause = Backoff(from: 200, to: 60_000)
  var agentPause = Backoff(from: 60_000, to: 300_000)
  var refusalPause = Backoff(from: 2_000, to: 300_000)
  var agentCheck = Backoff(from: 5_000, to: 60_000)

  /// What GeoClue would say to us if it were asked again; not known while nobody listens, because nobody follows the
  /// person's switch then.
  var authorization = Authorization.undecided()

  init(registersAgent: Bool = false) { self.registersAgent = registersAgent }

  /// When GeoClue has had `CreateClient` for this long, and answers other questions, there is no agent: a live one adds
  /// itself within milliseconds. When it answers nothing for as long, it hangs.
  static let agentDeadline: Int64 = 2_000
  static let activationDeadline: Int64 = 30_000
  /// GeoClue starts a client within milliseconds; before 2.6 it waited 5 s for an agent.
  static let startDeadline: Int64 = 8_000
  /// How far activations are apart that new listeners cause, however many those are.
  static let activationGap: Int64 = 5_000
  /// How far apart clients are made that replace one another.
  static let clientGap: Int64 = 500
  /// How long GeoClue gets to close its sources after a change of the agent: one that is wanted again while it is
  /// closing stays closed (2.6).
  static let agentDelay: Int64 = 250
  /// How long a client is kept that is finer than needed, so that listeners who come and go do not wear GeoClue out.
  static let coarserDelay: Int64 = 3_000
  /// Whoever ran so long has not crashed at once.
  static let steadyRun: Int64 = 30_000

  /// The client whose signals count.
  var client: String? {
    switch state {
    case .starting(let client, _), .running(let client, _): client
    case .idle, .activating, .creating, .pausing: nil
    }
  }

  /// Whether a fix of the client may be passed on.
  var acceptsFixes: Bool { client != nil && isActive }

  /// When ``Event/timer`` is due; nil if nothing is waited for.
  var deadline: Int64? {
    switch state {
    case .idle: nil
    case .running: [coarserAt, source.deadline].compactMap { $0 }.min()
    case .activating, .creating, .starting, .pausing: stateDeadline
    }
  }

  /// `chance` is a random number from 0 to 1, for the spread of pauses.
  mutating func handle(_ event: Event, at now: Int64, chance: Double) -> [Action] {
    switch event {
    case .demand(let level): demand(level, now)
    case .refresh: refresh(now)
    case .startOver: startOver(now)
    case .serviceAppeared: appeared(now, chance)
    case .serviceVanished: vanished(now, chance)
    case .activated: activated(now)
    case .activationFailed(let notInstalled): activationFailed(notInstalled: notInstalled, now, chance)
    case .created(let client): created(client, now)
    case .creationFailed(let failure): creationFailed(failure, now, chance)
    case .started: started(now)
    case .startFailed(let failure): startFailed(failure, now, chance)
    case .active(let isActive): activeChanged(isActive)
    case .available(let level): availableChanged(level, now, chance)
    case .fix: fix(now)
    case .timer: timer(now, chance)
    case .agentChanged(let level): agentChanged(level, now)
    case .agentRefused: agentRefused()
    }
  }
}

/// What the world is told.
nonisolated extension ConnectionMachine {
  var status: UpstreamStatus {
    let (state, reason) = stateAndReason
    return UpstreamStatus(state: state, reason: reason, availableAccuracy: available)
  }

  private var stateAndReason: (UpstreamState, UpstreamReason) {
    guard wanted != nil else { return (.idle, .none) }
    switch state {
    case .idle: return (.idle, .none)
    case .activating, .creating, .starting, .pausing:
      // A new attempt is no news as long as it has not come to anything.
      switch trouble {
      case .none: return (.starting, .none)
      case .noAgent: return (.waiting, .noAgent)
      default: return (.unavailable, trouble)
      }
    case .running:
      if !isActive { return (.unavailable, .disabledByUser) }
      if available == AccuracyLevel.none { return (.unavailable, .noSource) }
      return hasFix ? (.running, .none) : (.waiting, .noFix)
    }
  }
}
