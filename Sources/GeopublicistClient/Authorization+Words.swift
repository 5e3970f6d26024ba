// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

nonisolated extension Authorization {
  /// Reads the contract's words. Returns nil for an unknown status; replaces an unknown reason of a newer service by
  /// the most general one of the status.
  ///
  /// - Parameters:
  ///   - revealed: The level of the locations, if one has arrived: it shows how coarse a reduced grant is.
  ///   - asked: The level that the program asked for.
  init?(status: String, reason: String, revealed: AccuracyLevel? = nil, asked: AccuracyLevel) {
    guard let status = AuthorizationStatus(rawValue: status) else { return nil }
    if let reason = AuthorizationReason(rawValue: reason), reason.refusedStatus == status {
      self = .refused(reason)
      return
    }
    let level = reason == AuthorizationReason.reducedAccuracy.rawValue ? revealed ?? .country : asked
    switch status {
    case .notDetermined: self = .undecided
    case .denied: self = .refused(.rejectedByAgent)
    case .restricted: self = .refused(.disallowedByPolicy)
    case .authorizedWhenInUse: self = .authorized(.whenInUse, level: level, asked: asked)
    case .authorizedAlways: self = .authorized(.always, level: level, asked: asked)
    }
  }
}

nonisolated extension SourceStatus {
  /// Updates the status from properties of the manager object. Missing ones keep their values.
  mutating func update(_ properties: [String: Value]) {
    if let state = properties["State"]?.string.flatMap(SourceState.init) { self.state = state }
    if let reason = properties["StateReason"]?.string { self.reason = SourceReason(rawValue: reason) ?? .none }
    if let accuracy = properties["AvailableAccuracy"]?.string {
      availableAccuracy = accuracy == "none" ? AccuracyLevel.none : AccuracyLevel(contractName: accuracy)
    }
  }
}
