// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistProcessSupport

extension Invocation {
  /// Connects to the bus of the service; a command that cannot ends here.
  func connect() -> ServiceConnection? { connect(to: bus, called: busName) }

  /// Connects to another bus than the chosen one, which has a name for sentences.
  func connect(to bus: Connection.Bus, called name: String) -> ServiceConnection? {
    do throws(DBusError) {
      let service = try ServiceConnection(to: bus)
      service.connection.onDisconnected = { [weak self] in
        self?.complain("The message bus has gone")
        self?.finish(ExitStatus.unavailable)
      }
      return service
    } catch  where error.name == .badAddress || error.name == .accessDenied {
      fail(error, on: name)
    } catch {
      // libdbus has many names for a bus that is not there: no address, no file, no X11 to look it up, …
      fail(DBusError(.noServer, error.withoutAutolaunch), on: name)
    }
    return nil
  }
}

nonisolated extension DBusError {
  /// What is wrong, without libdbus's advice about X11 where a session has no bus.
  var withoutAutolaunch: String {
    message.hasPart("autolaunch")
      ? "this login has none; log in to a desktop session, or start a bus for one program: dbus-run-session -- PROGRAM"
      : message
  }
}
