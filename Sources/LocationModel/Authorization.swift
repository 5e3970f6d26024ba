// SPDX-License-Identifier: Apache-2.0
/// The authorization of a client: a status, its matching reason, and the granted level.
///
/// Created only by ``undecided(_:)``, ``denied(_:)``, ``restricted(_:)``, ``authorized(_:level:asked:)`` or
/// ``init(refusedFor:)``, so that a pair unknown to the D-Bus contract cannot exist.
public struct Authorization: Hashable, Sendable {
  /// Whether access is allowed.
  public let status: AuthorizationStatus
  /// The reason of the status.
  public let reason: AuthorizationReason
  /// The finest level that is granted; ``AccuracyLevel/none`` when not authorized.
  public let level: AccuracyLevel

  /// A more specific sentence than the reason's own.
  private var explanation: String?

  /// The reasons for not having decided.
  public enum Undecided: Sendable {
    /// No location agent is running for the user.
    case noAgent
    /// The user must be asked, which requires an interactive call.
    case authorizationRequired
    /// A check is in progress.
    case undecided
  }

  /// The reasons that depend on the user.
  public enum Denial: Sendable {
    /// Location is turned off.
    case disabledByUser
    /// The user was asked, and refused.
    case rejectedByAgent
    /// The user has no active session.
    case sessionInactive
  }

  /// The reasons that depend on a rule.
  public enum Restriction: Sendable {
    /// GeoClue's configuration forbids the program.
    case disallowedByConfiguration
    /// polkit's rules forbid it to the user.
    case disallowedByPolicy
    /// The program is in a sandbox; its way is the desktop portal.
    case sandboxed
    /// polkit could not be asked.
    case policyUnavailable
  }

  /// How long an authorization lasts.
  public enum Scope: Sendable {
    /// While the user has an active session.
    case whenInUse
    /// Regardless of sessions.
    case always
  }

  /// Not decided yet.
  public static func undecided(_ reason: Undecided = .undecided) -> Authorization {
    let reason: AuthorizationReason =
      switch reason {
      case .noAgent: .noAgent
      case .authorizationRequired: .authorizationRequired
      case .undecided: .undecided
      }
    return Authorization(status: .notDetermined, reason: reason, level: .none)
  }

  /// Refused by the user, or for lack of an active session.
  public static func denied(_ reason: Denial) -> Authorization {
    let reason: AuthorizationReason =
      switch reason {
      case .disabledByUser: .disabledByUser
      case .rejectedByAgent: .rejectedByAgent
      case .sessionInactive: .sessionInactive
      }
    return Authorization(status: .denied, reason: reason, level: .none)
  }

  /// Forbidden by a rule.
  public static func restricted(_ reason: Restriction) -> Authorization {
    let reason: AuthorizationReason =
      switch reason {
      case .disallowedByConfiguration: .disallowedByConfiguration
      case .disallowedByPolicy: .disallowedByPolicy
      case .sandboxed: .sandboxed
      case .policyUnavailable: .policyUnavailable
      }
    return Authorization(status: .restricted, reason: reason, level: .none)
  }

  /// Allowed up to `level`; the reason is `reduced-accuracy` if that is coarser than the requested level.
  ///
  /// The level ``AccuracyLevel/none`` grants nothing: with it an agent reports that location is turned off, so the
  /// result is `denied` and `disabled-by-user`.
  public static func authorized(
    _ scope: Scope, level: AccuracyLevel = .exact, asked: AccuracyLevel = .exact
  ) -> Authorization {
    guard level != .none else { return .denied(.disabledByUser) }
    return Authorization(
      status: scope == .always ? .authorizedAlways : .authorizedWhenInUse,
      reason: level < asked ? .reducedAccuracy : .none,
      level: level)
  }

  /// The refusal that `reason` stands for; nil for the two reasons of an authorized status.
  public init?(refusedFor reason: AuthorizationReason) {
    guard let status = reason.refusedStatus else { return nil }
    self.init(status: status, reason: reason, level: .none)
  }

  private init(status: AuthorizationStatus, reason: AuthorizationReason, level: AccuracyLevel) {
    self.status = status
    self.reason = reason
    self.level = level
  }

  /// Whether locations are delivered.
  public var isAuthorized: Bool { status.isAuthorized }

  /// One sentence for the user about what to do; see ``AuthorizationReason/sentence``.
  public var sentence: String { explanation ?? reason.sentence }

  /// The same refusal for a program outside of its user's sessions, such as a cron job or a system service, where
  /// that is the cause, and not the user's absence.
  public func outsideSession() -> Authorization {
    guard reason == .disallowedByPolicy || reason == .sessionInactive else { return self }
    return explained(
      by: "This program does not belong to a session of its user, as a job or a system service does not; "
        + "an administrator can allow it with a polkit rule for org.geopublicist.location1.access-without-agent")
  }

  /// The same authorization with a more specific sentence; an empty one changes nothing.
  public func explained(by sentence: String) -> Authorization {
    var authorization = self
    authorization.explanation = sentence.isEmpty || sentence == reason.sentence ? nil : sentence
    return authorization
  }

  /// One sentence about what is wrong and what to do; empty if nothing is wrong.
  public var message: String { reason == .none ? "" : sentence }

  /// The same grant for a client that requests `asked`: only the reason may differ.
  public func asking(_ asked: AccuracyLevel) -> Authorization {
    guard isAuthorized else { return self }
    return .authorized(status == .authorizedAlways ? .always : .whenInUse, level: level, asked: asked)
  }

  /// The finest level that a location may reveal to a client that requested `asked`: the coarser of requested and
  /// granted.
  public func revealedLevel(asked: AccuracyLevel) -> AccuracyLevel { min(level, asked) }
}
