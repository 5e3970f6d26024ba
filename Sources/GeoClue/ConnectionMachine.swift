// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The connection to GeoClue as a pure state machine: events in, actions out.
///
/// It never blocks. If GeoClue does not create a client, the reason is "no agent"; a client that arrives after the
/// last subscriber has left is deleted immediately; an exit of GeoClue leads to a pause, which grows with each
/// repetition. The caller sends ``Event/timer`` when ``deadline`` has passed.
nonisolated package struct ConnectionMachine: Sendable {
  private enum State: Sendable {
    /// There are no subscribers, and nothing is held.
    case idle
    case activating(until: MonotonicInstant)
    case creating(until: MonotonicInstant)
    case starting(HeldClient, until: MonotonicInstant)
    case running(HeldClient)
    /// ``trouble`` is the reason.
    case pausing(until: MonotonicInstant)
  }

  /// The time of an event, and a random number from 0 to 1 that spreads pauses.
  private struct Moment {
    let now: MonotonicInstant
    let chance: Double
  }

  /// If GeoClue has had `CreateClient` for this long, and answers other calls, there is no agent: a live one registers
  /// within milliseconds. If GeoClue answers no call for that long, it hangs.
  static let agentDeadline = Duration.seconds(2)
  static let activationDeadline = Duration.seconds(30)
  /// The time from a refusal that the agent has announced to the next attempt.
  static let announcedOff = Duration.seconds(300)
  /// GeoClue starts a client within milliseconds; before 2.6 it waited 5 s for an agent.
  static let startDeadline = Duration.seconds(8)

  /// Whether the service itself is the agent of its user.
  package let registersAgent: Bool
  /// The authorization that GeoClue would give now; unknown without subscribers, because GeoClue then has no client to
  /// decide about.
  package private(set) var authorization = Authorization.undecided
  private var state = State.idle
  private var wanted: AccuracyLevel?
  private var geoclue = GeoCluePresence()
  private var pacing = ConnectionPacing()
  /// The last failure, until the next success.
  private var trouble = SourceReason.none
  /// Whether GeoClue has refused the service as an agent since the last client.
  private var isAgentRefused = false
  /// The level that the user's agent announced last. Kept without subscribers, because the agent is still watched.
  private var agentLevel: AccuracyLevel?

  package init(registersAgent: Bool = false) { self.registersAgent = registersAgent }

  package mutating func handle(_ event: Event, at now: MonotonicInstant, chance: Double) -> [Action] {
    if event == .timer, deadline.map({ now < $0 }) ?? true { return [] }
    // One owner may replace another.
    if event == .serviceAppeared, geoclue.isThere { _ = handle(.serviceVanished, at: now, chance: chance) }
    if case .demand(let level) = event {
      wanted = level
      if level == nil { return release() }
    }
    let withdrawsOff = withdrawsOff(event)
    note(event, at: now)
    defer { if withdrawsOff { endRefusal() } }
    let moment = Moment(now: now, chance: chance)
    switch state {
    case .idle: return whileIdle(event, moment)
    case .activating(let until): return whileActivating(event, moment, until)
    case .creating: return whileCreating(event, moment)
    case .starting(let client, _): return whileStarting(client, event, moment)
    case .running(let client): return whileRunning(client, event, moment)
    case .pausing(let until): return whilePausing(event, moment, until, withdrawsOff)
    }
  }

  /// The effects that an event has in every state.
  private mutating func note(_ event: Event, at now: MonotonicInstant) {
    switch event {
    case .serviceAppeared:
      geoclue.appeared()
      if trouble == .geoclueNotInstalled || trouble == .geoclueRestarting { trouble = .none }
    case .serviceVanished:
      geoclue.vanished()
      pacing.exited(at: now)
    case .activated, .activationFailed: geoclue.activationEnded()
    case .created:
      geoclue.creationEnded()
      pacing.clientArrived()
    case .creationFailed: geoclue.creationEnded()
    case .agentRefused:
      // Without an agent GeoClue never creates a client; only its other replies show whether it hangs instead.
      isAgentRefused = true
      if case .creating = state { trouble = .disallowedByConfiguration }
      if trouble == .noAgent { trouble = .disallowedByConfiguration }
    case .agentChanged(let level):
      let before = agentLevel
      agentLevel = level
      geoclue.agentChanged()
      guard wanted != nil else { return }
      if let level, level > .none, level < authorization.level, authorization.isAuthorized {
        // A lower level counts before GeoClue has started a client with it. A higher one does not.
        authorization = .authorized(.always, level: level)
      }
      // If GeoClue has started a client in spite of it, only GeoClue's answer to the next client can refuse.
      guard level == AccuracyLevel.none, before != level || !authorization.isAuthorized else { return }
      // The agent's announcement is enough; GeoClue need not confirm it.
      authorization = .refused(.disabledByUser)
      if client != nil { trouble = .disabledByUser }
    default: break
    }
  }

  /// Whether an agent announces "on", or withdraws its "off".
  private func withdrawsOff(_ event: Event) -> Bool {
    guard case .agentChanged(let level) = event else { return false }
    return level.map { $0 > .none } ?? (agentLevel == AccuracyLevel.none)
  }

  /// Ends the refusal of such an agent, even if GeoClue cannot start a client yet. Called after the transition, because
  /// ``whilePausing(_:_:_:_:)`` reacts to the refusal.
  private mutating func endRefusal() {
    if authorization == .refused(.disabledByUser) { authorization = .undecided }
    if trouble == .disabledByUser { trouble = .none }
  }

  private mutating func whileIdle(_ event: Event, _ moment: Moment) -> [Action] {
    switch event {
    case .demand:
      // A new subscriber causes a new attempt, unless the last one was very recent.
      if geoclue.isThere || pacing.activation(at: moment.now) <= moment.now { trouble = .none }
      return connect(moment)
    case .serviceAppeared:
      geoclue.probed(at: moment.now)
      return [.readAvailableAccuracy]
    case .available(let level): geoclue.heard(level)
    case .created(let client): return [.deleteClient(client)]
    default: break
    }
    return []
  }

  private mutating func whileActivating(_ event: Event, _ moment: Moment, _ until: MonotonicInstant) -> [Action] {
    switch event {
    case .serviceAppeared: return connect(moment)
    case .activated:
      // The bus announces the owner first; without one, GeoClue ended before this reply.
      state = .activating(until: min(until, moment.now + ConnectionPacing.clientGap))
    case .activationFailed(let notInstalled): activationFailed(notInstalled ? .geoclueNotInstalled : nil, moment)
    case .timer:
      geoclue.activationEnded()
      activationFailed(nil, moment)
    case .created(let client): return [.deleteClient(client)]
    default: break
    }
    return []
  }

  private mutating func whileCreating(_ event: Event, _ moment: Moment) -> [Action] {
    // While there is no agent, a failure only confirms that.
    let reason = lacksAgent ? trouble : .geoclueRestarting
    switch event {
    case .created(let path):
      guard let wanted else { return [.deleteClient(path)] }
      let isDiscarded = geoclue.isPendingClientOutdated && !lacksAgent
      geoclue.discarded(isDiscarded)
      if isDiscarded {
        // A client that GeoClue left pending for want of an agent has the new one.
        return [.deleteClient(path)] + connect(moment, notBefore: pacing.replacement(at: moment.now))
      }
      if lacksAgent || trouble == .geoclueRestarting { trouble = .none }
      isAgentRefused = false
      state = .starting(HeldClient(path, wanted), until: moment.now + Self.startDeadline)
      return [.startClient(path, wanted)]
    case .creationFailed(let failure): fail(failure, reason, moment)
    case .available(let level): signOfLife(level, moment)
    case .timer: return stillCreating(moment)
    case .serviceVanished: pause(reason, moment)
    default: break
    }
    return []
  }

  private mutating func whileStarting(_ client: HeldClient, _ event: Event, _ moment: Moment) -> [Action] {
    switch event {
    case .started:
      state = .running(client)
      trouble = .none
      pacing.clientStarted(at: moment.now)
      authorize(client)
      return []
    case .startFailed(let failure):
      forgetRefusal()
      fail(failure, .geoclueRestarting, moment)
      return [.deleteClient(client.path)]
    case .timer:
      forgetRefusal()
      pause(.geoclueRestarting, moment)
      return [.deleteClient(client.path)]
    case .active(let isActive):
      update(client) { $0.active(isActive) }
      return []
    case .available(let level):
      geoclue.heard(level)
      return []
    default: return whileHolding(client, event, moment)
    }
  }

  private mutating func whileRunning(_ client: HeldClient, _ event: Event, _ moment: Moment) -> [Action] {
    switch event {
    case .refresh: return renew(client, moment)
    case .fix(let isNew):
      guard client.isActive else { return [] }
      let available = geoclue.available
      authorize(update(client) { $0.fix(isNew: isNew, at: moment.now, available: available) })
      return []
    case .active(let isActive):
      authorize(update(client) { $0.active(isActive) })
      return []
    case .available(let level):
      geoclue.heard(level)
      guard let level, client.hasLostSource(at: moment.now, available: level) else { return [] }
      return replace(client, moment)
    case .timer:
      let isObsolete = client.isObsolete(at: moment.now, available: geoclue.available)
      return isObsolete ? replace(client, moment) : renew(client, moment)
    default: return whileHolding(client, event, moment)
    }
  }

  /// Handles events that mean the same for a starting and a running client.
  private mutating func whileHolding(_ client: HeldClient, _ event: Event, _ moment: Moment) -> [Action] {
    switch event {
    case .demand(let level):
      var isTooCoarse = false
      update(client) { isTooCoarse = $0.isTooCoarse(for: level ?? $0.level, at: moment.now) }
      return isTooCoarse ? replace(client, moment) : []
    case .startOver: return replace(client, moment)
    case .agentChanged:
      pacing.settle(at: moment.now)
      return replace(client, moment)
    case .created(let other): return [.deleteClient(other)]
    case .serviceVanished:
      // GeoClue's clients exited with it.
      pause(.geoclueRestarting, moment)
    default: break
    }
    return []
  }

  private mutating func whilePausing(
    _ event: Event, _ moment: Moment, _ until: MonotonicInstant, _ withdrawsOff: Bool
  ) -> [Action] {
    switch event {
    case .timer: return connect(moment)
    case .serviceAppeared:
      if forgetRefusal() { trouble = .none }
      return connect(moment)
    // An agent also announces "on" while GeoClue is not running.
    case .agentChanged
    where geoclue.isThere || lacksAgent || authorization == .refused(.disabledByUser) && withdrawsOff:
      return connect(moment, notBefore: pacing.replacement(at: moment.now))
    case .refresh, .startOver: state = .pausing(until: min(until, pacing.earlyRetry(at: moment.now)))
    case .available(let level): geoclue.heard(level)
    case .created(let client): return [.deleteClient(client)]
    default: break
    }
    return []
  }
}

/// Steps shared by several transitions.
nonisolated extension ConnectionMachine {
  private mutating func release() -> [Action] {
    let actions = client.map { [Action.deleteClient($0)] } ?? []
    state = .idle
    authorization = .undecided
    return actions
  }

  private mutating func connect(_ moment: Moment, notBefore: MonotonicInstant = .distantPast) -> [Action] {
    let now = moment.now
    let earliest = max(notBefore, geoclue.isThere ? clientTime(now) : pacing.activation(at: now))
    guard now >= earliest else {
      state = .pausing(until: earliest)
      return []
    }
    guard geoclue.isThere else {
      state = .activating(until: now + Self.activationDeadline)
      guard geoclue.beginActivation() else { return [] }
      pacing.activated(at: now)
      return [.activate]
    }
    state = .creating(until: now + Self.agentDeadline)
    geoclue.probed(at: now)
    guard geoclue.beginCreation() else { return [.readAvailableAccuracy] }
    pacing.clientCreated(at: now)
    return (registersAgent ? [.registerAgent] : []) + [.createClient, .readAvailableAccuracy]
  }

  /// Forgets a refusal by another GeoClue or in an earlier attempt, but not an agent's "off", which outlives GeoClue.
  @discardableResult
  private mutating func forgetRefusal() -> Bool {
    let isRefused = authorization.status == .restricted || authorization.status == .denied
    guard isRefused, agentLevel != AccuracyLevel.none else { return false }
    authorization = .undecided
    return true
  }

  /// Forgets what a GeoClue that hangs or has exited has told, but not an agent's "off".
  private mutating func distrustGeoClue() {
    let isOff = authorization == .refused(.disabledByUser) && agentLevel == AccuracyLevel.none
    if !isOff { authorization = .undecided }
  }

  /// Whether the failure is that there is no agent.
  private var lacksAgent: Bool { trouble == .noAgent || (isAgentRefused && trouble == .disallowedByConfiguration) }

  private func clientTime(_ now: MonotonicInstant) -> MonotonicInstant {
    geoclue.isCreationPending ? now : pacing.client(at: now)
  }

  private mutating func replace(_ client: HeldClient, _ moment: Moment) -> [Action] {
    // Delete the old client first: while it exists, GeoClue's sources keep what they measured for it.
    [.deleteClient(client.path)] + connect(moment, notBefore: pacing.replacement(at: moment.now))
  }

  private mutating func renew(_ client: HeldClient, _ moment: Moment) -> [Action] {
    var isNow = false
    update(client) { isNow = $0.wantsRenewal(at: moment.now) }
    return isNow ? replace(client, moment) : []
  }

  /// Handles a `CreateClient` that is still unanswered, because there is no agent or because GeoClue hangs. Another
  /// call finds out which.
  private mutating func stillCreating(_ moment: Moment) -> [Action] {
    var until = moment.now + Self.agentDeadline
    if geoclue.hangs(at: moment.now) {
      trouble = .geoclueRestarting
      distrustGeoClue()
      until = pacing.nextAgentCheck(at: moment.now, chance: moment.chance)
    }
    state = .creating(until: until)
    geoclue.probed(at: moment.now)
    return registersAgent ? [.readAvailableAccuracy, .registerAgent] : [.readAvailableAccuracy]
  }

  private mutating func signOfLife(_ level: AccuracyLevel?, _ moment: Moment) {
    switch geoclue.heardWhileCreating(level, at: moment.now) {
    case .first: state = .creating(until: moment.now + Self.agentDeadline)
    case .early: break
    case .noAgent(let isAnswer):
      trouble = isAgentRefused ? .disallowedByConfiguration : .noAgent
      authorization = .refused(.noAgent)
      if isAnswer { state = .creating(until: pacing.nextAgentCheck(at: moment.now, chance: moment.chance)) }
    }
  }

  private mutating func activationFailed(_ reason: SourceReason?, _ moment: Moment) {
    // An authorization by a GeoClue that has exited is not trusted for longer than one failed attempt.
    distrustGeoClue()
    pause(reason ?? .geoclueRestarting, moment)
  }

  private mutating func fail(_ failure: Failure, _ reason: SourceReason, _ moment: Moment) {
    guard case .refused(let refusal) = failure else { return pause(reason, moment) }
    trouble = SourceReason(refusal: refusal)
    authorization = .refused(refusal)
    let retry = pacing.afterRefusal(at: moment.now, chance: moment.chance)
    // An agent that has announced "off" announces "on", too.
    let isAnnounced = refusal == .disabledByUser && agentLevel == AccuracyLevel.none
    state = .pausing(until: isAnnounced ? max(retry, moment.now + Self.announcedOff) : retry)
  }

  private mutating func pause(_ reason: SourceReason, _ moment: Moment) {
    trouble = reason
    let end = pacing.afterFailure(
      isForAgent: reason == .noAgent || isAgentRefused, at: moment.now, chance: moment.chance)
    state = .pausing(until: end)
  }

  /// Changes the client in the state that holds it.
  @discardableResult
  private mutating func update(_ client: HeldClient, _ change: (inout HeldClient) -> Void) -> HeldClient {
    var client = client
    change(&client)
    if case .starting(_, let until) = state {
      state = .starting(client, until: until)
    } else {
      state = .running(client)
    }
    return client
  }

  private mutating func authorize(_ client: HeldClient) {
    // An agent that announces "off" while GeoClue still starts clients is not the one that GeoClue follows.
    let level = agentLevel == AccuracyLevel.none ? nil : agentLevel
    authorization = client.isActive ? .authorized(.always, level: level ?? .exact) : .refused(.disabledByUser)
  }
}

/// The state that the caller sees.
nonisolated extension ConnectionMachine {
  private var held: HeldClient? {
    switch state {
    case .starting(let client, _), .running(let client): client
    case .idle, .activating, .creating, .pausing: nil
    }
  }

  /// The client whose signals count.
  package var client: String? { held?.path }

  /// Whether a fix of the client may be passed on.
  package var acceptsFixes: Bool { held?.isActive ?? false }

  /// When ``Event/timer`` is due; nil if there is nothing to wait for.
  package var deadline: MonotonicInstant? {
    switch state {
    case .idle: nil
    case .running(let client): client.deadline
    case .activating(let until), .creating(let until), .starting(_, let until), .pausing(let until): until
    }
  }

  package var status: SourceStatus {
    let (state, reason) = stateAndReason
    return SourceStatus(state: state, reason: reason, availableAccuracy: geoclue.available)
  }

  private var stateAndReason: (SourceState, SourceReason) {
    switch state {
    case .idle: return (.idle, .none)
    case .activating, .creating, .starting, .pausing:
      // A new attempt is not reported until it has a result.
      switch trouble {
      case .none: return (.starting, .none)
      case .noAgent: return (.waiting, .noAgent)
      default: return (.unavailable, trouble)
      }
    case .running(let client):
      if !client.isActive { return (.unavailable, .disabledByUser) }
      if geoclue.available == AccuracyLevel.none { return (.unavailable, .noSource) }
      return client.hasFix ? (.running, .none) : (.waiting, .noFix)
    }
  }
}
