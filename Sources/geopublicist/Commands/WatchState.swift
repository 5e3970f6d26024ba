// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel

/// What `watch` knows at a moment, and how it looks on a terminal.
struct WatchState {
  private(set) var last: ServiceLocation?
  private(set) var count = 0
  private var status = ""
  private var reason = ""
  private var upstreamState = ""
  private var upstreamReason = ""
  private var complaint = ""
  /// The service has decided about this program at least once.
  private(set) var hasBegun = false

  var isAuthorized: Bool { AuthorizationStatus(rawValue: status)?.isAuthorized ?? false }

  /// Not allowed, and not only because a check is still under way.
  var isRefused: Bool { !isAuthorized && reason != AuthorizationReason.undecided.rawValue }

  mutating func handle(_ event: ServiceSubscription.Event) {
    switch event {
    case .update(let reading):
      last = reading
      count += 1
      complaint = ""
    case .authorization(let authorization):
      hasBegun = true
      status = authorization.status.rawValue
      reason = authorization.reason.rawValue
      // What may not be known any more may not stay on the screen either.
      if !isAuthorized { last = nil }
    case .failure(let error): complaint = error.message
    case .interrupted: complaint = "The service has gone"
    case .resumed: complaint = ""
    case .closed, .failed, .refused: break
    }
  }

  mutating func upstreamChanged(_ properties: [String: Value]) {
    if let state = properties["State"]?.string { upstreamState = state }
    if let reason = properties["StateReason"]?.string { upstreamReason = reason }
  }

  /// What the command ends with when the service has ended the subscription.
  var exitStatus: Int32 {
    if count > 0 { return ExitStatus.success }
    if isRefused, !status.isEmpty { return ExitStatus.notAuthorized }
    if upstreamState == UpstreamState.unavailable.rawValue { return ExitStatus.unavailable }
    return isAuthorized || status.isEmpty ? ExitStatus.timeout : ExitStatus.notAuthorized
  }

  /// Why there was nothing until the end; nil where there was something, or where it has been said already.
  var lack: String? {
    if count > 0 || isRefused { return nil }
    switch UpstreamState(rawValue: upstreamState) {
    case .unavailable, .waiting: return Sentences.upstream(state: upstreamState, reason: upstreamReason)
    case .idle, .starting, .running, nil: return "No fix came in this time"
    }
  }

  private var upstreamDetail: String {
    // The same reason twice would say no more.
    if !reason.isEmpty, reason == upstreamReason { return "" }
    switch UpstreamState(rawValue: upstreamState) {
    case .running: return ""
    // This program is a subscriber.
    case .idle where upstreamReason.isEmpty: return isAuthorized ? "" : "It is not asked before access is allowed"
    default: return Sentences.upstream(state: upstreamState, reason: upstreamReason)
    }
  }

  /// Returns what a terminal shows; on a short one the latitude and longitude are the last rows to disappear.
  @MainActor func lines(for output: StandardOutput, fitting height: Int) -> [String] {
    var rows = Rows()
    rows.add(
      "Authorization", status.isEmpty ? "asking" : status, Sentences.emphasis(status: status),
      detail: status.isEmpty || isAuthorized && reason.isEmpty ? "" : Sentences.authorization(reason: reason))
    rows.add(
      "GeoClue", upstreamState.isEmpty ? nil : upstreamState, Sentences.emphasis(state: upstreamState),
      detail: upstreamDetail)
    if !complaint.isEmpty { rows.add("Error", Text.plain(complaint), .bad) }
    rows.add("Fixes", "\(count)")
    let head = rows.lines(for: output)
    guard let last else { return head }
    let place = LocationText.rows(last).lines(for: output)
    let all = head + [""] + place + [LocationText.uri(last.location)]
    // The location's rows begin with latitude and longitude.
    return all.count <= height ? all : Array(place.prefix(max(1, height)))
  }
}
