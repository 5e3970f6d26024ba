// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// An event of a region as a line.
nonisolated enum RegionText {
  /// For programs: time, event, state, reason or `-`, then `gap` and `simulated` where they apply. For people: the local
  /// time and a sentence.
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
      + (event.hasGap ? ", some time before" : "") + (event.isSimulated ? " (simulated)" : "")
  }

  private static func sentence(_ event: RegionEvent) -> String {
    switch event.kind {
    case .determined: event.state == .inside ? "Inside" : "Outside"
    case .entered: "Entered"
    case .exited: "Left"
    case .dwelled: "Still inside"
    case .lost: "Not known any more: \(reason(event.reason))"
    }
  }

  private static func reason(_ reason: RegionReason) -> String {
    switch reason {
    case .noFix: "no location came"
    case .slept: "the machine was asleep"
    case .accuracyInsufficient: "the locations are too coarse, or too close to the border"
    case .accuracyLimited: "only coarser locations are allowed"
    case .notAuthorized: "the location is not allowed"
    case .none: "unknown why"
    }
  }
}
