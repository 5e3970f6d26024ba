// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The access of a client, computed only from the facts.
///
/// Refusals take precedence over facts that may still change, and rules over the user's own choice. The result
/// therefore does not depend on the order in which facts arrive. A relevant fact that is unknown makes the decision
/// undecided.
nonisolated struct Decision: Hashable, Sendable {
  let authorization: Authorization
  /// The action for which a dialog could grant more access, or nil.
  let dialog: PolkitAction?

  /// Decides in the system deployment.
  init(_ facts: Facts, asking asked: AccuracyLevel) {
    if let decision = Self.byRule(facts) {
      self = decision
    } else {
      let decision = Self.byPolicy(facts, asking: asked)
      let authorization = decision.authorization
      self = Decision(
        facts.placement == .outside ? authorization.outsideSession() : authorization, dialog: decision.dialog)
    }
  }

  /// Decides in the session deployment. GeoClue itself judges the user; the service adds only what GeoClue cannot see.
  init(_ facts: Facts, asking asked: AccuracyLevel, geoClue authorization: Authorization) {
    self =
      switch facts.confinement {
      case .unknown: Decision(.undecided)
      case .sandbox, .unverifiable: Decision(.refused(.sandboxed))
      case .host:
        facts.rule == .silent ? Decision(authorization.asking(asked)) : Decision(.refused(.disallowedByConfiguration))
      }
  }

  private init(_ authorization: Authorization, dialog: PolkitAction? = nil) {
    self.authorization = authorization
    self.dialog = dialog
  }

  /// Returns the decision that does not depend on polkit, or nil.
  private static func byRule(_ facts: Facts) -> Decision? {
    let isTrusted = facts.user != .other
    switch facts.confinement {
    case .host: break
    case .unknown: return Decision(.undecided)
    case .sandbox: return Decision(.refused(.sandboxed))
    case .unverifiable: if !isTrusted { return Decision(.refused(.sandboxed)) }
    }
    if facts.rule == .disallowed { return Decision(.refused(.disallowedByConfiguration)) }
    return isTrusted ? Decision(.authorized(.always)) : nil
  }

  private static func byPolicy(_ facts: Facts, asking asked: AccuracyLevel) -> Decision {
    switch facts.withoutAgent {
    case .yes: return Decision(.authorized(.always))
    case .unavailable: return Decision(.refused(.policyUnavailable))
    case .unknown: return Decision(.undecided)
    case .no, .challenge: break
    }
    let isPrecise = facts.precise == .yes
    if !isPrecise, facts.precise == .unavailable || facts.reduced == .unavailable {
      return Decision(.refused(.policyUnavailable))
    }
    switch facts.session {
    // Checked before the remaining polkit answers, because polkit must be asked again after each session change.
    case .inactive: return Decision(.refused(.sessionInactive))
    case .unknown: return Decision(.undecided)
    case .active, .untracked: break
    }
    if !isPrecise, facts.precise == .unknown || facts.reduced == .unknown { return Decision(.undecided) }
    let permission = permission(facts, asking: asked)
    if permission == Permission() { return Decision(.refused(.disallowedByPolicy)) }
    switch facts.agent {
    case .unknown: return Decision(.undecided)
    case .none: return Decision(.refused(.noAgent))
    case .level(.none): return Decision(.refused(.disabledByUser))
    case .level(let level): return byAgent(permission, agent: level, asking: asked)
    }
  }

  /// The access that polkit permits without and with a dialog.
  private struct Permission: Equatable {
    var level: AccuracyLevel?
    /// The level that a dialog can grant, and the action to ask about.
    var reachable: AccuracyLevel?
    var dialog: PolkitAction?
  }

  private static func permission(_ facts: Facts, asking asked: AccuracyLevel) -> Permission {
    let reduced = PolkitAction.reducedLevel
    return switch (facts.precise, facts.reduced) {
    case (.yes, _): Permission(level: .exact)
    case (.challenge, .yes): Permission(level: reduced, reachable: .exact, dialog: .accessPrecise)
    // Ask for no more than the caller needs.
    case (.challenge, .challenge) where asked <= reduced: Permission(reachable: reduced, dialog: .access)
    case (.challenge, _): Permission(reachable: .exact, dialog: .accessPrecise)
    case (_, .yes): Permission(level: reduced)
    case (_, .challenge): Permission(reachable: reduced, dialog: .access)
    default: Permission()
    }
  }

  private static func byAgent(_ permission: Permission, agent: AccuracyLevel, asking asked: AccuracyLevel) -> Decision {
    let level = permission.level.map { min($0, agent) }
    // Do not show a dialog that cannot improve on the requested level.
    let isWorthADialog =
      permission.reachable.map { reachable in
        level.map { min(reachable, agent, asked) > $0 } ?? true
      } ?? false
    let dialog = isWorthADialog ? permission.dialog : nil
    guard let level else { return Decision(.refused(.authorizationRequired), dialog: dialog) }
    return Decision(.authorized(.whenInUse, level: level, asked: asked), dialog: dialog)
  }
}
