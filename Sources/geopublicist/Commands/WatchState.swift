// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel

/// What `watch` and `record` know at a moment, and how `watch` shows it on a terminal.
struct WatchState {
  private(set) var last: ServiceLocation?
  private(set) var count = 0
  /// The decision of the service about this program; nil before the first one.
  private var authorization: Authorization?
  private var sourceState = ""
  private var sourceReason = ""
  private var complaint = ""

  var hasBegun: Bool { authorization != nil }

  var isAuthorized: Bool { authorization?.isAuthorized ?? false }

  /// Whether access is denied, rather than not decided yet.
  var isRefused: Bool { !isAuthorized && authorization?.reason != .undecided }

  mutating func handle(_ event: ServiceSubscription.Event) {
    switch event {
    case .update(let reading):
      last = reading
      count += 1
      complaint = ""
    case .authorization(let authorization):
      self.authorization = authorization
      // A location that this program may no longer have must not stay on the screen.
      if !isAuthorized { last = nil }
    case .failure(let error): complaint = error.message
    case .interrupted: complaint = "The service has gone"
    case .resumed: complaint = ""
    case .closed, .failed, .refused: break
    }
  }

  mutating func sourceChanged(_ properties: [String: Value]) {
    if let state = properties["State"]?.string { sourceState = state }
    if let reason = properties["StateReason"]?.string { sourceReason = reason }
  }

  /// The exit status when the service has ended the subscription.
  var exitStatus: Int32 {
    if count > 0 { return ExitStatus.success }
    if isRefused, hasBegun { return ExitStatus.notAuthorized }
    if sourceState == SourceState.unavailable.rawValue { return ExitStatus.unavailable }
    return isAuthorized || !hasBegun ? ExitStatus.timeout : ExitStatus.notAuthorized
  }

  /// Why no location arrived; nil if one did, or if the reason has been reported.
  var lack: String? {
    if count > 0 || isRefused { return nil }
    switch SourceState(rawValue: sourceState) {
    case .unavailable, .waiting: return Sentences.source(state: sourceState, reason: sourceReason)
    case .idle, .starting, .running, nil: return "No location arrived in this time"
    }
  }

  private var sourceDetail: String {
    // The authorization shows the same reason.
    if let reason = authorization?.reason.rawValue, !reason.isEmpty, reason == sourceReason { return "" }
    switch SourceState(rawValue: sourceState) {
    case .running: return ""
    // The sentence, "No subscribers", would be wrong: this program subscribes.
    case .idle where sourceReason.isEmpty: return isAuthorized ? "" : "GeoClue is used once access is allowed"
    default: return Sentences.source(state: sourceState, reason: sourceReason)
    }
  }

  /// Returns the lines for a terminal; on a short one the latitude and longitude are the last rows to disappear.
  @MainActor func lines(for output: StandardOutput, fitting height: Int) -> [String] {
    var rows = Rows()
    let (status, reason) = (authorization?.status.rawValue ?? "", authorization?.reason.rawValue ?? "")
    rows.add(
      "Authorization", status.isEmpty ? "asking" : status, Sentences.emphasis(status: status),
      detail: status.isEmpty || isAuthorized && reason.isEmpty ? "" : Sentences.authorization(reason: reason))
    rows.add(
      "GeoClue", sourceState.isEmpty ? nil : sourceState, Sentences.emphasis(state: sourceState), detail: sourceDetail)
    if !complaint.isEmpty { rows.add("Error", Text.plain(complaint), .bad) }
    rows.add("Locations", "\(count)")
    let head = rows.lines(for: output)
    guard let last else { return head }
    let place = LocationText.rows(last).lines(for: output)
    let all = head + [""] + place + [LocationText.uri(last.location)]
    // The location's rows begin with latitude and longitude.
    return all.count <= height ? all : Array(place.prefix(max(1, height)))
  }
}
