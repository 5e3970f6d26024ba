// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport

/// The interface `org.freedesktop.LogControl1`, used by `systemctl service-log-level`. Readable by everyone, as for
/// systemd's own services, and writable by administrators.
///
/// Bus policy cannot restrict writing, because the calls go through `Properties`.
final class LogControl {
  static let path: ObjectPath = "/org/freedesktop/LogControl1"
  static let name: InterfaceName = "org.freedesktop.LogControl1"

  /// Runs an action if the caller is an administrator, and refuses the call otherwise.
  typealias Guard = (MethodCall, @escaping () -> Void) -> Void

  private let asAdministrator: Guard
  private var object: ExportedObject?

  init(on connection: Connection, _ asAdministrator: @escaping Guard) {
    self.asAdministrator = asAdministrator
    object = connection.objects.export(Self.path, Implementation(of: Self.interface, by: self))
  }

  private static let interface = Interface<LogControl>(
    name,
    [
      .property(
        "LogLevel", "s", emits: .nothing,
        write: { control, value, call in
          control.asAdministrator(call) {
            guard let level = Log.Level(syslogName: value.string ?? "") else {
              return call.fail(DBusError(.invalidArgs, "Unknown log level; use one of \(Log.Level.syslogNames)"))
            }
            Log.maximumLevel = level
            call.reply()
          }
        }
      ) { _ in .string(Log.maximumLevel.syslogName) },
      .property(
        "LogTarget", "s", emits: .nothing,
        write: { control, value, call in
          control.asAdministrator(call) {
            guard value.string == Log.target else {
              return call.fail(DBusError(.notSupported, "The log target is \(Log.target) and cannot be changed"))
            }
            call.reply()
          }
        }
      ) { _ in .string(Log.target) },
      .property("SyslogIdentifier", "s", emits: .nothing) { _ in .string(Log.identifier) },
    ])
}
