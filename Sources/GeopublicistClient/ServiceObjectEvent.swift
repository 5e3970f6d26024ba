// SPDX-License-Identifier: Apache-2.0
import DBus

/// An event of an object at the service.
nonisolated enum ServiceObjectEvent {
  case wanted
  case unwanted
  /// The object must be replaced by a new one.
  case replaced
  /// The service's name has a new owner, or none.
  case ownerChanged(BusName?)
  case created(ObjectPath, attempt: UInt64)
  case started(attempt: UInt64)
  /// The object could not be created or started.
  case failed(DBusError, attempt: UInt64)
  case signal(MemberName, [Value])
  case authorization(status: String, reason: String)
  /// The service's sentence about the authorization.
  case message(String)
  case timer
}

/// An action for an object at the service and its program.
nonisolated enum ServiceObjectAction<Update: Sendable> {
  /// A new object is needed; its machine answers with ``create(_:_:attempt:)``.
  case renew(attempt: UInt64)
  case create(MemberName, Value, attempt: UInt64)
  case follow(ObjectPath)
  case start(ObjectPath, attempt: UInt64)
  case close(ObjectPath)
  case set(ObjectPath, MemberName, Value)
  case readAuthorization(ObjectPath)
  /// Read the service's sentence about the authorization.
  case readMessage(ObjectPath)
  /// The object has gone with the service, whether that is reported or not.
  case lost
  case tell(ServiceEvent<Update>)
}
