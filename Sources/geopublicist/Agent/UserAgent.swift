// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistLocationModel

/// The GeoClue agent of this user on the system bus, while the user has no other agent.
final class UserAgent {
  /// Called after each change of the phase.
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

  /// The finest level that GeoClue may give this user.
  var level: AccuracyLevel {
    get { agent.level }
    set { if newValue != agent.level { agent.setLevel(newValue) } }
  }

  var phase: AgentMachine.Phase { machine.phase }

  private func handle(_ event: AgentMachine.Event) {
    let (before, wasShown) = (machine.phase, machine.isShown)
    let actions = machine.handle(event)
    if machine.isShown != wasShown {
      if machine.isShown { agent.show() } else { agent.hide() }
    }
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
