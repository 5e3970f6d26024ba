/// An error as D-Bus knows it: a name for programs and a sentence for people.
nonisolated public struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
  public var name: ErrorName
  public var message: String

  public init(_ name: ErrorName, _ message: String) {
    self.name = name
    self.message = message
  }

  public var description: String { "\(name): \(message)" }
}

/// The standard names that this package meets or sends.
nonisolated extension ErrorName {
  public static let failed = ErrorName("org.freedesktop.DBus.Error.Failed")
  public static let noReply = ErrorName("org.freedesktop.DBus.Error.NoReply")
  public static let serviceUnknown = ErrorName("org.freedesktop.DBus.Error.ServiceUnknown")
  public static let nameHasNoOwner = ErrorName("org.freedesktop.DBus.Error.NameHasNoOwner")
  public static let accessDenied = ErrorName("org.freedesktop.DBus.Error.AccessDenied")
  public static let disconnected = ErrorName("org.freedesktop.DBus.Error.Disconnected")
  public static let invalidArgs = ErrorName("org.freedesktop.DBus.Error.InvalidArgs")
  public static let unknownMethod = ErrorName("org.freedesktop.DBus.Error.UnknownMethod")
  public static let unknownObject = ErrorName("org.freedesktop.DBus.Error.UnknownObject")
  public static let unknownInterface = ErrorName("org.freedesktop.DBus.Error.UnknownInterface")
  public static let unknownProperty = ErrorName("org.freedesktop.DBus.Error.UnknownProperty")
  public static let propertyReadOnly = ErrorName("org.freedesktop.DBus.Error.PropertyReadOnly")
  public static let limitsExceeded = ErrorName("org.freedesktop.DBus.Error.LimitsExceeded")
  public static let notSupported = ErrorName("org.freedesktop.DBus.Error.NotSupported")
  public static let interactiveAuthorizationRequired = ErrorName(
    "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired")
}
