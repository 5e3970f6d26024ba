import DBus
import Glibc
import LocationModel
import MainLoop

/// GeoClue2 as a source of locations: executes what ``ConnectionMachine`` decides.
public final class GeoClueSource: LocationSource {
  public var onEvent: ((LocationSourceEvent) -> Void)?

  private let connection: Connection
  private var machine = ConnectionMachine()
  private var agent: GeoClueAgent?
  private var service: NameWatch?
  private var managerMatch: SignalMatch?
  private var clientMatch: SignalMatch?
  private var agentMatch: SignalMatch?
  private var agentQuestion: PendingCall?
  private let agents: PeerWatch
  private var timer: LoopSource?
  /// Calls whose replies are still wanted; those about a client go with it.
  private var connecting: PendingCall?
  private var creating: PendingCall?
  private var accuracy: PendingCall?
  private var clientCalls: [UInt64: PendingCall] = [:]
  private var callCount: UInt64 = 0
  private var told = (status: UpstreamStatus(), authorization: Authorization.undecided())

  /// Follows GeoClue on the given connection.
  ///
  /// With `registersAgent` it becomes the agent of the daemon's own user. In a person's session it must not: the last
  /// agent wins, and would displace the one that has the person's switch.
  public init(on connection: Connection, registersAgent: Bool) {
    self.connection = connection
    agents = PeerWatch(on: connection)
    if registersAgent { agent = GeoClueAgent(on: connection) }
    managerMatch = connection.onSignal(
      MatchRule(
        sender: GeoClueNames.service, path: GeoClueNames.managerPath, interface: GeoClueNames.properties,
        member: "PropertiesChanged")
    ) { [weak self] signal in self?.managerChanged(signal) }
    service = NameWatch(GeoClueNames.service, on: connection) { [weak self] owner in self?.ownerChanged(owner) }
  }

  public func require(_ level: AccuracyLevel?) {
    followAgents(level != nil)
    handle(.demand(level))
  }

  private func handle(_ event: ConnectionMachine.Event) {
    let actions = machine.handle(event, chance: .random(in: 0...1))
    // The order of the outside: first what is true now, then what follows from it.
    tell()
    for action in actions { perform(action) }
  }

  private func tell() {
    let (status, authorization) = (machine.status, machine.authorization)
    let before = told
    told = (status, authorization)
    if authorization != before.authorization { onEvent?(.authorization(authorization)) }
    if status != before.status { onEvent?(.status(status)) }
  }

  private func perform(_ action: ConnectionMachine.Action) {
    switch action {
    case .activate: activate()
    case .createClient: createClient()
    case .startClient(let client, let level): startClient(client, level)
    case .deleteClient(let client): deleteClient(client)
    case .readAvailableAccuracy: readAvailableAccuracy()
    case .arm(let milliseconds):
      timer = MainLoop.main.after(milliseconds: milliseconds) { [weak self] in self?.handle(.timer) }
    case .disarm: timer = nil
    }
  }
}

/// The service and its manager.
extension GeoClueSource {
  private func ownerChanged(_ owner: BusName?) {
    // Whatever was asked of the one before is answered by nobody now.
    forgetClient()
    creating = nil
    accuracy = nil
    handle(owner == nil ? .serviceVanished : .serviceAppeared)
  }

  private func activate() {
    let message = try? Message(
      calling: "StartServiceByName", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", on: .bus,
      [.string(GeoClueNames.service.rawValue), .uint32(0)])
    guard let message else { return }
    connecting = connection.call(message, timeout: .milliseconds(25_000)) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success: handle(.activated)
      case .failure(let error):
        handle(.activationFailed(notInstalled: GeoClueReply.isNotInstalled(error)))
        fail(.unavailable, "GeoClue could not be started: \(error.message)")
      }
    }
  }

  private func readAvailableAccuracy() {
    accuracy = call(
      "Get", of: GeoClueNames.properties, at: GeoClueNames.managerPath,
      [.string(GeoClueNames.manager.rawValue), .string("AvailableAccuracyLevel")], expecting: .variant
    ) { [weak self] result in
      if case .success(let values) = result, let level = values.first?.unwrapped.uint32 {
        self?.handle(.available(AccuracyLevel(rounding: level)))
      }
    }
  }

  private func managerChanged(_ signal: Signal) {
    guard signal.sender == service?.owner,
      let level = GeoClueReply.changes(in: signal, of: GeoClueNames.manager)?["AvailableAccuracyLevel"]?.uint32
    else { return }
    // Newer than any answer that is still on its way.
    accuracy = nil
    handle(.available(AccuracyLevel(rounding: level)))
  }

  private func createClient() {
    agent?.register { [weak self] error in
      self?.fail(.unavailable, "GeoClue does not accept the bridge's agent: \(error.message)")
    }
    // GeoClue keeps the call until there is an agent. It is made once and never given up: each one that is abandoned
    // would leave a client behind when it is answered at last.
    creating = call(
      "CreateClient", of: GeoClueNames.manager, at: GeoClueNames.managerPath, timeout: .never,
      expecting: "o"
    ) { [weak self] result in
      guard let self else { return }
      creating = nil
      switch result {
      case .success(let values):
        if let client = values.first?.objectPath { handle(.created(client: client.rawValue)) }
      case .failure(let error):
        handle(.creationFailed(GeoClueReply.failure(error)))
        fail(error)
      }
    }
  }

  fileprivate func call(
    _ member: MemberName, of interface: InterfaceName, at path: ObjectPath, _ arguments: [Value] = [],
    timeout: CallTimeout = .milliseconds(25_000), expecting signature: Signature? = nil,
    _ handler: @escaping (Result<[Value], DBusError>) -> Void
  ) -> PendingCall? {
    let message = try? Message(calling: member, of: interface, at: path, on: GeoClueNames.service, arguments)
    guard let message else { return nil }
    // A call that has to wait must not start a GeoClue that has just gone.
    message.startsService = false
    return connection.call(message, timeout: timeout, expecting: signature, handler)
  }

  fileprivate func fail(_ error: DBusError) {
    guard error.name != .noReply, error.name != .disconnected else { return }
    if let reason = GeoClueRefusal.reason(for: error) {
      fail(.denied, reason.sentence)
    } else {
      fail(.unavailable, "GeoClue answered with an error: \(error.message)")
    }
  }

  fileprivate func fail(_ code: LocationError.Code, _ message: String) {
    onEvent?(.failure(LocationError(code, message)))
  }
}

/// The client and its locations.
extension GeoClueSource {
  private func startClient(_ client: String, _ level: AccuracyLevel) {
    guard let path = ObjectPath(validating: client) else { return }
    // Before the start: a location may come before its reply.
    clientMatch = connection.onSignal(MatchRule(sender: GeoClueNames.service, path: path)) { [weak self] signal in
      self?.clientSignal(signal)
    }
    setProperty("DesktopId", .string(GeoClueNames.desktopID), of: path)
    setProperty("RequestedAccuracyLevel", .uint32(level.rawValue), of: path)
    aboutClient { finished in
      self.call("Start", of: GeoClueNames.client, at: path, timeout: .milliseconds(120_000)) { [weak self] result in
        finished()
        switch result {
        case .success: self?.handle(.started)
        case .failure(let error):
          self?.handle(.startFailed(GeoClueReply.failure(error)))
          self?.fail(error)
        }
      }
    }
  }

  private func setProperty(_ name: String, _ value: Value, of path: ObjectPath) {
    aboutClient { finished in
      self.call(
        "Set", of: GeoClueNames.properties, at: path,
        [.string(GeoClueNames.client.rawValue), .string(name), .variant(value)]
      ) { [weak self] result in
        finished()
        if case .failure(let error) = result { self?.fail(error) }
      }
    }
  }

  private func deleteClient(_ client: String) {
    forgetClient()
    guard let path = ObjectPath(validating: client) else { return }
    let message = try? Message(
      calling: "DeleteClient", of: GeoClueNames.manager, at: GeoClueNames.managerPath, on: GeoClueNames.service,
      [.objectPath(path)])
    guard let message else { return }
    message.startsService = false
    message.wantsReply = false
    connection.send(message)
  }

  private func forgetClient() {
    clientMatch = nil
    clientCalls.removeAll()
  }

  /// Keeps a call as long as its client counts; `finished` is for its reply.
  private func aboutClient(_ make: (_ finished: @escaping () -> Void) -> PendingCall?) {
    callCount &+= 1
    let number = callCount
    clientCalls[number] = make { [weak self] in self?.clientCalls[number] = nil }
  }

  private func clientSignal(_ signal: Signal) {
    // Any process can send a signal to us under this path.
    guard signal.sender == service?.owner, signal.path.rawValue == machine.client else { return }
    switch (signal.interface, signal.member) {
    case (GeoClueNames.client, "LocationUpdated"):
      if signal.arguments.count == 2, let path = signal.arguments[1].objectPath, path != .root { readLocation(path) }
    case (GeoClueNames.properties, "PropertiesChanged"):
      if let active = GeoClueReply.changes(in: signal, of: GeoClueNames.client)?["Active"]?.boolean {
        handle(.active(active))
      }
    default: break
    }
  }

  private func readLocation(_ path: ObjectPath) {
    aboutClient { finished in
      self.call(
        "GetAll", of: GeoClueNames.properties, at: path, [.string(GeoClueNames.location.rawValue)],
        timeout: .milliseconds(5_000), expecting: .variantDictionary
      ) { [weak self] result in
        finished()
        self?.take(result)
      }
    }
  }

  private func take(_ result: Result<[Value], DBusError>) {
    guard case .success(let values) = result, let raw = GeoClueReply.fix(from: values.first?.properties ?? [:]) else {
      return fail(.locationUnknown, "GeoClue announced a location that could not be read")
    }
    let clock = MainLoop.main.clock
    do throws(FixRejection) {
      let location = try LocationValidator.location(
        from: raw, receivedAt: clock.boottime(),
        wallClock: Timestamp(microsecondsSinceEpoch: clock.realtime()))
      handle(.fix)
      onEvent?(.location(location))
    } catch {
      fail(.locationUnknown, "GeoClue announced a location that cannot be true (\(error.rawValue))")
    }
  }
}

/// The person's agent, which GeoClue's running clients do not follow.
extension GeoClueSource {
  /// Makes a new client when an agent of our user tells of a change, or leaves: the client at hand would keep to what
  /// its agent said first, or to one that is dead.
  private func followAgents(_ wanted: Bool) {
    guard agent == nil, wanted else {
      agentMatch = nil
      return
    }
    guard agentMatch == nil else { return }
    agentMatch = connection.onSignal(
      MatchRule(path: GeoClueNames.agentPath, interface: GeoClueNames.properties, member: "PropertiesChanged")
    ) { [weak self] signal in self?.agentSignal(signal) }
  }

  private func agentSignal(_ signal: Signal) {
    guard GeoClueReply.changes(in: signal, of: GeoClueNames.agent)?["MaxAccuracyLevel"] != nil else { return }
    // Anybody can send this; only an agent of our own user has a say.
    let message = try? Message(
      calling: "GetConnectionUnixUser", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", on: .bus,
      [.string(signal.sender.rawValue)])
    guard let message else { return }
    agentQuestion = connection.call(message, expecting: "u") { [weak self] result in
      guard let self, case .success(let values) = result, values.first?.uint32 == getuid() else { return }
      agents.whenGone(signal.sender) { [weak self] in self?.handle(.agentChanged) }
      handle(.agentChanged)
    }
  }
}
