// SPDX-License-Identifier: Apache-2.0
/// The authorization of a client: a status, its matching reason, and the granted level.
///
/// Created only by ``refused(_:)`` and ``authorized(_:level:asked:)``, so that combinations outside the D-Bus contract
/// cannot exist.
public struct Authorization: Hashable, Sendable {
  /// Whether the client has access.
  public let status: AuthorizationStatus
  /// Why the client has this status.
  public let reason: AuthorizationReason
  /// The finest level granted, ``AccuracyLevel/none`` if not authorized.
  public let level: AccuracyLevel

  /// A sentence that is more specific than the reason's own.
  private var explanation: String?

  /// How long an authorization lasts.
  public enum Scope: Sendable {
    /// While the user has an active session.
    case whenInUse
    /// Regardless of sessions.
    case always
  }

  /// A check is in progress.
  public static let undecided = refused(.undecided)

  /// No access, for a reason that determines the status. The two reasons for an authorized status are not refusals and
  /// count as ``AuthorizationReason/undecided``.
  public static func refused(_ reason: AuthorizationReason) -> Authorization {
    guard let status = reason.refusedStatus else { return .undecided }
    return Authorization(status: status, reason: reason, level: .none)
  }

  /// Access is allowed up to `level`. The reason is `reduced-accuracy` if that is coarser than the requested level.
  ///
  /// An agent reports the level ``AccuracyLevel/none`` when location is turned off, so the result is then `denied` and
  /// `disabled-by-user`.
  public static func authorized(
    _ scope: Scope, level: AccuracyLevel = .exact, asked: AccuracyLevel = .exact
  ) -> Authorization {
    guard level != .none else { return .refused(.disabledByUser) }
    return Authorization(
      status: scope == .always ? .authorizedAlways : .authorizedWhenInUse,
      reason: level < asked ? .reducedAccuracy : .none, level: level)
  }

  private init(status: AuthorizationStatus, reason: AuthorizationReason, level: AccuracyLevel) {
    self.status = status
    self.reason = reason
    self.level = level
  }

  /// Whether locations are delivered.
  public var isAuthorized: Bool { status.isAuthorized }

  /// One sentence that tells the user what to do. See ``AuthorizationReason/sentence``.
  public var sentence: String { explanation ?? reason.sentence }

  /// Returns the refusal for a program outside its user's sessions, such as a cron job or a system service, with a
  /// sentence about this if it is the cause.
  public func outsideSession() -> Authorization {
    guard reason == .disallowedByPolicy || reason == .sessionInactive else { return self }
    return explained(
      by: "This program does not belong to a session of its user, for example because it is a job or a system service; "
        + "an administrator can allow it with a polkit rule for org.geopublicist.location1.access-without-agent")
  }

  /// Returns the same authorization with a more specific sentence. An empty sentence changes nothing.
  public func explained(by sentence: String) -> Authorization {
    var authorization = self
    authorization.explanation = sentence.isEmpty || sentence == reason.sentence ? nil : sentence
    return authorization
  }

  /// One sentence about what is wrong and what to do. Empty if nothing is wrong.
  public var message: String { reason == .none ? "" : sentence }

  /// Returns the same grant for a client that requests `asked`. Only the reason may differ.
  public func asking(_ asked: AccuracyLevel) -> Authorization {
    guard isAuthorized else { return self }
    return .authorized(status == .authorizedAlways ? .always : .whenInUse, level: level, asked: asked)
  }

  /// Returns the finest level that a location may reveal to a client that requested `asked`: the coarser of the
  /// requested and the granted level.
  public func revealedLevel(asked: AccuracyLevel) -> AccuracyLevel { min(level, asked) }
}
