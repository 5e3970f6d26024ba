// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport

/// `org.freedesktop.LogControl1`, by which `systemctl service-log-level` speaks to the service; for administrators.
///
/// The bus policy cannot keep others out, because the calls come through `Properties`.
final class LogControl {
  static let path: ObjectPath = "/org/freedesktop/LogControl1"
  static let name: InterfaceName = "org.freedesktop.LogControl1"

  /// Runs the second argument if the caller of the first may, and refuses the call otherwise.
  typealias Guard = (Either, @escaping () -> Void) -> Void
  enum Either {
    case call(MethodCall)
    case read(PropertyRead)
  }

  private let ask: Guard
  private var object: ExportedObject?

  init(on connection: Connection, _ ask: @escaping Guard) {
    self.ask = ask
    object = connection.objects.export(Self.path, Implementation(of: Self.interface, by: self))
  }

  private static let interface = Interface<LogControl>(
    name,
    [
      .property(
        "LogLevel", "s", emits: .nothing,
        write: { control, value, call in
          control.ask(.call(call)) {
            guard let level = Log.Level(syslogName: value.string ?? "") else {
              return call.fail(DBusError(.invalidArgs, "The level is one of \(Log.Level.syslogNames)"))
            }
            Log.maximumLevel = level
            call.reply()
          }
        },
        readLater: { control, read in
          control.ask(.read(read)) { read.answer(.string(Log.maximumLevel.syslogName)) }
        }),
      .property(
        "LogTarget", "s", emits: .nothing,
        write: { control, value, call in
          control.ask(.call(call)) {
            guard value.string == Log.target else {
              return call.fail(DBusError(.notSupported, "The log goes to \(Log.target) as long as the service runs"))
            }
            call.reply()
          }
        },
        readLater: { control, read in control.ask(.read(read)) { read.answer(.string(Log.target)) } }),
      .property(
        "SyslogIdentifier", "s", emits: .nothing,
        readLater: { control, read in control.ask(.read(read)) { read.answer(.string(Log.identifier)) } }),
    ])
}
