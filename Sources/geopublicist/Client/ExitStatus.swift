// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport

nonisolated enum ExitStatus {
  static let success: Int32 = 0
  static let failure: Int32 = 1
  static let usage: Int32 = 2
  static let notAuthorized: Int32 = 3
  static let unavailable: Int32 = 4
  static let timeout: Int32 = 5
  /// Ctrl-C before an answer, with the status that shells give a program ended by SIGINT.
  static let interrupted: Int32 = 130
}

/// A D-Bus error as a sentence for the user and a status for scripts.
nonisolated struct Failure {
  let message: String
  let status: Int32

  /// Describes an error on the bus that `bus` names.
  ///
  /// - Parameter presence: Whether the service runs or can be started, where that is known: a service that fails to
  ///   start is reported as silent by dbus-daemon and as unknown by dbus-broker.
  init(_ error: DBusError, on bus: String, presence: DoctorFacts.Service? = nil) {
    let name = error.name.rawValue
    switch error.name {
    case .noReply where presence == .activatable, .serviceUnknown where presence == .activatable,
      .nameHasNoOwner where presence == .activatable:
      self.init(tr("The service did not start; `geopublicist doctor` shows the reason"), ExitStatus.unavailable)
    case .serviceUnknown, .nameHasNoOwner:
      self.init(
        tr("The service is not running on \(bus), and nothing starts it there; `geopublicist doctor` shows the reason"),
        ExitStatus.unavailable)
    case .locationTimeout: self.init(tr(received: error.message), ExitStatus.timeout)
    case .noReply:
      self.init(
        tr("The service did not answer: \(error.message); `geopublicist doctor` shows the reason"),
        ExitStatus.unavailable)
    case .locationUnavailable: self.init(tr(received: error.message), ExitStatus.unavailable)
    case .notAuthorized: self.init(tr(received: error.message), ExitStatus.notAuthorized)
    case .invalidOption: self.init(error.message, ExitStatus.usage)
    case .interactiveAuthorizationRequired:
      self.init(
        Sentences.authorization(reason: AuthorizationReason.authorizationRequired.rawValue), ExitStatus.notAuthorized)
    case .accessDenied:
      self.init(tr("The policy of \(bus) forbids this call: \(error.message)"), ExitStatus.notAuthorized)
    case .disconnected: self.init(tr("The connection to the message bus is lost"), ExitStatus.unavailable)
    case .badAddress: self.init(tr("This is not a D-Bus address: \(error.message)"), ExitStatus.usage)
    case .noServer: self.init(tr("Cannot connect to \(bus): \(error.message)"), ExitStatus.unavailable)
    case _
    where error.name == .timedOut || name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
      || name.hasPrefix("org.freedesktop.systemd1."):
      self.init(tr("The bus could not start the service: \(error.message)"), ExitStatus.unavailable)
    default: self.init(error.message.isEmpty ? name : error.message, ExitStatus.failure)
    }
  }

  /// Describes why a call has no result.
  init(_ failure: CallFailure, on bus: String, presence: DoctorFacts.Service? = nil) {
    switch failure {
    case .notSent(let error) where error.name != .disconnected:
      self.init(tr("The call could not be sent: \(error.message)"), ExitStatus.failure)
    case .notSent(let error), .lost(let error), .refused(let error):
      self.init(error, on: bus, presence: presence)
    }
  }

  private init(_ message: String, _ status: Int32) {
    self.message = message
    self.status = status
  }
}

nonisolated extension ErrorName {
  // libdbus reports that there is no such bus.
  static let noServer = ErrorName("org.freedesktop.DBus.Error.NoServer")
  static let badAddress = ErrorName("org.freedesktop.DBus.Error.BadAddress")
}
