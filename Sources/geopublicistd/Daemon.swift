// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport
import GeopublicistReplay
import GeopublicistService
import Glibc
import MainLoop
import Publicist

/// The entry point, by the name that SwiftPM gives the `main` of this module.
@_cdecl("geopublicistd_main")
func enter(_ count: Int32, _ vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 {
  Daemon.main(ProgramArguments.strings(count, vector))
}

/// The service's program: options, configuration, then the main loop until the end.
struct Daemon {
  static func main(_ arguments: [String]) -> Int32 {
    // Belt and braces: libdbus is to return from a check that fails instead of ending the process.
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
      configuration = try startConfiguration(options)
      source = try options.replay?.source()
    } catch let error as OptionParser.UsageError {
      if let help = error.help { return StandardStream.print(help, as: "geopublicistd") }
      complain(error.message)
      return ExitStatus.usage
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

  /// The configuration to start with.
  ///
  /// A mistake in the administrator's files must not take the service away from every user, so the defaults hold until it
  /// is corrected. A file that the command line names is an error, reported to the person who named it.
  private static func startConfiguration(_ options: DaemonOptions) throws(KeyFile.FileError) -> Configuration {
    do throws(KeyFile.FileError) {
      return try Configuration.load(file: options.configurationFile)
    } catch  where options.configurationFile == nil {
      Log.error("The defaults are used, not the configuration: \(error)")
      return Configuration()
    }
  }

  /// Serves until the program is to end; connects anew when the bus is still there after it has ended a connection.
  ///
  /// dbus-broker lets headers pass for which libdbus leaves the bus, so anybody who may send a message here can have this
  /// program thrown out. To end would be no better for those whom it serves, and slower.
  private static func serve(
    _ options: DaemonOptions, _ configuration: Configuration, _ source: ReplaySource?
  ) throws(DBusError) -> Int32 {
    let notifier = ServiceNotifier()
    var configuration = configuration
    while true {
      let session = try Session(options, configuration, source, notifier)
      switch try session.run() {
      case .over(let status): return status
      case .thrownOut: Log.warning("The message bus has ended a connection; whoever subscribes has to begin anew")
      }
      configuration = session.configuration
    }
  }

  private static func complain(_ message: String) {
    StandardError.write("geopublicistd: \(message)\n")
  }
}

/// What the process ends with.
enum ExitStatus {
  static let failure: Int32 = 1
  static let usage: Int32 = 2
  /// `EX_CONFIG` of sysexits.h.
  static let configuration: Int32 = 78
}
