// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient

extension Invocation {
  /// Connects to the bus of the service; a command that cannot ends here.
  func connect() -> ServiceConnection? {
    do throws(DBusError) {
      let service = try ServiceConnection(to: bus)
      service.connection.onDisconnected = { [weak self] in
        self?.complain("The message bus has gone")
        self?.finish(ExitStatus.unavailable)
      }
      return service
    } catch  where error.name == .badAddress || error.name == .accessDenied {
      fail(error)
    } catch {
      // libdbus has many names for a bus that is not there: no address, no file, no X11 to look it up, …
      fail(DBusError(.noServer, error.message))
    }
    return nil
  }
}
