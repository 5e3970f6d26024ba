import DBus
import Glibc
import LocationService
import MainLoop
import Program
import Publicist

/// The daemon's wiring: options, connections, the service, and a clean end.
@main struct Daemon {
  static func main() {
    // Belt and braces: libdbus is to return from a check that fails instead of ending the process.
    setenv("DBUS_FATAL_WARNINGS", "0", 0)
    exit(run())
  }

  private static func run() -> Int32 {
    let options: DaemonOptions
    let configuration: Configuration
    do {
      options = try DaemonOptions(CommandLine.arguments)
      if options.showsVersion {
        print("geopublicistd \(ServiceNames.version)")
        return 0
      }
      configuration = try Configuration.load(file: options.configurationFile)
    } catch let error as OptionParser.UsageError {
      complain(error.message)
      return ExitStatus.usage
    } catch {
      complain("\(error)")
      return ExitStatus.configuration
    }
    Log.install()
    Log.maximumLevel = options.isVerbose ? .debug : .info
    return serve(options, configuration)
  }

  private static func serve(_ options: DaemonOptions, _ configuration: Configuration) -> Int32 {
    let loop = MainLoop.main
    // Before anything else: a signal that comes during the start must not be lost.
    let signals = UnixSignals([SIGTERM, SIGINT]) { _ in loop.quit() }
    defer { withExtendedLifetime(signals) {} }
    do {
      let upstream = try Connection(to: options.geoclueBus)
      let exported = try Connection(to: options.exportBus)
      for connection in [upstream, exported] {
        connection.onDisconnected = {
          Log.error("The message bus has gone")
          loop.quit(status: ExitStatus.failure)
        }
      }
      let source = GeoClueSource(on: upstream, registersAgent: options.deployment == .system)
      let publicist = LocationPublicist(LocationManager(source: source))
      let service = LocationService(
        on: exported, publicist, for: options.deployment, limits: configuration.limits)
      try exported.own(ServiceNames.service)
      Log.info("Serving \(ServiceNames.service) as \(exported.uniqueName)")
      let status = loop.run()
      service.shutDown()
      exported.release(ServiceNames.service)
      exported.flush()
      upstream.flush()
      exported.close()
      upstream.close()
      return status
    } catch {
      Log.error("\(error.message)")
      return ExitStatus.failure
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
