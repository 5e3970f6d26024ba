// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistLocationModel
import MainLoop

/// The GeoClue agent of this user on the system bus, while the user has no other agent.
final class UserAgent {
  var onChange: ((AgentMachine.Phase) -> Void)?

  private let bus: Connection.Bus
  private let connection: Connection
  private let agent: GeoClueAgent
  private var machine = AgentMachine()
  private var geoclue: NameWatch?
  private var rivals: RivalWatch?
  private var probe: AgentProbe?

  init(on bus: Connection.Bus, level: AccuracyLevel, onDisconnected: @escaping () -> Void) throws(DBusError) {
    self.bus = bus
    connection = try Connection(to: bus)
    connection.onDisconnected = onDisconnected
    agent = GeoClueAgent(on: connection, level: level)
    rivals = RivalWatch(
      on: connection, onRival: { [weak self] in self?.handle(.rivalFound($0, hasAnnounced: $1)) },
      onDeparture: { [weak self] in self?.handle(.left($0)) })
    rivals?.scan()
    geoclue = NameWatch(GeoClueNames.service, on: connection) { [weak self] owner in
      self?.handle(.geoclueVanished)
      if owner != nil { self?.handle(.geoclueAppeared) }
    }
  }

  /// The finest level that GeoClue may reveal to this user.
  var level: AccuracyLevel {
    get { agent.level }
    set { if newValue != agent.level { agent.setLevel(newValue) } }
  }

  var phase: AgentMachine.Phase { machine.phase }

  private func handle(_ event: AgentMachine.Event) {
    let before = machine.phase
    let actions = machine.handle(event)
    if machine.standsAside { agent.standAside() } else { agent.stepIn() }
    rivals?.followArrivals([.registering, .registered].contains(machine.phase))
    rivals?.followDepartures(machine.followsDepartures)
    if machine.phase != .probing { probe = nil }
    for action in actions { perform(action) }
    if machine.phase != before { onChange?(machine.phase) }
  }

  private func perform(_ action: AgentMachine.Action) {
    guard let owner = geoclue?.owner else { return }
    switch action {
    case .probe:
      probe = try? AgentProbe(bus, owner) { [weak self] in self?.handle(.probed(isAnotherRegistered: $0)) }
      // Without another connection there is no answer, so the agent does not register.
      if probe == nil { handle(.probed(isAnotherRegistered: true)) }
    case .register:
      agent.register(
        with: owner,
        onSuccess: { [weak self] in
          self?.handle(.accepted)
          self?.agent.announce()
          // Finds a desktop's agent that registered during the probe.
          self?.rivals?.scan()
        }, onRefusal: { [weak self] _ in self?.handle(.refused) })
    case .listCandidates: rivals?.listOwn { [weak self] in self?.handle(.candidates($0)) }
    }
  }
}

/// Asks GeoClue for a client on a separate connection: GeoClue answers only users who have an agent.
///
/// Closing the connection also ends the client, or the call that GeoClue would answer later.
final class AgentProbe {
  /// How long GeoClue may take to return a client after it has answered another call. An agent registers sooner.
  private static let patience = Duration.seconds(1)

  private let connection: Connection
  private var deadline: LoopSource?
  private var onResult: ((Bool) -> Void)?

  /// Calls `onResult` once with whether GeoClue has returned a client, unless this object is released first.
  init(_ bus: Connection.Bus, _ owner: BusName, _ onResult: @escaping (Bool) -> Void) throws(DBusError) {
    connection = try Connection(to: bus)
    self.onResult = onResult
    let create = Message(calling: "CreateClient", of: GeoClueNames.manager, at: GeoClueNames.managerPath, on: owner)
    connection.call(create) { [weak self] result in
      // An error shows nothing about agents. It counts as no agent, since registering can be undone.
      if case .success = result { self?.end(true) } else { self?.end(false) }
    }.keep()
    let sign = Message(
      calling: "Get", of: .properties, at: GeoClueNames.managerPath, on: owner,
      [.string(GeoClueNames.manager.rawValue), .string("InUse")])
    connection.call(sign) { [weak self] _ in
      self?.deadline = MainLoop.main.after(Self.patience) { [weak self] in self?.end(false) }
    }.keep()
  }

  private func end(_ isAnotherRegistered: Bool) {
    deadline = nil
    let action = onResult
    onResult = nil
    action?(isAnotherRegistered)
  }
}
