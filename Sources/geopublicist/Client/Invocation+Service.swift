// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistProcessSupport

extension Invocation {
  /// Connects to the chosen bus; if that fails, reports why, ends the program and returns nil.
  func connect() -> ServiceConnection? {
    do throws(DBusError) {
      let service = try ServiceConnection(to: bus)
      service.connection.onDisconnected = { [weak self] in
        self?.fail("The message bus has gone", ExitStatus.unavailable)
      }
      return service
    } catch  where error.name == .badAddress || error.name == .accessDenied {
      fail(error)
    } catch {
      // libdbus has many names for a bus that is not there: no address, no socket, no X11 server to ask.
      fail(DBusError(.noServer, error.withoutAutolaunch))
    }
    return nil
  }
}

nonisolated extension DBusError {
  /// The message, but without libdbus's advice about X11 if there is no session bus.
  var withoutAutolaunch: String {
    message.hasPart("autolaunch")
      ? "this login has none; log in to a desktop session, or start a bus for one program: dbus-run-session -- PROGRAM"
      : message
  }
}
