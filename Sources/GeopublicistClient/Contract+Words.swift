// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

nonisolated extension LocationError {
  /// Translates an error of the service, or of the bus about it: `NotAuthorized`, `InteractiveAuthorizationRequired` and
  /// `AccessDenied` become ``Code/denied``, `Timeout` becomes ``Code/locationUnknown``, everything else
  /// ``Code/unavailable``.
  public init(_ error: DBusError) {
    let code: Code =
      switch error.name {
      case .notAuthorized, .interactiveAuthorizationRequired, .accessDenied: .denied
      case .locationTimeout: .locationUnknown
      default: .unavailable
      }
    let message =
      switch error.name {
      case .serviceUnknown:
        "The location service is not installed: nothing provides \(ServiceContract.service) on this bus. "
          + "Install Geopublicist, or start geopublicistd"
      case _ where error.message.isEmpty: error.name.rawValue
      default: error.message
      }
    self.init(code, message)
  }
}

nonisolated extension ClientOptions {
  /// Returns the options of a method that differ from their defaults, as the contract's `a{sv}`.
  package func value(_ options: [ClientOption]) -> Value {
    let defaults = ClientOptions()
    return .options(
      options.compactMap { option in
        let value = option.value(in: self)
        return value == option.value(in: defaults) ? nil : (option.name, Value(value, as: option.type))
      })
  }
}

nonisolated extension Timestamp {
  package init?(_ value: Value?) {
    guard let time = value?.structure?.compactMap(\.uint64), time.count == 2 else { return nil }
    self.init(seconds: time[0], microseconds: time[1])
  }
}

nonisolated extension Authorization {
  /// Reads the contract's words. Returns nil for an unknown status; replaces an unknown reason, of a newer service,
  /// with the most general one for the status.
  ///
  /// - Parameters:
  ///   - revealed: The level of the last location, which shows how coarse a reduced grant is unless it was sent before
  ///     the reduction.
  ///   - asked: The level that the program requested.
  init?(status: String, reason: String, revealed: AccuracyLevel? = nil, asked: AccuracyLevel) {
    guard let status = AuthorizationStatus(rawValue: status) else { return nil }
    if let reason = AuthorizationReason(rawValue: reason), reason.refusedStatus == status {
      self = .refused(reason)
      return
    }
    let reduced = revealed.flatMap { $0 < asked ? $0 : nil } ?? .country
    let level = reason == AuthorizationReason.reducedAccuracy.rawValue ? reduced : asked
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
