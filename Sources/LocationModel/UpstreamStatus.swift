// SPDX-License-Identifier: Apache-2.0
/// The state of the location source; the raw values are those of the property `State`.
public enum UpstreamState: String, CaseIterable, Sendable {
  /// Not in use, or resting.
  case idle
  /// A client is being created.
  case starting
  /// Waiting for an agent, or for a fix.
  case waiting
  /// Fixes are arriving.
  case running
  /// No fix can arrive.
  case unavailable
}

/// The reason of the state; the raw values are those of the property `StateReason`.
public enum UpstreamReason: String, CaseIterable, Sendable {
  /// Nothing to add.
  case none = ""
  /// GeoClue waits for an agent of the user.
  case noAgent = "no-agent"
  /// Nothing provides GeoClue's bus name, or an administrator has masked what does.
  case geoclueNotInstalled = "geoclue-not-installed"
  /// GeoClue has exited, does not start or does not answer, and will be called again.
  case geoclueRestarting = "geoclue-restarting"
  /// GeoClue has no source to get a location from.
  case noSource = "no-source"
  /// GeoClue runs, but has not measured anything yet.
  case noFix = "no-fix"
  /// The next delivery to any client is minutes away, so the source is released until then.
  case resting
  /// The user has turned location off.
  case disabledByUser = "disabled-by-user"
  /// The user's agent refused the service.
  case rejectedByAgent = "rejected-by-agent"
  /// GeoClue's configuration forbids it for the service.
  case disallowedByConfiguration = "disallowed-by-configuration"
  /// GeoClue, or the bus, refuses the service for another reason.
  case disallowedByPolicy = "disallowed-by-policy"

  /// One sentence that tells the user what to do.
  public var sentence: String {
    switch self {
    case .none: "No location is available now; try again later"
    case .geoclueNotInstalled:
      "GeoClue is not installed or its service is masked; install the package geoclue-2.0, or unmask geoclue"
    case .geoclueRestarting:
      "GeoClue does not answer, or is being restarted; try again in a few seconds"
    case .noSource: "GeoClue has no source of locations; connect a GPS receiver or switch Wi-Fi on"
    case .noFix: "GeoClue runs, but has not measured anything yet; try again later"
    case .resting: "GeoClue is released until the next delivery is due"
    case .noAgent: AuthorizationReason.noAgent.sentence
    case .disabledByUser: AuthorizationReason.disabledByUser.sentence
    case .rejectedByAgent: AuthorizationReason.rejectedByAgent.sentence
    case .disallowedByConfiguration:
      "GeoClue's configuration forbids the location to this service; ask the administrator to allow "
        + "org.geopublicist.Location1 in it, and geoclue-demo-agent in its whitelist of agents"
    case .disallowedByPolicy: AuthorizationReason.disallowedByPolicy.sentence
    }
  }

  /// The reason of a refusal by GeoClue; ``none`` for one that is not a refusal by itself.
  public init(refusal: AuthorizationReason) { self = UpstreamReason(rawValue: refusal.rawValue) ?? .none }
}

/// The three properties of the source together, so that they never contradict one another.
public struct UpstreamStatus: Hashable, Sendable {
  /// The state.
  public var state: UpstreamState
  /// The reason of the state.
  public var reason: UpstreamReason
  /// The last available accuracy reported by GeoClue; nil while it is not running.
  public var availableAccuracy: AccuracyLevel?
  private var explanation: String?

  /// Creates a status.
  public init(
    state: UpstreamState = .idle, reason: UpstreamReason = .none, availableAccuracy: AccuracyLevel? = nil
  ) {
    self.state = state
    self.reason = reason
    self.availableAccuracy = availableAccuracy
  }

  /// The same status with a more specific sentence; an empty one changes nothing.
  public func explained(by message: String) -> UpstreamStatus {
    var status = self
    status.explanation = nil
    if !message.isEmpty, message != status.message { status.explanation = message }
    return status
  }

  /// One sentence about the state of the source, and what to do if it is not working.
  public var sentence: String {
    if let explanation { return explanation }
    if reason != .none { return reason.sentence }
    return
      switch state
    {
    case .idle: "No subscribers; GeoClue is released"
    case .starting: "GeoClue is being asked for a client"
    case .waiting: "GeoClue has not allowed it yet"
    case .running: "Locations are arriving"
    case .unavailable: reason.sentence
    }
  }

  /// One sentence for the user: what is wrong, and what to do; empty if nothing is wrong.
  public var message: String {
    if let explanation { return explanation }
    let isWrong = state == .unavailable || (reason != .none && reason != .resting)
    return isWrong ? reason.sentence : ""
  }

  /// The value of the property `AvailableAccuracy`: `none`, a level, or `unknown`.
  public var availableAccuracyName: String { availableAccuracy?.contractName ?? "unknown" }
}
