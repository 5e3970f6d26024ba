// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// What a client may have, computed from the facts and nothing else.
///
/// Refusals come before what may still change, and what a rule forbids before what the person does not want: so the
/// answer does not depend on which fact was there first. An unknown fact that matters makes it undecided.
nonisolated struct Decision: Hashable, Sendable {
  let authorization: Authorization
  /// The action about which a dialog could give more; nil where none would help.
  let dialog: PolkitAction?
  /// Whether deliveries wait until a fact behind the authorization has been confirmed.
  private(set) var isHeld = false

  /// The system deployment.
  init(_ facts: Facts, asking asked: AccuracyLevel) {
    if let decision = Self.byRule(facts) {
      self = decision
    } else {
      let decision = Self.byPolicy(facts, asking: asked)
      let authorization = decision.authorization
      self = Decision(
        facts.placement == .outside ? authorization.outsideSession() : authorization, dialog: decision.dialog)
      // For a user whom an administrator's rule names, neither the session nor the agent counts.
      isHeld = facts.withoutAgent == .yes ? facts.held.contains(.policy) : !facts.held.isEmpty
    }
  }

  /// The session deployment, in which GeoClue itself judges the person: only what it cannot see is added.
  init(_ facts: Facts, asking asked: AccuracyLevel, upstream: Authorization) {
    self =
      switch facts.confinement {
      case .unknown: Decision(.undecided())
      case .sandbox, .unverifiable: Decision(.restricted(.sandboxed))
      case .host:
        facts.rule == .silent
          ? Decision(upstream.asking(asked)) : Decision(.restricted(.disallowedByConfiguration))
      }
  }

  private init(_ authorization: Authorization, dialog: PolkitAction? = nil) {
    self.authorization = authorization
    self.dialog = dialog
  }

  /// What is decided before polkit is asked; nil if nothing is.
  private static func byRule(_ facts: Facts) -> Decision? {
    let isTrusted = facts.person != .other
    switch facts.confinement {
    case .host: break
    case .unknown: return Decision(.undecided())
    case .sandbox: return Decision(.restricted(.sandboxed))
    case .unverifiable: if !isTrusted { return Decision(.restricted(.sandboxed)) }
    }
    if facts.rule == .disallowed { return Decision(.restricted(.disallowedByConfiguration)) }
    return isTrusted ? Decision(.authorized(.always)) : nil
  }

  private static func byPolicy(_ facts: Facts, asking asked: AccuracyLevel) -> Decision {
    switch facts.withoutAgent {
    case .yes: return Decision(.authorized(.always))
    case .unavailable: return Decision(.restricted(.policyUnavailable))
    case .unknown: return Decision(.undecided())
    case .no, .challenge: break
    }
    let isPrecise = facts.precise == .yes
    if !isPrecise, facts.precise == .unavailable || facts.reduced == .unavailable {
      return Decision(.restricted(.policyUnavailable))
    }
    switch facts.session {
    // Before what polkit has still to say, which it says anew with each change of a session.
    case .inactive: return Decision(.denied(.sessionInactive))
    case .unknown: return Decision(.undecided())
    case .active, .untracked: break
    }
    if !isPrecise, facts.precise == .unknown || facts.reduced == .unknown { return Decision(.undecided()) }
    let permission = Permission(facts, asking: asked)
    if permission == .none { return Decision(.restricted(.disallowedByPolicy)) }
    switch facts.agent {
    case .unknown: return Decision(.undecided())
    case .none: return Decision(.undecided(.noAgent))
    case .level(.none): return Decision(.denied(.disabledByUser))
    case .level(let level): return byPerson(permission, agent: level, asking: asked)
    }
  }

  /// What polkit permits, now and after a dialog.
  private struct Permission: Equatable {
    static let none = Permission(level: nil, reachable: nil, dialog: nil)

    let level: AccuracyLevel?
    /// The level that a dialog can give, and the action that it is about.
    let reachable: AccuracyLevel?
    let dialog: PolkitAction?

    init(_ facts: Facts, asking asked: AccuracyLevel) {
      switch (facts.precise, facts.reduced) {
      case (.yes, _): self.init(level: .exact, reachable: nil, dialog: nil)
      case (.challenge, .yes): self.init(level: PolkitAction.reducedLevel, reachable: .exact, dialog: .accessPrecise)
      // The person is asked for no more than is needed.
      case (.challenge, .challenge) where asked <= PolkitAction.reducedLevel:
        self.init(level: nil, reachable: PolkitAction.reducedLevel, dialog: .access)
      case (.challenge, _): self.init(level: nil, reachable: .exact, dialog: .accessPrecise)
      case (_, .yes): self.init(level: PolkitAction.reducedLevel, reachable: nil, dialog: nil)
      case (_, .challenge): self.init(level: nil, reachable: PolkitAction.reducedLevel, dialog: .access)
      default: self = .none
      }
    }

    private init(level: AccuracyLevel?, reachable: AccuracyLevel?, dialog: PolkitAction?) {
      self.level = level
      self.reachable = reachable
      self.dialog = dialog
    }
  }

  private static func byPerson(
    _ permission: Permission, agent: AccuracyLevel, asking asked: AccuracyLevel
  ) -> Decision {
    let level = permission.level.map { min($0, agent) }
    // A dialog that brings nothing for what is asked is not worth showing.
    let isWorthADialog =
      permission.reachable.map { reachable in
        level.map { min(reachable, agent, asked) > $0 } ?? true
      } ?? false
    let dialog = isWorthADialog ? permission.dialog : nil
    guard let level else { return Decision(.undecided(.authorizationRequired), dialog: dialog) }
    return Decision(.authorized(.whenInUse, level: level, asked: asked), dialog: dialog)
  }
}
