// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The state machine of one `RequestAuthorization` call. Waits for the caller's authorization to be decided and asks
/// the user if that can grant more.
nonisolated struct AuthorizationRequestMachine: ClientMachine {
  let options: ClientOptions
  private var state = State.gathering
  private var standing = Standing(authorization: .undecided)
  private var source: SourceStatus
  private var engagement = Engagement()
  private let arrivedAt: UInt64
  private let isInteractive: Bool
  private let sourceDecides: Bool

  private enum State {
    /// The facts about the caller are being gathered.
    case gathering
    /// The facts are known, but something is still undecided.
    case waiting
    case asking
    case over
  }

  /// Slightly less than the 5 s within which every call is answered, in microseconds from its arrival.
  static let deadline: UInt64 = 4_500_000
  /// Slightly less than the 120 s within which an interactive call is answered, in microseconds from its arrival.
  static let dialogDeadline: UInt64 = 119_000_000

  /// Creates the state machine of a call that arrived at `now`. `isInteractive` allows asking the user.
  init(_ options: ClientOptions, _ source: SourceStatus, isInteractive: Bool, at now: UInt64, sourceDecides: Bool) {
    self.options = options
    self.source = source
    self.isInteractive = isInteractive
    self.sourceDecides = sourceDecides
    arrivedAt = now
  }

  /// Returns the initial actions. If the source decides, it must run before there can be a decision.
  mutating func begin() -> [ClientAction] {
    [.armTimer(arrivedAt + Self.deadline)]
      + engagement.change(to: Engagement(need: sourceDecides ? options.accuracy : nil))
  }

  mutating func handle(_ event: ClientEvent, at now: UInt64) -> [ClientAction] {
    guard state != .over else { return [] }
    switch event {
    case .prepared:
      if state == .gathering { state = .waiting }
      return evaluate()
    case .standing(let standing):
      self.standing = standing
      return evaluate()
    case .source(let status):
      source = status
      return evaluate()
    case .dialogEnded(let authorization): return reply(authorization)
    case .dialogUnavailable(let limit): return finish(.refuse(.limitsExceeded(limit)))
    case .timer: return now >= deadline ? answer() : [.armTimer(deadline)]
    case .close: return answer()
    case .ownerLeft: return finish(nil)
    case .start, .stop, .options, .location, .failure, .clockChanged, .slept, .check: return []
    }
  }
}

nonisolated extension AuthorizationRequestMachine {
  private var deadline: UInt64 { arrivedAt + (state == .asking ? Self.dialogDeadline : Self.deadline) }

  private mutating func evaluate() -> [ClientAction] {
    guard state == .waiting else { return [] }
    let isHopeless = sourceDecides && source.state == .unavailable
    guard standing.authorization.reason != .undecided || isHopeless else { return [] }
    guard isInteractive, standing.canAsk else { return answer() }
    state = .asking
    return [.armTimer(deadline), .openDialog]
  }

  private mutating func answer() -> [ClientAction] {
    let authorization = standing.authorization
    if authorization.reason == .authorizationRequired, !isInteractive {
      return finish(.refuse(.interactionRequired(authorization)))
    }
    return reply(authorization)
  }

  private mutating func reply(_ authorization: Authorization) -> [ClientAction] {
    [.audit(authorization)] + finish(.reply(authorization))
  }

  private mutating func finish(_ answer: ClientAction?) -> [ClientAction] {
    state = .over
    return engagement.change(to: Engagement()) + [.end(nil)] + (answer.map { [$0] } ?? [])
  }
}
