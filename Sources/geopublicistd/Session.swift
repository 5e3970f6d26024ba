// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistProcessSupport
import GeopublicistReplay
import GeopublicistService
import Glibc
import MainLoop
import Publicist

/// The daemon at work: its connections and the service on them, from the name taken to a clean end.
final class Session {
  private let options: DaemonOptions
  private let upstream: Connection
  private let exported: Connection
  private let service: LocationService
  private let notifier: ServiceNotifier
  private let cells = RuntimeFile("cells")
  private var watchdog: LoopSource?
  private var timeWatch: TimeWatch?
  private var signals: UnixSignals?
  private var release: PendingCall?
  private var lastCalls: LoopSource?
  private var isThrownOut = false

  /// How it came to its end.
  enum End {
    /// With an exit status for the program.
    case over(Int32)
    /// A connection was ended from the other side, and with it everything that others had here.
    case thrownOut
  }

  init(
    _ options: DaemonOptions, _ configuration: Configuration, _ replay: ReplaySource?, _ notifier: ServiceNotifier
  ) throws(DBusError) {
    self.options = options
    self.notifier = notifier
    upstream = try Connection(to: options.geoclueBus)
    exported = try Connection(to: options.exportBus)
    let source: any LocationSource =
      replay ?? GeoClueSource(on: upstream, registersAgent: options.deployment == .system)
    service = LocationService(
      on: exported, LocationPublicist(LocationManager(source: source)), for: options.deployment, configuration
    ) { () throws(DBusError) in try Connection(to: options.exportBus) }
    if let cells {
      service.handsCellsOn = true
      service.restore(cells.read())
    }
  }

  /// What is configured now.
  var configuration: Configuration { service.configuration }

  /// Serves until a signal, idleness, or the end of a connection.
  func run() throws(DBusError) -> End {
    signals = UnixSignals([SIGTERM, SIGINT, SIGHUP]) { [weak self] signal in self?.receive(signal) }
    for connection in [upstream, exported] {
      // Half of what the bus allows for calls to all services.
      connection.unansweredCallLimit = 64
      connection.onDisconnected = { [weak self] in
        self?.isThrownOut = true
        MainLoop.main.quit()
      }
    }
    timeWatch = TimeWatch(on: upstream) { [weak self] event in self?.service.timeChanged(event) }
    service.onIdle = { [weak self] in self?.retire() }
    do {
      try exported.own(ServiceNames.service)
    } catch {
      guard !exported.isConnected else { throw error }
      end()
      return .thrownOut
    }
    Log.info("Serving \(ServiceNames.service) as \(exported.uniqueName)")
    // From the loop itself, so that a loop that hangs is found out.
    watchdog = notifier.keepAliveInterval.map {
      MainLoop.main.every(microseconds: $0) { [notifier] in notifier.keepAlive() }
    }
    notifier.ready()
    let status = MainLoop.main.run()
    end()
    return isThrownOut && release == nil ? .thrownOut : .over(status)
  }

  private func receive(_ signal: Int32) {
    switch signal {
    case SIGHUP: reload()
    default: MainLoop.main.quit()
    }
  }

  private func reload() {
    notifier.reloading()
    defer { notifier.ready() }
    do throws(KeyFile.FileError) {
      service.configuration = try Configuration.load(file: options.configurationFile)
      Log.notice("The configuration was read again")
    } catch {
      Log.error("The configuration stays as it was: \(error)")
    }
  }

  /// Nobody needs the service: gives the name up first, so that the bus starts a new one for whoever calls from now
  /// on, then answers the calls that were on their way already, and ends.
  private func retire() {
    guard release == nil else { return }
    Log.info("Nobody needs the service; it ends until it is called again")
    // First of all: a call that comes once the name is free has to find a unit that systemd knows to be ending. One that
    // still counts as active would not be started anew, and the call would wait for a name that nobody takes.
    notifier.stopping()
    release = exported.release(ServiceNames.service) { [weak self] in self?.finishLastCalls() }
    if release == nil { MainLoop.main.quit() }
  }

  private func finishLastCalls() {
    // Everything that the bus had sent to the name has come before this answer.
    service.closeSubscriptions()
    lastCalls = MainLoop.main.every(microseconds: 20_000, first: 0) { [weak self] in
      guard let self, !service.isBusy else { return }
      MainLoop.main.quit()
    }
  }

  private func end() {
    if !isThrownOut { notifier.stopping() }
    watchdog?.cancel()
    cells?.write(service.cells)
    service.shutDown()
    exported.release(ServiceNames.service)
    exported.flush()
    upstream.flush()
    exported.close()
    upstream.close()
  }
}
