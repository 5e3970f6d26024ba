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

/// The running service with its connections, from acquiring the bus name to a clean end.
package final class Session {
  private let options: DaemonOptions
  private let geoClueBus: Connection
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
  private var rejoiningGeoClueBus: LoopSource?
  private var liveness: PendingCall?
  private var isStalled = false

  /// A name of the connections for questions to other programs. The bus policy forbids everybody to send anything but
  /// answers to its owner and to those that wait for it: a long message would end the connection.
  private static let questions: BusName = "org.geopublicist.Location1.Questions"

  /// The delays before each attempt to rejoin the bus. After the last attempt the bus counts as lost.
  private static let rejoinDelays = [0, 10, 50, 200, 500, 1_000, 2_000].map { Duration.milliseconds($0) }

  package enum End {
    /// The program must exit with this status.
    case over(Int32)
    /// The bus ended a connection, and with it everything that clients had here.
    case thrownOut
  }

  package init(
    _ options: DaemonOptions, _ configuration: Configuration, _ replay: ReplaySource?, _ notifier: ServiceNotifier
  ) throws(DBusError) {
    self.options = options
    self.notifier = notifier
    geoClueBus = try Connection(to: options.geoclueBus)
    exported = try Connection(to: options.exportBus)
    let source: any LocationSource =
      replay
      ?? GeoClueSource(
        on: geoClueBus, desktopID: ServiceContract.service.rawValue, registersAgent: options.deployment == .system)
    service = LocationService(
      on: exported, LocationPublicist(LocationManager(source: source)), for: options.deployment, configuration
    ) { () throws(DBusError) in
      // This does not wait for the bus's answer, which others can delay by minutes.
      let connection = try Connection(joining: options.exportBus, as: Self.questions)
      // An answer to a ping is empty, but a client decides what it sends.
      connection.largestMessage = 1 << 20
      return connection
    }
    service.passesCellsOn = cells != nil
    if options.deployment == .system, let folder = StateFolder.path {
      service.lastPlaces = LastPlaces(in: folder)
      service.lastPlaces?.isOn = configuration.remembers
    }
    // Nothing would start the replay again: without an activation file, clients would learn that no service is
    // installed.
    if replay == nil { service.onIdle = { [weak self] in self?.retire() } }
  }

  package var configuration: Configuration { service.configuration }

  /// Serves until a signal, idleness, or the end of a connection.
  package func run() throws(DBusError) -> End {
    signals = UnixSignals([SIGTERM, SIGINT, SIGHUP]) { [weak self] signal in self?.receive(signal) }
    // Half of what the bus allows for calls to all services together.
    for connection in [geoClueBus, exported] {
      connection.unansweredCallLimit = 64
      // dbus-daemon's own limit. With dbus-broker's limit of 128 MiB, a message could exceed the unit's MemoryMax.
      connection.largestMessage = 32 << 20
    }
    geoClueBus.onDisconnected = { [weak self] in self?.rejoinGeoClueBus() }
    exported.isToRejoin = true
    exported.onDisconnected = { [weak self] in
      self?.service.left()
      self?.rejoin()
    }
    exported.onStalled = { [weak self] in self?.checkBus() }
    networkWatch = NetworkWatch(on: geoClueBus) { [weak self] in self?.service.networkChanged() }
    timeWatch = TimeWatch(on: geoClueBus) { [weak self] event in self?.service.timeChanged(event) }
    // Later sleeps are noticed.
    if let cells { service.restore(cells.read()) }
    do {
      // Replaceable by the service itself, because dbus-daemon does not notice the end of a connection from which it no
      // longer reads. Only users whom the bus policy allows to own the name can replace it.
      try exported.own(ServiceContract.service, isReplaceable: true)
    } catch {
      guard !exported.isConnected else { throw error }
      end()
      return .thrownOut
    }
    Log.info("Serving \(ServiceContract.service) as \(exported.uniqueName)")
    // Triggered by the main loop itself, so that the watchdog detects a hanging loop.
    watchdog = notifier.keepAliveInterval.map {
      MainLoop.main.every($0) { [notifier] in notifier.keepAlive() }
    }
    notifier.ready()
    let status = MainLoop.main.run()
    end()
    return isThrownOut && release == nil ? .thrownOut : .over(status)
  }

  /// dbus-broker delivers messages over which libdbus leaves the bus, so any program on the bus can cause a
  /// disconnection. The clients still exist: the service returns immediately, and they keep their objects.
  private func rejoin(attempt: Int = 0) {
    guard release == nil, attempt < Self.rejoinDelays.count else { return giveUp() }
    rejoining = MainLoop.main.after(Self.rejoinDelays[attempt]) { [weak self] in
      guard let self else { return }
      rejoining = nil
      do throws(DBusError) {
        guard try exported.rejoin(forgettingOwners: true) else { return giveUp() }
        try exported.own(ServiceContract.service, isReplaceable: true, replaces: true)
      } catch {
        Log.info("Cannot rejoin the bus yet: \(error.message)")
        return rejoin(attempt: attempt + 1)
      }
      service.rejoined(afterStall: isStalled)
      isStalled = false
      Log.warning("The message bus closed a connection; the service is available again as \(exported.uniqueName)")
    }
  }

  /// The connection to GeoClue can be lost in the same way. GeoClue treats the new connection as another client, so for
  /// the source this is like a restart of GeoClue.
  private func rejoinGeoClueBus(attempt: Int = 0) {
    guard release == nil, attempt < Self.rejoinDelays.count else { return giveUp() }
    rejoiningGeoClueBus = MainLoop.main.after(Self.rejoinDelays[attempt]) { [weak self] in
      guard let self else { return }
      rejoiningGeoClueBus = nil
      geoClueBus.onDisconnected = { [weak self] in self?.rejoinGeoClueBus() }
      do throws(DBusError) {
        guard try geoClueBus.rejoin(forgettingOwners: true) else { return giveUp() }
        Log.warning("The message bus closed the connection to GeoClue; reconnected")
      } catch { rejoinGeoClueBus(attempt: attempt + 1) }
    }
  }

  /// How many consecutive answers on another connection show that a bus is not merely slow.
  private static let provingAnswers = 4

  /// Handles a bus that reads nothing from the service. If it keeps answering on another connection, it holds too many
  /// messages that clients have not read and charges them to this connection. A new connection starts without that
  /// debt. A bus that is merely slow serves both connections in turn.
  private func checkBus() {
    guard liveness == nil, rejoining == nil, options.geoclueBus == options.exportBus else { return }
    askBus(answers: 0, since: exported.progressAt)
  }

  private func askBus(answers: Int, since progress: MonotonicInstant) {
    guard exported.progressAt == progress else { return }
    guard answers < Self.provingAnswers else {
      Log.warning("The message bus no longer reads from the service")
      isStalled = true
      return rejoin()
    }
    liveness = geoClueBus.call(Message(callingBus: "GetId"), timeout: .milliseconds(1_000)) { [weak self] result in
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
      Log.notice("The configuration was reloaded")
    } catch { Log.error("The previous configuration remains in force: \(error)") }
  }

  /// Exits because the service is idle. Releases the name first, so that the bus starts a new service for later calls,
  /// then answers the calls already received.
  private func retire() {
    guard release == nil else { return }
    Log.info("The service is idle and exits; the next call starts it")
    // This must come first: a call that arrives once the name is free must find a unit that systemd knows to be
    // stopping. systemd would not restart an active unit, and the call would wait for a name that no process acquires.
    notifier.stopping()
    release = exported.release(ServiceContract.service) { [weak self] in self?.finishLastCalls() }
    if release == nil { MainLoop.main.quit() }
  }

  /// How long the last calls may take; then they are refused. Others' calls wait meanwhile, because systemd starts the
  /// service again only when it has exited, and by default callers give up after 25 s.
  private static let timeForLastCalls = Duration.seconds(10)

  private func finishLastCalls() {
    // Everything that the bus had sent to the name arrived before this answer.
    service.closeSubscriptions()
    let end = MainLoop.main.clock.monotonic() + Self.timeForLastCalls
    lastCalls = MainLoop.main.every(.milliseconds(20), first: .origin) { [weak self] in
      guard let self, !service.isBusy || MainLoop.main.clock.monotonic() >= end else { return }
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
    geoClueBus.flush()
    exported.close()
    geoClueBus.close()
  }
}
