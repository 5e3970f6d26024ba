// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// The names of the published contract, as its XML files have them.
nonisolated public enum ServiceContract {
  /// The service's name on the bus.
  public static let service: BusName = "org.geopublicist.Location1"
  /// The manager object.
  public static let path: ObjectPath = "/org/geopublicist/Location1"
  /// The parent of all subscriptions.
  public static let subscriptionsPath: ObjectPath = "/org/geopublicist/Location1/subscription"
  /// The parent of all almanacs.
  public static let almanacsPath: ObjectPath = "/org/geopublicist/Location1/almanac"
  /// The parent of all regions.
  public static let regionsPath: ObjectPath = "/org/geopublicist/Location1/region"
}

/// The errors of the contract.
nonisolated extension ErrorName {
  /// Access to the location is refused.
  public static let notAuthorized = ErrorName("org.geopublicist.Location1.Error.NotAuthorized")
  /// No location arrived before the timeout.
  public static let locationTimeout = ErrorName("org.geopublicist.Location1.Error.Timeout")
  /// No location can arrive.
  public static let locationUnavailable = ErrorName("org.geopublicist.Location1.Error.Unavailable")
  /// An option is unknown, has another type or is out of range.
  public static let invalidOption = ErrorName("org.geopublicist.Location1.Error.InvalidOption")
  /// A limit of the service is reached; the message has its name.
  public static let serviceLimitsExceeded = ErrorName("org.geopublicist.Location1.Error.LimitsExceeded")
}

nonisolated extension Value {
  /// Creates the value of an option in its D-Bus type, `type`.
  package init(_ value: OptionValue, as type: String) {
    self =
      switch value {
      case .text(let text): .string(text)
      case .truth(let truth): .boolean(truth)
      case .number(let number):
        switch type {
        case "u": .uint32(UInt32(exactly: number) ?? 0)
        case "i": .int32(Int32(exactly: number) ?? 0)
        default: .double(number)
        }
      }
  }
}
