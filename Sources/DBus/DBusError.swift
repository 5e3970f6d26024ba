// SPDX-License-Identifier: Apache-2.0
/// An error as D-Bus knows it: a name for programs and a sentence for people.
nonisolated public struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, for programs to tell apart.
  public var name: ErrorName
  /// What went wrong, in a sentence; may be empty if another program made it.
  public var message: String

  /// An error to answer a call with, or to throw.
  public init(_ name: ErrorName, _ message: String) {
    self.name = name
    self.message = message
  }

  public var description: String { "\(name): \(message)" }
}

/// The standard names that this package meets or sends.
nonisolated extension ErrorName {
  /// Something went wrong for which there is no better name.
  public static let failed = ErrorName("org.freedesktop.DBus.Error.Failed")
  /// No answer came in time, or the peer left without one.
  public static let noReply = ErrorName("org.freedesktop.DBus.Error.NoReply")
  /// Nobody owns the name, and nothing starts a service for it.
  public static let serviceUnknown = ErrorName("org.freedesktop.DBus.Error.ServiceUnknown")
  /// Nobody owns the name that was asked about.
  public static let nameHasNoOwner = ErrorName("org.freedesktop.DBus.Error.NameHasNoOwner")
  /// The rules of the bus, or the peer, do not allow it.
  public static let accessDenied = ErrorName("org.freedesktop.DBus.Error.AccessDenied")
  /// The connection to the bus has gone.
  public static let disconnected = ErrorName("org.freedesktop.DBus.Error.Disconnected")
  /// The arguments have other types or values than the member takes.
  public static let invalidArgs = ErrorName("org.freedesktop.DBus.Error.InvalidArgs")
  /// The object has no such method.
  public static let unknownMethod = ErrorName("org.freedesktop.DBus.Error.UnknownMethod")
  /// There is no such object, or none for this caller.
  public static let unknownObject = ErrorName("org.freedesktop.DBus.Error.UnknownObject")
  /// The object has no such interface.
  public static let unknownInterface = ErrorName("org.freedesktop.DBus.Error.UnknownInterface")
  /// The interface has no such property.
  public static let unknownProperty = ErrorName("org.freedesktop.DBus.Error.UnknownProperty")
  /// The property cannot be set.
  public static let propertyReadOnly = ErrorName("org.freedesktop.DBus.Error.PropertyReadOnly")
  /// A limit of the bus or of the peer is reached.
  public static let limitsExceeded = ErrorName("org.freedesktop.DBus.Error.LimitsExceeded")
  /// The peer cannot do that.
  public static let notSupported = ErrorName("org.freedesktop.DBus.Error.NotSupported")
  /// The person would have to be asked, and the call does not allow it.
  public static let interactiveAuthorizationRequired = ErrorName(
    "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired")
}
