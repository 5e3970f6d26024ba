// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport
import GeopublicistReplay
import GeopublicistService
import GeopublicistWiring
import Glibc

/// The program: parses options, loads the configuration, and runs the main loop until the end.
struct Daemon {
  static func main(_ arguments: [String]) -> Int32 {
    // Makes libdbus return from failed checks instead of aborting the process.
    setenv("DBUS_FATAL_WARNINGS", "0", 0)
    CoreDumps.forbid()
    return run(arguments)
  }

  private static func run(_ arguments: [String]) -> Int32 {
    Log.install()
    let options: DaemonOptions
    let configuration: Configuration
    let source: ReplaySource?
    do {
      options = try DaemonOptions(arguments)
      if options.showsVersion {
        return StandardStream.print("geopublicistd \(ProgramVersion.current)\n", as: "geopublicistd")
      }
      if options.checksConfiguration {
        _ = try Configuration.load(file: options.configurationFile)
        return 0
      }
      if options.forgets {
        let folder = StateFolder.path ?? StateFolder.packaged
        if LastPlaces.forgetAll(in: folder) { return 0 }
        complain("Cannot remove every file in \(folder); run this as root")
        return ExitStatus.failure
      }
      configuration = try startConfiguration(options)
      source = try options.replay?.source()
    } catch let error as UsageError {
      if let help = error.help { return StandardStream.print(help, as: "geopublicistd") }
      complain(error.message)
      return ExitStatus.usage
    } catch let error as KeyFile.FileError {
      error.mistakes.forEach(complain)
      return ExitStatus.configuration
    } catch {
      complain("\(error)")
      return ExitStatus.configuration
    }
    Log.maximumLevel = options.isVerbose ? .debug : .info
    do {
      return try serve(options, configuration, source)
    } catch {
      Log.error(error.message)
      return ExitStatus.failure
    }
  }

  /// Returns the configuration to start with.
  ///
  /// A mistake in the administrator's files must not take the service away from every user, so the defaults apply until
  /// it is corrected. A mistake in a file named on the command line is an error.
  private static func startConfiguration(_ options: DaemonOptions) throws(KeyFile.FileError) -> Configuration {
    do throws(KeyFile.FileError) {
      return try Configuration.load(file: options.configurationFile)
    } catch  where options.configurationFile == nil {
      Log.error("Using the default configuration, because the configured one is invalid: \(error)")
      var configuration = Configuration()
      // The files may say so where they cannot be read.
      configuration.remembers = false
      return configuration
    }
  }

  /// Serves until the program must end. Reconnects if the bus still exists after it has ended a connection.
  ///
  /// dbus-broker delivers messages with headers over which libdbus leaves the bus, so any program that may send a
  /// message to the service can cause this. Exiting would be slower and no better for the clients.
  private static func serve(
    _ options: DaemonOptions, _ configuration: Configuration, _ source: ReplaySource?
  ) throws(DBusError) -> Int32 {
    let notifier = ServiceNotifier()
    var configuration = configuration
    while true {
      let session = try Session(options, configuration, source, notifier)
      switch try session.run() {
      case .over(let status): return status
      case .thrownOut: Log.warning("The message bus closed a connection; clients must subscribe again")
      }
      configuration = session.configuration
    }
  }

  private static func complain(_ message: String) { StandardError.write("geopublicistd: \(message)\n") }
}

enum ExitStatus {
  static let failure: Int32 = 1
  static let usage: Int32 = 2
  /// `EX_CONFIG` of sysexits.h.
  static let configuration: Int32 = 78
}
