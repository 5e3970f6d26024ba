// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Who listens, and for what.
nonisolated extension ConnectionMachine {
  mutating func demand(_ level: AccuracyLevel?, _ now: Int64) -> [Action] {
    wanted = level
    guard let level else { return release() }
    switch state {
    case .idle:
      // A new listener gets a new try, unless the last one was only just now.
      if isServiceThere || now >= mayActivateAt ?? now { trouble = .none }
      return connect(now)
    case .starting(_, let present), .running(_, let present):
      // GeoClue reads the level only when a client starts.
      coarserAt = level < present ? coarserAt ?? now + Self.coarserDelay : nil
      return level > present ? replaceClient(now) : []
    case .activating, .creating, .pausing: return []
    }
  }

  private mutating func release() -> [Action] {
    let actions = dropClient()
    state = .idle
    authorization = .undecided()
    agentLevel = nil
    return actions
  }

  mutating func refresh(_ now: Int64) -> [Action] {
    guard wanted != nil else { return [] }
    switch state {
    case .running: return hasFix && isActive ? [.readLocation] : []
    case .pausing:
      let earliest = max(mayActivateAt ?? now, (connectedAt ?? now) + Self.clientGap, now)
      stateDeadline = min(stateDeadline, earliest)
      return []
    case .idle, .activating, .creating, .starting: return []
    }
  }

  mutating func startOver(_ now: Int64) -> [Action] {
    client == nil ? refresh(now) : replaceClient(now)
  }
}

/// GeoClue's comings and goings.
nonisolated extension ConnectionMachine {
  mutating func appeared(_ now: Int64, _ chance: Double) -> [Action] {
    if isServiceThere { _ = vanished(now, chance) }
    isServiceThere = true
    isActivating = false
    if trouble == .geoclueNotInstalled || trouble == .geoclueRestarting { trouble = .none }
    guard wanted != nil else {
      probedAt = now
      return [.readAvailableAccuracy]
    }
    return connect(now)
  }

  /// Without an agent GeoClue never hands out a client; which of the two reasons it is only the reply to us tells.
  mutating func agentRefused() -> [Action] {
    isAgentRefused = true
    if state == .creating || trouble == .noAgent { trouble = .disallowedByConfiguration }
    return []
  }

  /// Whether the trouble is that there is no agent.
  private var lacksAgent: Bool { trouble == .noAgent || (isAgentRefused && trouble == .disallowedByConfiguration) }

  mutating func vanished(_ now: Int64, _ chance: Double) -> [Action] {
    isServiceThere = false
    isCreationPending = false
    creationHeardAt = nil
    probedAt = nil
    available = nil
    if let runningSince, now - runningSince >= Self.steadyRun { restartPause.reset() }
    // Its clients have gone with it.
    _ = dropClient()
    switch state {
    case .idle, .activating, .pausing: break
    case .creating: pause(lacksAgent ? trouble : .geoclueRestarting, now, chance)
    case .starting, .running: pause(.geoclueRestarting, now, chance)
    }
    return []
  }

  mutating func activated(_ now: Int64) -> [Action] {
    isActivating = false
    // The bus tells of the owner first; if there is none, GeoClue has ended before we heard of it.
    if state == .activating { stateDeadline = min(stateDeadline, now + Self.clientGap) }
    return []
  }

  mutating func activationFailed(notInstalled: Bool, _ now: Int64, _ chance: Double) -> [Action] {
    isActivating = false
    guard state == .activating else { return [] }
    // Longer than one failed try nobody goes on believing what a GeoClue said that is no more.
    authorization = .undecided()
    pause(notInstalled ? .geoclueNotInstalled : .geoclueRestarting, now, chance)
    return []
  }
}

/// The client's life.
nonisolated extension ConnectionMachine {
  mutating func created(_ client: String, _ now: Int64) -> [Action] {
    isCreationPending = false
    creationHeardAt = nil
    agentPause.reset()
    agentCheck.reset()
    guard state == .creating, let wanted else { return [.deleteClient(client)] }
    if lacksAgent || trouble == .geoclueRestarting { trouble = .none }
    isAgentRefused = false
    state = .starting(client: client, wanted)
    stateDeadline = now + Self.startDeadline
    isActive = true
    return [.startClient(client, wanted)]
  }

  mutating func creationFailed(_ failure: Failure, _ now: Int64, _ chance: Double) -> [Action] {
    isCreationPending = false
    creationHeardAt = nil
    guard state == .creating else { return [] }
    fail(failure, lacksAgent ? trouble : .geoclueRestarting, now, chance)
    return []
  }

  mutating func started(_ now: Int64) -> [Action] {
    guard case .starting(let client, let level) = state else { return [] }
    state = .running(client: client, level)
    runningSince = now
    trouble = .none
    refusalPause.reset()
    authorize()
    return []
  }

  mutating func startFailed(_ failure: Failure, _ now: Int64, _ chance: Double) -> [Action] {
    guard case .starting = state else { return [] }
    let actions = dropClient()
    fail(failure, .geoclueRestarting, now, chance)
    return actions
  }

  mutating func activeChanged(_ isActive: Bool) -> [Action] {
    guard client != nil else { return [] }
    self.isActive = isActive
    if !isActive { forgetFix() }
    if case .running = state { authorize() }
    return []
  }

  mutating func availableChanged(_ level: AccuracyLevel?, _ now: Int64, _ chance: Double) -> [Action] {
    let wasAsked = probedAt != nil
    probedAt = nil
    if state == .creating { signOfLife(isAnswer: wasAsked, now, chance) }
    guard let level, isServiceThere else { return [] }
    available = level
    guard case .running = state, source.isLost(at: now, available: level) else { return [] }
    return replaceClient(now)
  }

  mutating func fix(_ now: Int64) -> [Action] {
    guard acceptsFixes else { return [] }
    hasFix = true
    source.fix(at: now, available: available)
    // GeoClue tells only whom it has started; its reply that says so may come later.
    authorize()
    return []
  }

  mutating func agentChanged(_ level: AccuracyLevel?, _ now: Int64) -> [Action] {
    guard wanted != nil else { return [] }
    agentLevel = level
    if level == AccuracyLevel.none {
      // Its own word is enough; that GeoClue confirms it is not waited for.
      authorization = .denied(.disabledByUser)
      if client != nil { trouble = .disabledByUser }
    }
    switch state {
    case .starting, .running:
      settlesAt = now + Self.agentDelay
      return replaceClient(now)
    case .pausing where isServiceThere || lacksAgent: return connectSoon(now)
    case .idle, .activating, .creating, .pausing: return []
    }
  }
}

/// Time passes.
nonisolated extension ConnectionMachine {
  mutating func timer(_ now: Int64, _ chance: Double) -> [Action] {
    guard let deadline, now >= deadline else { return [] }
    switch state {
    case .activating:
      isActivating = false
      authorization = .undecided()
      pause(.geoclueRestarting, now, chance)
      return []
    case .creating: return stillCreating(now, chance)
    case .starting:
      let actions = dropClient()
      fail(.other, .geoclueRestarting, now, chance)
      return actions
    case .running: return replaceClient(now)
    case .pausing: return connect(now)
    case .idle: return []
    }
  }

  /// `CreateClient` is still not answered: because there is no agent, or because GeoClue does not answer anything. It is
  /// asked something else to find out.
  private mutating func stillCreating(_ now: Int64, _ chance: Double) -> [Action] {
    if let probedAt, now - probedAt >= Self.agentDeadline {
      trouble = .geoclueRestarting
      authorization = .undecided()
      stateDeadline = now + agentCheck.next(chance: chance)
    } else {
      stateDeadline = now + Self.agentDeadline
    }
    probedAt = now
    return registersAgent ? [.readAvailableAccuracy, .registerAgent] : [.readAvailableAccuracy]
  }

  /// GeoClue answers, and still has not handed out a client.
  private mutating func signOfLife(isAnswer: Bool, _ now: Int64, _ chance: Double) {
    guard let creationHeardAt else {
      // One that has hung until now has only now begun to look for an agent.
      creationHeardAt = now
      stateDeadline = now + Self.agentDeadline
      return
    }
    guard now - creationHeardAt >= Self.agentDeadline else { return }
    trouble = isAgentRefused ? .disallowedByConfiguration : .noAgent
    authorization = .undecided(.noAgent)
    if isAnswer { stateDeadline = now + agentCheck.next(chance: chance) }
  }
}

/// What the transitions have in common.
nonisolated extension ConnectionMachine {
  private mutating func connect(_ now: Int64) -> [Action] {
    guard isServiceThere else {
      if let mayActivateAt, now < mayActivateAt {
        state = .pausing
        stateDeadline = mayActivateAt
        return []
      }
      state = .activating
      stateDeadline = now + Self.activationDeadline
      guard !isActivating else { return [] }
      isActivating = true
      connectedAt = now
      return [.activate]
    }
    state = .creating
    probedAt = now
    stateDeadline = now + Self.agentDeadline
    // One call is enough: as soon as GeoClue answers anything, it is known what it has left that call for.
    guard !isCreationPending else { return [.readAvailableAccuracy] }
    isCreationPending = true
    creationHeardAt = nil
    connectedAt = now
    return (registersAgent ? [.registerAgent] : []) + [.createClient, .readAvailableAccuracy]
  }

  /// Connects now, or a little later if the last client is very young or GeoClue needs time.
  private mutating func connectSoon(_ now: Int64) -> [Action] {
    let earliest = max(connectedAt.map { $0 + Self.clientGap } ?? now, settlesAt ?? now)
    guard now < earliest else { return connect(now) }
    state = .pausing
    stateDeadline = earliest
    return []
  }

  private mutating func replaceClient(_ now: Int64) -> [Action] {
    // The old one first: while it lives, GeoClue's sources keep what they measured for it.
    dropClient() + connectSoon(now)
  }

  private mutating func dropClient() -> [Action] {
    forgetFix()
    coarserAt = nil
    runningSince = nil
    return client.map { [.deleteClient($0)] } ?? []
  }

  private mutating func forgetFix() {
    hasFix = false
    source = SourceWatch()
  }

  private mutating func authorize() {
    // An agent that says "off" and yet lets GeoClue start us is not the one that GeoClue listens to.
    let level = agentLevel == AccuracyLevel.none ? nil : agentLevel
    authorization = isActive ? .authorized(.always, level: level ?? .exact) : .denied(.disabledByUser)
  }

  private mutating func fail(_ failure: Failure, _ reason: UpstreamReason, _ now: Int64, _ chance: Double) {
    guard case .refused(let refusal) = failure else { return pause(reason, now, chance) }
    trouble = UpstreamReason(refusal: refusal)
    if let refused = Authorization(refusedFor: refusal) { authorization = refused }
    state = .pausing
    stateDeadline = now + refusalPause.next(chance: chance)
  }

  private mutating func pause(_ reason: UpstreamReason, _ now: Int64, _ chance: Double) {
    trouble = reason
    state = .pausing
    let pause =
      reason == .noAgent || isAgentRefused ? agentPause.next(chance: chance) : restartPause.next(chance: chance)
    stateDeadline = now + pause
    mayActivateAt = min(stateDeadline, (connectedAt ?? now) + Self.activationGap)
  }
}
