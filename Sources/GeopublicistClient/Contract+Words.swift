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
        return value == option.value(in: defaults) ? nil : (option.name, Value(value, for: option))
      })
  }
}

nonisolated extension Value {
  /// Converts the value of an option to the option's D-Bus type.
  init(_ value: OptionValue, for option: ClientOption) {
    self =
      switch value {
      case .text(let text): .string(text)
      case .truth(let truth): .boolean(truth)
      case .number(let number): option.type == "u" ? .uint32(UInt32(exactly: number) ?? 0) : .double(number)
      }
  }
}

nonisolated extension Timestamp {
  /// Reads a `(tt)`; any other value becomes the epoch.
  init(_ value: Value?) {
    let time = value?.structure?.compactMap(\.uint64) ?? []
    self = time.count == 2 ? Timestamp(seconds: time[0], microseconds: time[1]) : Timestamp()
  }
}
