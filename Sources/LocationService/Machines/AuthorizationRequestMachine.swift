// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// The state machine of one `RequestAuthorization` call. Waits for the caller's authorization to be decided and asks
/// the user if that can grant more.
nonisolated struct AuthorizationRequestMachine: ClientMachine {
  let options: ClientOptions
  private var state = State.gathering
  private var access = ClientAccess(authorization: .undecided)
  private var source: SourceStatus
  private let arrivedAt: BootInstant
  private let isInteractive: Bool
  private let sourceDecides: Bool

  enum Event: CallEvent {
    case prepared
    case access(ClientAccess)
    case source(SourceStatus)
    case dialogEnded(Authorization)
    /// No dialog can be opened now.
    case dialogUnavailable(Limits.Key)
    case timer
    case close(ClosedReason?)
  }

  enum Action: Equatable, Sendable {
    /// Require the source at this level, or no longer.
    case need(AccuracyLevel?)
    case audit(Authorization)
    case openDialog
    /// End the call and release everything.
    case end
    case reply(Authorization)
    case refuse(DBusError)
  }

  private enum State {
    /// The facts about the caller are being gathered.
    case gathering
    /// The facts are known, but something is still undecided.
    case waiting
    case asking
    case over
  }

  /// Creates the state machine of a call that arrived at `now`. `isInteractive` allows asking the user.
  init(_ options: ClientOptions, _ source: SourceStatus, isInteractive: Bool, at now: BootInstant, sourceDecides: Bool)
  {
    self.options = options
    self.source = source
    self.isInteractive = isInteractive
    self.sourceDecides = sourceDecides
    arrivedAt = now
  }

  /// Returns the initial actions. If the source decides, it must run before there can be a decision.
  mutating func begin() -> [Action] {
    sourceDecides ? [.need(options.accuracy)] : []
  }

  mutating func handle(_ event: Event, at now: BootInstant) -> [Action] {
    guard state != .over else { return [] }
    switch event {
    case .prepared:
      if state == .gathering { state = .waiting }
      return evaluate()
    case .access(let access):
      self.access = access
      return evaluate()
    case .source(let status):
      source = status
      return evaluate()
    case .dialogEnded(let authorization): return reply(authorization)
    case .dialogUnavailable(let limit): return finish(.refuse(.limitsExceeded(limit)))
    case .timer: return deadline.map { now >= $0 } == true ? answer() : []
    case .close(let reason): return reason == nil ? finish(nil) : answer()
    }
  }
}

nonisolated extension AuthorizationRequestMachine {
  var deadline: BootInstant? {
    guard state != .over else { return nil }
    return arrivedAt + (state == .asking ? AnswerDeadlines.dialog : AnswerDeadlines.gathering)
  }

  private mutating func evaluate() -> [Action] {
    guard state == .waiting else { return [] }
    let isHopeless = sourceDecides && source.state == .unavailable
    guard access.authorization.reason != .undecided || isHopeless else { return [] }
    guard isInteractive, access.canAsk else { return answer() }
    state = .asking
    return [.openDialog]
  }

  private mutating func answer() -> [Action] {
    let authorization = access.authorization
    if authorization.reason == .authorizationRequired, !isInteractive {
      return finish(.refuse(.interactionRequired(authorization)))
    }
    return reply(authorization)
  }

  private mutating func reply(_ authorization: Authorization) -> [Action] {
    [.audit(authorization)] + finish(.reply(authorization))
  }

  private mutating func finish(_ answer: Action?) -> [Action] {
    state = .over
    return (sourceDecides ? [.need(nil)] : []) + [.end] + (answer.map { [$0] } ?? [])
  }
}
