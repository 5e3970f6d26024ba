// SPDX-License-Identifier: Apache-2.0
/// What a consumer may have, and why: a status and a reason that always fit, and the level that is granted.
///
/// Made only through ``undecided(_:)``, ``denied(_:)``, ``restricted(_:)``, ``authorized(_:level:asked:)`` or
/// ``init(refusedFor:)``, so that a pair which the D-Bus contract does not know cannot be built.
public struct Authorization: Hashable, Sendable {
  /// Whether it is allowed.
  public let status: AuthorizationStatus
  /// Why.
  public let reason: AuthorizationReason
  /// The finest level that is granted; ``AccuracyLevel/none`` when not authorized.
  public let level: AccuracyLevel

  /// A sentence that says more than the reason's own.
  private var explanation: String?

  /// The reasons for not having decided.
  public enum Undecided: Sendable {
    /// No agent of GeoClue runs for the person, so that nobody can say yes.
    case noAgent
    /// The person has to be asked, and that takes a call that allows it.
    case authorizationRequired
    /// A check is still under way.
    case undecided
  }

  /// The reasons that lie with the person.
  public enum Denial: Sendable {
    /// Location is switched off.
    case disabledByUser
    /// The person has been asked, and said no.
    case rejectedByAgent
    /// Somebody else is at the machine now.
    case sessionInactive
  }

  /// The reasons that lie with a rule.
  public enum Restriction: Sendable {
    /// GeoClue's configuration forbids the program.
    case disallowedByConfiguration
    /// polkit's rules forbid it to the person.
    case disallowedByPolicy
    /// The program is in a sandbox; its way is the desktop portal.
    case sandboxed
    /// polkit could not be asked.
    case policyUnavailable
  }

  /// How long an authorization lasts.
  public enum Scope: Sendable {
    /// As long as the session is the active one.
    case whenInUse
    /// Without regard to sessions.
    case always
  }

  /// Nobody has decided yet.
  public static func undecided(_ reason: Undecided = .undecided) -> Authorization {
    let reason: AuthorizationReason =
      switch reason {
      case .noAgent: .noAgent
      case .authorizationRequired: .authorizationRequired
      case .undecided: .undecided
      }
    return Authorization(status: .notDetermined, reason: reason, level: .none)
  }

  /// The person does not want it, or not now.
  public static func denied(_ reason: Denial) -> Authorization {
    let reason: AuthorizationReason =
      switch reason {
      case .disabledByUser: .disabledByUser
      case .rejectedByAgent: .rejectedByAgent
      case .sessionInactive: .sessionInactive
      }
    return Authorization(status: .denied, reason: reason, level: .none)
  }

  /// A rule forbids it.
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

  /// Allowed up to `level`; the reason is `reduced-accuracy` if that is coarser than what was asked.
  ///
  /// A level of ``AccuracyLevel/none`` grants nothing: it is how an agent says that location is off, so the outcome is
  /// `denied` and `disabled-by-user`.
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

  /// What to do about it, in one plain sentence; see ``AuthorizationReason/sentence``.
  public var sentence: String { explanation ?? reason.sentence }

  /// The same refusal for a program that belongs to no session of its user, such as a job of cron or a system service,
  /// where that, and not the user's absence, is what the refusal is about.
  public func outsideSession() -> Authorization {
    guard reason == .disallowedByPolicy || reason == .sessionInactive else { return self }
    return explained(
      by: "This program does not belong to a session of its user, as a job or a system service does not; "
        + "an administrator can allow it with a polkit rule for org.geopublicist.location1.access-without-agent")
  }

  /// The same outcome with a sentence that says more than the reason's own; an empty one changes nothing.
  public func explained(by sentence: String) -> Authorization {
    var authorization = self
    authorization.explanation = sentence.isEmpty || sentence == reason.sentence ? nil : sentence
    return authorization
  }

  /// What is wrong and what to do, in one sentence; empty if nothing is wrong.
  public var message: String { reason == .none ? "" : sentence }

  /// The same grant for somebody who asks for `asked`: only the reason may differ.
  public func asking(_ asked: AccuracyLevel) -> Authorization {
    guard isAuthorized else { return self }
    return .authorized(status == .authorizedAlways ? .always : .whenInUse, level: level, asked: asked)
  }

  /// The finest level that a location for somebody who asked for `asked` may reveal: the coarser of asked and granted.
  public func revealedLevel(asked: AccuracyLevel) -> AccuracyLevel { min(level, asked) }
}
