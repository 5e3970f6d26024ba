import LocationModel

/// The connection to GeoClue as a pure state machine: what happens goes in, what is to be done comes out.
///
/// It never waits in a call. A client that GeoClue does not hand out is the state "no agent"; a client that arrives
/// after everybody has left is deleted at once; GeoClue's end is a pause, longer from time to time.
nonisolated struct ConnectionMachine: Sendable {
  /// What happens to us.
  enum Event: Equatable, Sendable {
    /// The level that listeners need, or nil when nobody listens.
    case demand(AccuracyLevel?)
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
    case available(AccuracyLevel)
    case fix
    case timer
    /// The user's agent has changed its mind, or has gone: running clients do not notice.
    case agentChanged
  }

  enum Failure: Equatable, Sendable {
    case refused(AuthorizationReason)
    case notInstalled
    case other
  }

  /// What we do about it.
  enum Action: Equatable, Sendable {
    case activate
    case createClient
    case startClient(String, AccuracyLevel)
    case deleteClient(String)
    case readAvailableAccuracy
    /// Send ``Event/timer`` after so many milliseconds; replaces an earlier one.
    case arm(Int64)
    case disarm
  }

  private enum State: Equatable, Sendable {
    case idle
    case activating
    case creating(isLate: Bool)
    case starting(client: String, AccuracyLevel)
    case running(client: String, AccuracyLevel)
    /// GeoClue said no; asked again after a while, or when an agent stirs.
    case refused(AuthorizationReason)
    case pausing(UpstreamReason)
  }

  private var state = State.idle
  private var wanted: AccuracyLevel?
  private var isServiceThere = false
  /// A `CreateClient` is on its way; GeoClue answers it some day, even if nobody wants the client any more.
  private var isCreating = false
  private var isActive = true
  private var hasFix = false
  private var available: AccuracyLevel?
  private var restartPause = Backoff(from: 200, to: 60_000)
  private var agentPause = Backoff(from: 60_000, to: 600_000)
  private var refusalPause = Backoff(from: 2_000, to: 300_000)

  /// What GeoClue would say to us if it were asked again.
  private(set) var authorization = Authorization.undecided()

  /// After this long without an answer to `CreateClient` there is no agent: a live one adds itself within milliseconds.
  static let agentDeadline: Int64 = 5_000
  static let activationDeadline: Int64 = 30_000

  /// The client whose signals count.
  var client: String? {
    switch state {
    case .starting(let client, _), .running(let client, _): client
    default: nil
    }
  }

  /// `chance` is a random number from 0 to 1, for the spread of pauses.
  mutating func handle(_ event: Event, chance: Double) -> [Action] {
    switch event {
    case .demand(let level): return demand(level)
    case .serviceAppeared: return appeared(chance)
    case .serviceVanished: return vanished(chance)
    case .activated: return []
    case .activationFailed(let notInstalled):
      guard state == .activating else { return [] }
      return pause(for: notInstalled ? .geoclueNotInstalled : .geoclueRestarting, chance)
    case .created(let client): return created(client)
    case .creationFailed(let failure):
      isCreating = false
      guard case .creating(let isLate) = state else { return [] }
      return failed(failure, isLate ? .noAgent : .geoclueRestarting, chance)
    case .started: return started()
    case .startFailed(let failure):
      guard case .starting(let client, _) = state else { return [] }
      return [.deleteClient(client)] + failed(failure, .geoclueRestarting, chance)
    case .active(let isActive):
      guard case .running = state else { return [] }
      self.isActive = isActive
      if !isActive { hasFix = false }
      authorization = isActive ? .authorized(.always) : .denied(.disabledByUser)
      return []
    case .available(let level):
      available = level
      return []
    case .fix:
      hasFix = client != nil
      return []
    case .timer: return timer(chance)
    case .agentChanged: return agentChanged()
    }
  }

  private mutating func demand(_ level: AccuracyLevel?) -> [Action] {
    let before = wanted
    wanted = level
    guard let level else {
      switch state {
      case .starting(let client, _), .running(let client, _):
        state = .idle
        hasFix = false
        return [.deleteClient(client), .disarm]
      case .activating, .creating:
        state = .idle
        return [.disarm]
      case .idle, .refused, .pausing:
        // A pause goes on, so that listeners who come and go cannot make us knock at GeoClue's door all the time.
        return []
      }
    }
    switch state {
    case .idle: return connect()
    case .starting(let client, let present), .running(let client, let present):
      // GeoClue reads the level only when a client starts.
      return present == level ? [] : [.deleteClient(client)] + connect()
    case .refused, .pausing: return before == nil ? [.arm(1_000)] : []
    case .activating, .creating: return []
    }
  }

  private mutating func connect() -> [Action] {
    hasFix = false
    guard isServiceThere else {
      state = .activating
      return [.activate, .arm(Self.activationDeadline)]
    }
    state = .creating(isLate: false)
    guard !isCreating else { return [.arm(Self.agentDeadline)] }
    isCreating = true
    return [.createClient, .arm(Self.agentDeadline)]
  }

  private mutating func appeared(_ chance: Double) -> [Action] {
    let ended = isServiceThere ? vanished(chance) : []
    isServiceThere = true
    guard wanted != nil else {
      state = .idle
      return ended + [.disarm, .readAvailableAccuracy]
    }
    return ended + connect() + [.readAvailableAccuracy]
  }

  private mutating func vanished(_ chance: Double) -> [Action] {
    isServiceThere = false
    isCreating = false
    available = nil
    hasFix = false
    switch state {
    case .idle, .activating, .refused, .pausing: return []
    case .creating(isLate: true): return pause(for: .noAgent, chance)
    case .creating, .starting, .running: return pause(for: .geoclueRestarting, chance)
    }
  }

  private mutating func created(_ client: String) -> [Action] {
    isCreating = false
    guard case .creating = state, let wanted else { return [.deleteClient(client)] }
    state = .starting(client: client, wanted)
    agentPause.reset()
    return [.disarm, .startClient(client, wanted)]
  }

  private mutating func started() -> [Action] {
    guard case .starting(let client, let level) = state else { return [] }
    state = .running(client: client, level)
    isActive = true
    authorization = .authorized(.always)
    restartPause.reset()
    refusalPause.reset()
    return []
  }

  private mutating func failed(_ failure: Failure, _ reason: UpstreamReason, _ chance: Double) -> [Action] {
    switch failure {
    case .refused(let reason):
      state = .refused(reason)
      if let refusal = Authorization(refusedFor: reason) { authorization = refusal }
      return [.arm(refusalPause.next(chance: chance))]
    case .notInstalled: return pause(for: .geoclueNotInstalled, chance)
    case .other: return pause(for: reason, chance)
    }
  }

  private mutating func pause(for reason: UpstreamReason, _ chance: Double) -> [Action] {
    state = .pausing(reason)
    return [.arm(reason == .noAgent ? agentPause.next(chance: chance) : restartPause.next(chance: chance))]
  }

  private mutating func timer(_ chance: Double) -> [Action] {
    switch state {
    case .creating:
      state = .creating(isLate: true)
      authorization = .undecided(.noAgent)
      return []
    case .activating:
      return pause(for: .geoclueRestarting, chance)
    case .refused, .pausing:
      guard wanted != nil else {
        state = .idle
        return []
      }
      return connect()
    case .idle, .starting, .running: return []
    }
  }

  private mutating func agentChanged() -> [Action] {
    guard wanted != nil else { return [] }
    switch state {
    case .starting(let client, _), .running(let client, _): return [.deleteClient(client)] + connect()
    case .refused, .pausing(.noAgent): return connect()
    case .idle, .activating, .creating, .pausing: return []
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
    case .activating, .starting, .creating(isLate: false): return (.starting, .none)
    case .creating(isLate: true), .refused(.noAgent), .pausing(.noAgent): return (.waiting, .noAgent)
    case .refused: return (.waiting, .none)
    case .pausing(let reason): return (.unavailable, reason)
    case .running:
      if !isActive { return (.waiting, .none) }
      if available == AccuracyLevel.none { return (.unavailable, .noSource) }
      return hasFix ? (.running, .none) : (.waiting, .noFix)
    }
  }
}
