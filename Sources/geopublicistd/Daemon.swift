import DBus
import GeopublicistProcessSupport
import GeopublicistReplay
import GeopublicistService
import Glibc
import MainLoop
import Publicist

/// The daemon's entry: options, configuration, then the main loop until the end.
@main struct Daemon {
  static func main() {
    // Belt and braces: libdbus is to return from a check that fails instead of ending the process.
    setenv("DBUS_FATAL_WARNINGS", "0", 0)
    CoreDumps.forbid()
    exit(run())
  }

  private static func run() -> Int32 {
    let options: DaemonOptions
    let configuration: Configuration
    let source: ReplaySource?
    do {
      options = try DaemonOptions(CommandLine.arguments)
      if options.showsVersion {
        print("geopublicistd \(ServiceNames.version)")
        return 0
      }
      configuration = try Configuration.load(file: options.configurationFile)
      source = try options.replay?.source()
    } catch let error as OptionParser.UsageError {
      complain(error.message)
      return ExitStatus.usage
    } catch {
      complain("\(error)")
      return ExitStatus.configuration
    }
    Log.install()
    Log.maximumLevel = options.isVerbose ? .debug : .info
    do {
      return try serve(options, configuration, source)
    } catch {
      Log.error(error.message)
      return ExitStatus.failure
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
  /// `EX_CONFIG` of sysexits.h, which systemd does not restart after.
  static let configuration: Int32 = 78
}
