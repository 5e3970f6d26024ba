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
  /// Reads a `(tt)`.
  package init?(_ value: Value?) {
    guard let time = value?.structure?.compactMap(\.uint64), time.count == 2 else { return nil }
    self.init(seconds: time[0], microseconds: time[1])
  }
}
