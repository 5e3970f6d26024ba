// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// The names of the published contract, as its XML files have them.
nonisolated public enum ServiceContract {
  /// The service's name on the bus.
  public static let service: BusName = "org.geopublicist.Location1"
  /// The manager object.
  public static let path: ObjectPath = "/org/geopublicist/Location1"
  /// The interface of the manager object.
  public static let manager: InterfaceName = "org.geopublicist.Location1"
  /// The interface of a subscription.
  public static let subscription: InterfaceName = "org.geopublicist.Location1.Subscription"
  /// The interface of a region.
  public static let region: InterfaceName = "org.geopublicist.Location1.Region"
}

/// The errors of the contract.
nonisolated extension ErrorName {
  /// Access to the location is refused.
  public static let notAuthorized = ErrorName("org.geopublicist.Location1.Error.NotAuthorized")
  /// No location came in the time allowed.
  public static let locationTimeout = ErrorName("org.geopublicist.Location1.Error.Timeout")
  /// No location can come.
  public static let locationUnavailable = ErrorName("org.geopublicist.Location1.Error.Unavailable")
  /// An option is unknown, has another type or is out of range.
  public static let invalidOption = ErrorName("org.geopublicist.Location1.Error.InvalidOption")
}

nonisolated extension LocationError {
  /// An error of the service, or of the bus about it.
  public init(_ error: DBusError) {
    let code: Code =
      switch error.name {
      case .notAuthorized, .interactiveAuthorizationRequired, .accessDenied: .denied
      case .locationTimeout: .locationUnknown
      default: .unavailable
      }
    self.init(code, error.message.isEmpty ? error.name.rawValue : error.message)
  }
}

nonisolated extension ClientOptions {
  /// The options of a method as the contract's `a{sv}`: those that differ from their defaults.
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
  /// The value of an option in the option's own D-Bus type.
  init(_ value: OptionValue, for option: ClientOption) {
    self =
      switch value {
      case .text(let text): .string(text)
      case .truth(let truth): .boolean(truth)
      case .number(let number): option.type == "u" ? .uint32(UInt32(exactly: number) ?? 0) : .double(number)
      }
  }
}
