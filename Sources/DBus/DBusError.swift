// SPDX-License-Identifier: Apache-2.0
/// A D-Bus error: a name for programs and a sentence for users.
nonisolated public struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error, for programs.
  public var name: ErrorName
  /// The cause, as a sentence. May be empty if the error comes from another program.
  public var message: String

  /// Creates an error to throw or to answer a call with.
  public init(_ name: ErrorName, _ message: String) {
    self.name = name
    self.message = message
  }

  public var description: String { "\(name): \(message)" }

  /// The task that waited for the answer was cancelled.
  package static let cancelled = DBusError(.cancelled, "The call was cancelled")
  static let noDescriptors = DBusError(.notSupported, "The file descriptors cannot be sent")
}

extension DBusError {
  /// Whether a name has no owner. The bus answers so if the destination is not on it, but a destination may also return
  /// this about another name.
  package var isAbsence: Bool { name == .serviceUnknown || name == .nameHasNoOwner }
}

// MARK: - Standard names that this package receives or sends
nonisolated extension ErrorName {
  /// A failure without a more specific name.
  public static let failed = ErrorName("org.freedesktop.DBus.Error.Failed")
  /// No reply arrived in time, or the peer left without replying.
  public static let noReply = ErrorName("org.freedesktop.DBus.Error.NoReply")
  /// The name has no owner and cannot be activated.
  public static let serviceUnknown = ErrorName("org.freedesktop.DBus.Error.ServiceUnknown")
  /// The requested name has no owner.
  public static let nameHasNoOwner = ErrorName("org.freedesktop.DBus.Error.NameHasNoOwner")
  /// This program has abandoned the call. systemd uses the same name.
  public static let cancelled = ErrorName("System.Error.ECANCELED")
  /// The bus policy or the peer does not allow the call.
  public static let accessDenied = ErrorName("org.freedesktop.DBus.Error.AccessDenied")
  /// The connection to the bus is lost.
  public static let disconnected = ErrorName("org.freedesktop.DBus.Error.Disconnected")
  /// The arguments have types or values that the member does not accept.
  public static let invalidArgs = ErrorName("org.freedesktop.DBus.Error.InvalidArgs")
  /// The object has no such method.
  public static let unknownMethod = ErrorName("org.freedesktop.DBus.Error.UnknownMethod")
  /// There is no such object, or none that is visible to this caller.
  public static let unknownObject = ErrorName("org.freedesktop.DBus.Error.UnknownObject")
  /// The object has no such interface.
  public static let unknownInterface = ErrorName("org.freedesktop.DBus.Error.UnknownInterface")
  /// The interface has no such property.
  public static let unknownProperty = ErrorName("org.freedesktop.DBus.Error.UnknownProperty")
  /// The property is read-only.
  public static let propertyReadOnly = ErrorName("org.freedesktop.DBus.Error.PropertyReadOnly")
  /// A limit of the bus or of the peer is reached.
  public static let limitsExceeded = ErrorName("org.freedesktop.DBus.Error.LimitsExceeded")
  /// The bus has no memory left.
  public static let noMemory = ErrorName("org.freedesktop.DBus.Error.NoMemory")
  /// The service did not start in time.
  public static let timedOut = ErrorName("org.freedesktop.DBus.Error.TimedOut")
  /// The peer does not support the operation.
  public static let notSupported = ErrorName("org.freedesktop.DBus.Error.NotSupported")
  /// The user must be asked, but the call does not allow interaction.
  public static let interactiveAuthorizationRequired = ErrorName(
    "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired")
}
