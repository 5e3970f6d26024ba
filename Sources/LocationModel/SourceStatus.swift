// SPDX-License-Identifier: Apache-2.0
/// The state of the location source. Raw values as in the property `State`.
public enum SourceState: String, CaseIterable, Sendable {
  /// Not in use, or resting.
  case idle
  /// A client is being created.
  case starting
  /// Waiting for an agent or for a fix.
  case waiting
  /// Fixes are arriving.
  case running
  /// No fix can arrive.
  case unavailable
}

/// The reason for the state. Raw values as in the property `StateReason`.
public enum SourceReason: String, CaseIterable, Sendable {
  /// No particular reason.
  case none = ""
  /// GeoClue is waiting for an agent of the user.
  case noAgent = "no-agent"
  /// GeoClue is not installed, or an administrator has masked it.
  case geoclueNotInstalled = "geoclue-not-installed"
  /// GeoClue has exited, does not start or does not answer. It will be called again.
  case geoclueRestarting = "geoclue-restarting"
  /// GeoClue has no source to get a location from.
  case noSource = "no-source"
  /// GeoClue is running but has not measured anything yet.
  case noFix = "no-fix"
  /// The next delivery to any client is minutes away, so the source is released until then.
  case resting
  /// The user has turned location off.
  case disabledByUser = "disabled-by-user"
  /// The user's agent refused the service.
  case rejectedByAgent = "rejected-by-agent"
  /// GeoClue's configuration forbids access for the service.
  case disallowedByConfiguration = "disallowed-by-configuration"
  /// GeoClue or the bus refuses the service for another reason.
  case disallowedByPolicy = "disallowed-by-policy"

  /// One sentence that tells the user what to do.
  public var sentence: String {
    switch self {
    case .none: "No location is available now; try again later"
    case .geoclueNotInstalled:
      "GeoClue is not installed, or its service is masked; install the package geoclue-2.0, or unmask geoclue"
    case .geoclueRestarting: "GeoClue does not answer or is restarting; try again in a few seconds"
    case .noSource: "GeoClue has no location source; connect a GPS receiver or turn Wi-Fi on"
    case .noFix: "GeoClue is running but has not determined a location yet; try again later"
    case .resting: "GeoClue is not used until the next location is due"
    case .noAgent: AuthorizationReason.noAgent.sentence
    case .disabledByUser: AuthorizationReason.disabledByUser.sentence
    case .rejectedByAgent: AuthorizationReason.rejectedByAgent.sentence
    case .disallowedByConfiguration:
      "GeoClue's configuration forbids location for this service; ask the administrator to allow "
        + "org.geopublicist.Location1, and to add geoclue-demo-agent to the agent whitelist"
    case .disallowedByPolicy:
      "The message bus or GeoClue refuses the service; ask the administrator to run `geopublicist doctor`"
    }
  }

  /// Creates the reason for a refusal by GeoClue, ``none`` if the authorization reason is not a refusal.
  public init(refusal: AuthorizationReason) { self = SourceReason(rawValue: refusal.rawValue) ?? .none }
}

/// The three properties of the source, kept together so that they never contradict each other.
public struct SourceStatus: Hashable, Sendable, CustomStringConvertible {
  /// The state of the source.
  public var state: SourceState
  /// Why the source is in this state.
  public var reason: SourceReason
  /// The available accuracy last reported by GeoClue, or nil while it is not running.
  public var availableAccuracy: AccuracyLevel?
  private var explanation: String?

  /// Creates a status.
  public init(state: SourceState = .idle, reason: SourceReason = .none, availableAccuracy: AccuracyLevel? = nil) {
    self.state = state
    self.reason = reason
    self.availableAccuracy = availableAccuracy
  }

  /// Returns the same status with a more specific sentence. An empty sentence changes nothing.
  public func explained(by message: String) -> SourceStatus {
    var status = self
    status.explanation = nil
    if !message.isEmpty, message != status.message { status.explanation = message }
    return status
  }

  /// One sentence about the state of the source and, if it is not working, what to do.
  public var sentence: String {
    if let explanation { return explanation }
    if reason != .none { return reason.sentence }
    return switch state {
    case .idle: "No program follows the location; GeoClue is not used"
    case .starting: "GeoClue is starting"
    case .waiting: "Waiting for GeoClue"
    case .running: "Locations are arriving"
    case .unavailable: reason.sentence
    }
  }

  /// One sentence for the user about what is wrong and what to do. Empty if nothing is wrong.
  public var message: String {
    if let explanation { return explanation }
    let isWrong = state == .unavailable || (reason != .none && reason != .resting)
    return isWrong ? reason.sentence : ""
  }

  /// The state and its sentence, such as `running: Locations are arriving`.
  public var description: String { "\(state): \(sentence)" }

  /// The value of the property `AvailableAccuracy`: `none`, a level, or `unknown`.
  public var availableAccuracyName: String { availableAccuracy?.contractName ?? "unknown" }
}
