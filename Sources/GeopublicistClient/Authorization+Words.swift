// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

nonisolated extension Authorization {
  /// What the service said in the contract's words; nil for an unknown status. An unknown reason of a newer service
  /// becomes the plainest one of the status.
  ///
  /// - Parameter level: What is granted if the status is an authorized one.
  init?(status: String, reason: String, level: AccuracyLevel, asked: AccuracyLevel) {
    guard let status = AuthorizationStatus(rawValue: status) else { return nil }
    if let refused = AuthorizationReason(rawValue: reason).flatMap(Authorization.init(refusedFor:)),
      refused.status == status
    {
      self = refused
      return
    }
    switch status {
    case .notDetermined: self = .undecided()
    case .denied: self = .denied(.rejectedByAgent)
    case .restricted: self = .restricted(.disallowedByPolicy)
    case .authorizedWhenInUse: self = .authorized(.whenInUse, level: level, asked: asked)
    case .authorizedAlways: self = .authorized(.always, level: level, asked: asked)
    }
  }
}

nonisolated extension UpstreamStatus {
  /// Takes in what the properties of the manager object say.
  mutating func update(_ state: String?, _ reason: String?, _ accuracy: String?) {
    if let state = state.flatMap(UpstreamState.init) { self.state = state }
    if let reason { self.reason = UpstreamReason(rawValue: reason) ?? .none }
    if let accuracy {
      availableAccuracy = accuracy == "none" ? AccuracyLevel.none : AccuracyLevel(contractName: accuracy)
    }
  }
}
