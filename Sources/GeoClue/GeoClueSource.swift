// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import MainLoop

/// GeoClue2 as a source of locations. Carries out the decisions of `ConnectionMachine`.
public final class GeoClueSource: LocationSource, MachineShell {
  public var onEvent: ((LocationSourceEvent) -> Void)?

  package var host: MachineHost<ConnectionMachine>
  private let connection: Connection
  private let desktopID: String
  private var service: GeoClueService?
  private var client: GeoClueClient?
  /// The agent of this process, for a system user that has no other.
  private var agent: GeoClueAgent?
  /// The agents of a human user.
  private var agents: AgentWatch?
  /// Kept even while there are no subscribers, so that a later repetition gets the age of the original.
  private var measurements = RecentMeasurements()
  /// Whether the client has announced nothing yet.
  private var isFirst = true
  private let compass: CompassWatch
  private var course = CourseOverGround()
  /// The authorization at the time when the source was released to rest. Valid until GeoClue or the agent changes it.
  private var remembered: Authorization?
  private var told = (status: SourceStatus(), authorization: Authorization.undecided)

  /// Connects to GeoClue through the given connection.
  ///
  /// - Parameters:
  ///   - connection: A connection to the bus that GeoClue is on.
  ///   - desktopID: The program's name in GeoClue's rules and for its agents: the name of its .desktop file without the
  ///     extension.
  ///   - registersAgent: Whether to become the agent of the user of this process. A program in a user's session must
  ///     not do so: the last registered agent wins and would replace the one that controls the user's location switch.
  public init(on connection: Connection, desktopID: String, registersAgent: Bool = false) {
    self.connection = connection
    self.desktopID = desktopID
    host = MachineHost(ConnectionMachine(registersAgent: registersAgent))
    compass = CompassWatch(on: connection)
    if registersAgent {
      agent = GeoClueAgent(on: connection)
    } else {
      agents = AgentWatch(on: connection) { [weak self] level in self?.agentChanged(level) }
    }
    service = GeoClueService(on: connection) { [weak self] report in self?.take(report) }
  }

  /// Creating a GeoClue client for each short call would overload GeoClue.
  public var linger: Duration { .seconds(2) }

  public func require(_ level: AccuracyLevel?) {
    // Also watched afterwards: a level that the agent has lowered must count in the next use, too.
    if level != nil { agents?.follow() }
    if level == nil { remembered = nil }
    handle(.demand(level))
  }

  public func rest() {
    remembered = told.authorization.isAuthorized ? told.authorization : nil
    handle(.demand(nil))
  }

  public func refresh() { handle(.refresh) }

  public func startOver() { handle(.startOver) }

  private func agentChanged(_ level: AccuracyLevel?) {
    if let known = remembered {
      // A lower level counts immediately. GeoClue must confirm a higher one, and that the agent that refused has left.
      if let level, level < known.level {
        remembered = level == .none ? .refused(.disabledByUser) : .authorized(.always, level: level)
      } else if known.isAuthorized ? level ?? .none > known.level : level != AccuracyLevel.none {
        remembered = nil
      }
    }
    handle(.agentChanged(level))
  }

  private func take(_ report: GeoClueReport) {
    switch report {
    case .event(let event):
      if event == .serviceAppeared || event == .serviceVanished { deleteClient() }
      handle(event)
    case .fix(let fix): take(fix)
    case .failure(let error): onEvent?(.failure(error))
    }
  }

  /// Whether the heading that GeoClue reports may be the angle of a compass.
  var mayHaveCompass: Bool { compass.mayExist }

  /// Reports the new state before the actions are carried out.
  package func willPerform() {
    let status = host.machine.status
    var authorization = host.machine.authorization
    if authorization.reason != .undecided || status.state == .unavailable { remembered = nil }
    authorization = remembered ?? authorization
    let before = told
    told = (status, authorization)
    if authorization != before.authorization { onEvent?(.authorization(authorization)) }
    if status != before.status { onEvent?(.status(status)) }
  }

  package func perform(_ action: ConnectionMachine.Action) {
    switch action {
    case .activate: service?.activate()
    case .registerAgent: registerAgent()
    case .createClient: service?.createClient()
    case .startClient(let client, let level): startClient(client, level)
    case .deleteClient(let path): deleteClient(path)
    case .readAvailableAccuracy: service?.readAvailableAccuracy()
    }
  }
}

extension ConnectionMachine: StateMachine {
  @MainActor package mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Action] {
    // Fixes are frequent and do not need a random number, which would cost a system call.
    let isFix = if case .fix = event { true } else { false }
    return handle(event, at: now, chance: isFix ? 0 : .random(in: 0...1))
  }

  /// In whole milliseconds, so that events of the same moment have the same time.
  @MainActor package static var now: MonotonicInstant {
    MonotonicInstant(sinceOrigin: .milliseconds(MainLoop.main.clock.monotonic().sinceOrigin.milliseconds))
  }
}

// MARK: - The agent and the client
extension GeoClueSource {
  private func registerAgent() {
    guard let owner = service?.owner else { return }
    agent?.register(with: owner) { [weak self] error in
      self?.onEvent?(
        .failure(
          LocationError(
            .unavailable, "GeoClue does not accept the service's agent; allow it in /etc/geoclue/geoclue.conf")))
      if error.name == .accessDenied { self?.handle(.agentRefused) }
    }
  }

  private func startClient(_ client: String, _ level: AccuracyLevel) {
    guard let owner = service?.owner, let path = ObjectPath(validating: client) else { return }
    agents?.clientWasMade()
    isFirst = true
    let made = GeoClueClient(path, of: owner, on: connection, as: desktopID) { [weak self] report in self?.take(report)
    }
    self.client = made
    made.start(at: level)
  }

  private func deleteClient(_ path: String) {
    if client?.path.rawValue == path {
      deleteClient()
    } else if let owner = service?.owner, let path = ObjectPath(validating: path) {
      service?.deleteClient(path, of: owner)
    }
  }

  private func deleteClient() {
    guard let client else { return }
    self.client = nil
    service?.deleteClient(client.path, of: client.owner)
  }

  private func take(_ fix: Location) {
    guard host.machine.acceptsFixes else { return }
    let clock = MainLoop.main.clock
    do throws(FixRejection) {
      // The first fix of a new client may be a value that the receiver has not measured yet.
      if isFirst, fix.isAtZero { throw .notMeasured }
      var location = try LocationValidator.location(
        from: fix, receivedAt: clock.boottime(), wallClock: Timestamp(microsecondsSinceEpoch: clock.realtime()))
      let isOfNewClient = isFirst
      isFirst = false
      // To a new client, an asserted location is not merely repeated.
      if !(isOfNewClient && location.isAsserted), measurements.contains(location) {
        handle(.fix(isNew: false))
        if isOfNewClient, let newest = measurements.newest { onEvent?(.location(newest)) }
        return
      }
      let heading = course.heading(at: location)
      if compass.mayExist { location.heading = heading }
      measurements.add(location)
      handle(.fix(isNew: true))
      onEvent?(.location(location))
    } catch {
      onEvent?(.failure(LocationError(.locationUnknown, "GeoClue announced an invalid location (\(error.rawValue))")))
    }
  }
}
