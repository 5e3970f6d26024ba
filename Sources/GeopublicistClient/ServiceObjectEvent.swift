// SPDX-License-Identifier: Apache-2.0
import DBus

nonisolated extension KeptObject {
  enum Event {
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

  enum Action: Equatable {
    case create(attempt: UInt64)
    case follow(ObjectPath)
    case start(ObjectPath, attempt: UInt64)
    case close(ObjectPath)
    case readAuthorization(ObjectPath)
    /// Read the service's sentence about the authorization.
    case readMessage(ObjectPath)
    /// The object has gone with the service, whether that is reported or not.
    case lost
    case tell(ServiceEvent<Never>)
  }
}
