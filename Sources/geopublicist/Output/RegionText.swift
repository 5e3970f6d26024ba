// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Events of a region as lines.
nonisolated enum RegionText {
  /// Returns a line: for programs the time, event, state, reason or `-`, and `gap` and `simulated` if they apply; for
  /// people the local time and a sentence.
  static func line(_ event: RegionEvent, isForPeople: Bool) -> String {
    guard isForPeople else {
      let fields = [
        Moment.iso(event.timestamp), event.kind.rawValue, event.state.rawValue,
        event.reason == .none ? "-" : event.reason.rawValue, event.hasGap ? "gap" : "",
        event.isSimulated ? "simulated" : "",
      ]
      return fields.filter { !$0.isEmpty }.joined(separator: " ")
    }
    return "\(Moment.local(event.timestamp == Timestamp() ? Moment.now : event.timestamp))  \(sentence(event))"
      + (event.hasGap ? ", at some time before" : "") + (event.isSimulated ? " (simulated)" : "")
  }

  private static func sentence(_ event: RegionEvent) -> String {
    switch event.kind {
    case .determined: event.state == .inside ? "Inside" : "Outside"
    case .entered: "Entered"
    case .exited: "Left"
    case .dwelled: "Still inside"
    case .lost: "Unknown: \(reason(event.reason))"
    }
  }

  private static func reason(_ reason: RegionReason) -> String {
    switch reason {
    case .noFix: "no location arrived"
    case .slept: "the machine was asleep"
    case .accuracyInsufficient: "the locations are too coarse, or too close to the border"
    case .accuracyLimited: "only coarser locations are allowed"
    case .notAuthorized: "access to the location is not allowed"
    case .none: "for an unknown reason"
    }
  }
}
