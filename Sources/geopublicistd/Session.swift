// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistContract
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
  private var networkWatch: NetworkWatch?
  private var signals: UnixSignals?
  private var release: PendingCall?
  private var lastCalls: LoopSource?
  private var isThrownOut = false
  private var rejoining: LoopSource?
  private var rejoiningUpstream: LoopSource?
  private var liveness: PendingCall?
  private var isStalled = false

  /// How long to wait before each attempt to come back to the bus, in milliseconds; after the last one it counts as gone.
  private static let rejoinDelays: [Int64] = [0, 10, 50, 200, 500, 1_000, 2_000]

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
      replay
      ?? GeoClueSource(
        on: upstream, desktopID: ServiceContract.service.rawValue, registersAgent: options.deployment == .system)
    service = LocationService(
      on: exported, LocationPublicist(LocationManager(source: source)), for: options.deployment, configuration
    ) { () throws(DBusError) in try Connection(to: options.exportBus) }
    if let cells {
      service.passesCellsOn = true
      service.restore(cells.read())
    }
  }

  /// What is configured now.
  var configuration: Configuration { service.configuration }

  /// Serves until a signal, idleness, or the end of a connection.
  func run() throws(DBusError) -> End {
    signals = UnixSignals([SIGTERM, SIGINT, SIGHUP]) { [weak self] signal in self?.receive(signal) }
    // Half of what the bus allows for calls to all services.
    for connection in [upstream, exported] {
      connection.unansweredCallLimit = 64
      // dbus-daemon's own limit. With the 128 MiB of dbus-broker the unit's MemoryMax would end the service.
      connection.largestMessage = 32 << 20
    }
    upstream.onDisconnected = { [weak self] in self?.rejoinUpstream() }
    exported.isToRejoin = true
    exported.onDisconnected = { [weak self] in self?.rejoin() }
    exported.onStalled = { [weak self] in self?.checkBus() }
    networkWatch = NetworkWatch(on: upstream) { [weak self] in self?.service.networkChanged() }
    timeWatch = TimeWatch(on: upstream) { [weak self] event in self?.service.timeChanged(event) }
    service.onIdle = { [weak self] in self?.retire() }
    do {
      // Replaceable by the service itself: dbus-daemon does not notice the end of a connection from which it has ceased to
      // read. Whom the policy of the bus does not let own the name cannot replace anybody.
      try exported.own(ServiceContract.service, isReplaceable: true)
    } catch {
      guard !exported.isConnected else { throw error }
      end()
      return .thrownOut
    }
    Log.info("Serving \(ServiceContract.service) as \(exported.uniqueName)")
    // From the loop itself, so that a loop that hangs is found out.
    watchdog = notifier.keepAliveInterval.map {
      MainLoop.main.every(microseconds: $0) { [notifier] in notifier.keepAlive() }
    }
    notifier.ready()
    let status = MainLoop.main.run()
    end()
    return isThrownOut && release == nil ? .thrownOut : .over(status)
  }

  /// dbus-broker lets pass what libdbus leaves the bus over, so any program on the bus can have this one thrown out. Its
  /// clients are still there: the service comes back at once, and they keep what they have.
  private func rejoin(attempt: Int = 0) {
    guard release == nil else { return giveUp() }
    guard attempt < Self.rejoinDelays.count else { return giveUp() }
    rejoining = MainLoop.main.after(milliseconds: Self.rejoinDelays[attempt]) { [weak self] in
      guard let self else { return }
      rejoining = nil
      do throws(DBusError) {
        guard try exported.rejoin(forgettingOwners: true) else { return giveUp() }
        try exported.own(ServiceContract.service, isReplaceable: true, replaces: true)
      } catch {
        Log.info("Not back on the bus yet: \(error.message)")
        return rejoin(attempt: attempt + 1)
      }
      service.rejoined(afterStall: isStalled)
      isStalled = false
      Log.warning("The message bus has ended a connection; the service is back as \(exported.uniqueName)")
    }
  }

  /// The connection to GeoClue can be thrown out in the same way. To GeoClue this is another client, so for the source it
  /// is as if GeoClue had been restarted.
  private func rejoinUpstream(attempt: Int = 0) {
    guard release == nil, attempt < Self.rejoinDelays.count else { return giveUp() }
    rejoiningUpstream = MainLoop.main.after(milliseconds: Self.rejoinDelays[attempt]) { [weak self] in
      guard let self else { return }
      rejoiningUpstream = nil
      upstream.onDisconnected = { [weak self] in self?.rejoinUpstream() }
      do throws(DBusError) {
        guard try upstream.rejoin(forgettingOwners: true) else { return giveUp() }
        Log.warning("The message bus has ended the connection to GeoClue; there is a new one")
      } catch {
        rejoinUpstream(attempt: attempt + 1)
      }
    }
  }

  /// How often in a row a bus that takes nothing has to answer before it is blamed.
  private static let provingAnswers = 4

  /// The bus takes nothing more. If it keeps answering on another connection all the same, it holds too much that clients
  /// do not read, and holds it against this connection: a new one begins with nothing. A bus that is only slow serves
  /// both in turn.
  private func checkBus() {
    guard liveness == nil, rejoining == nil, options.geoclueBus == options.exportBus else { return }
    askBus(answers: 0, since: exported.progressAt)
  }

  private func askBus(answers: Int, since progress: Int64) {
    guard exported.progressAt == progress, let question = try? Message(callingBus: "GetId") else { return }
    guard answers < Self.provingAnswers else {
      Log.warning("The message bus takes nothing from the service any more")
      isStalled = true
      return rejoin()
    }
    liveness = upstream.call(question, timeout: .milliseconds(1_000)) { [weak self] result in
      guard let self else { return }
      liveness = nil
      if case .success = result { askBus(answers: answers + 1, since: progress) }
    }
  }

  private func giveUp() {
    isThrownOut = true
    MainLoop.main.quit()
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
    release = exported.release(ServiceContract.service) { [weak self] in self?.finishLastCalls() }
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
    exported.release(ServiceContract.service)
    exported.flush()
    upstream.flush()
    exported.close()
    upstream.close()
  }
}
