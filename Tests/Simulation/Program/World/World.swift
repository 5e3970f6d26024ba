// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistSimulatedKernel
import Glibc
import MainLoop

/// Everything outside the service: the bus, the programs on it, the clock, and what is true.
final class World {
  static let serviceUser: UInt32 = 985
  static let users: [UInt32] = [1_001, 1_002, 1_003]

  let seed: UInt64
  let schedule = Schedule()
  let bus: SimulatedBus
  private(set) lazy var truth = Truth(self)
  private(set) lazy var checks = Checks(self)
  private(set) lazy var polkit = Polkit(self)
  private(set) lazy var logind = Logind(self)
  private(set) lazy var systemd = Systemd(self)
  private(set) lazy var geoclue = GeoClue(self)
  private(set) var agents: [Agent] = []
  private(set) var clients: [Client] = []
  private(set) var fixes: [UInt64: Fix] = [:]
  /// How often the machine has slept, and when it woke last.
  private(set) var sleeps = 0
  private(set) var wokeAt: Int64 = .min / 2
  /// Since when the service has owned its name.
  private(set) var servingSince: Int64?
  /// Somebody has called the service, which does not run.
  private var isServiceWanted = false
  private(set) var isOver = false
  private(set) var hash = TraceHash()
  /// Prints what happens.
  var narrates = false
  private var chance: Chance
  private var lastProcess: UInt32 = 5_000_000

  private static var current: World?

  init(seed: UInt64, folder: String) {
    self.seed = seed
    chance = Chance(seed, "turns")
    bus = SimulatedBus(in: folder, socketUser: Self.serviceUser)
    bus.activatable = [Client.service, Polkit.service, Logind.service, GeoClue.service]
    bus.onParcel = { [weak self] parcel, peer in self?.observe(parcel, peer) }
    bus.onStrayReply = { [weak self] parcel, peer in
      guard let self, peer is SocketPeer, parcel.destination.map({ self.bus.peers[$0] != nil }) ?? false else { return }
      checks.broken("every call is answered once", parcel.story)
    }
    bus.onActivation = { [weak self] name in self?.activate(name) }
  }

  func nextProcess() -> UInt32 {
    lastProcess += 1
    return lastProcess
  }

  /// Starts the world's programs, and virtual time.
  func begin() {
    World.current = self
    var hooks = kernel_world(
      busy: { World.current?.busy() },
      idle: { World.current?.idle(until: $0) ?? false })
    let kept = UnsafeMutablePointer<kernel_world>.allocate(capacity: 1)
    kept.initialize(to: hooks)
    hooks = kept.pointee
    kernel_begin(kept, seed)
    for user in Self.users {
      truth.set(.active, of: user)
      agents.append(Agent(self, user: user))
    }
    let people = Self.users + Self.users + [0, 1_001]
    for (index, user) in people.enumerated() {
      clients.append(Client(self, index, user: user, isSandboxed: index == people.count - 1))
    }
    polkit.start()
    logind.start()
    systemd.start()
    for agent in agents { agent.start() }
  }

  func end() {
    isOver = true
    MainLoop.main.quit()
  }

  // MARK: - Turns

  /// Runs beside the service, which has something to do.
  private func busy() {
    kernel_advance_to(kernel_monotonic() + Int64(chance.number(in: 1...40)))
    while schedule.runNext() {}
    if chance.percent(50) { _ = bus.turn() }
  }

  /// Runs while the service waits. Returns false when its time is over.
  private func idle(until deadline: Int64) -> Bool {
    if bus.turn() || schedule.runNext() { return true }
    guard let next = schedule.next, next <= deadline else {
      guard deadline < .max else { fatalError("nothing will ever happen again") }
      kernel_advance_to(deadline)
      return false
    }
    kernel_advance_to(next)
    return true
  }

  /// Lets time pass while no service runs. Returns true when one is wanted.
  func waitForCall() -> Bool {
    while !isServiceWanted, !isOver { _ = idle(until: kernel_monotonic() + 1_000_000) }
    defer { isServiceWanted = false }
    return isServiceWanted
  }

  // MARK: - Services

  var serviceName: String? { bus.owners[Client.service] }

  private func activate(_ name: String) {
    switch name {
    case Client.service: isServiceWanted = true
    case Polkit.service: schedule.after(chance.time(2_000...300_000)) { [weak self] in self?.polkit.start() }
    case Logind.service: schedule.after(chance.time(2_000...300_000)) { [weak self] in self?.logind.start() }
    case GeoClue.service:
      schedule.after(chance.time(5_000...900_000)) { [weak self] in
        guard let self else { return }
        if geoclueFails { bus.activationFailed(name, "Spawn.ChildExited") } else { geoclue.start() }
      }
    default: break
    }
  }

  /// Whether GeoClue cannot be started.
  var geoclueFails = false

  private func observe(_ parcel: Parcel, _ peer: Peer) {
    let isService = peer is SocketPeer
    if bus.owners[Client.service] == nil {
      servingSince = nil
    } else if servingSince == nil {
      servingSince = schedule.now
    }
    hash.add(UInt64(bitPattern: schedule.now))
    parcel.size = hash.add(message: parcel.encoded().raw)
    tell(parcel.story)
    if isService { checks.sent(parcel) }
  }

  // MARK: - The machine

  /// GeoClue measures where the machine is.
  func measure() -> Fix {
    let count = Double(fixes.count)
    let seconds = Double(schedule.now) / 1_000_000
    let fix = Fix(
      number: fixes.count + 1, latitude: 52.5 + seconds * 1e-6 + count * 1e-9, longitude: 13.4 + seconds * 1e-6,
      accuracy: Double(chance.number(in: 3...30)), timestamp: UInt64(kernel_realtime() / 1_000_000),
      measuredAt: schedule.now, sleeps: sleeps)
    fixes[fix.latitude.bitPattern] = fix
    return fix
  }

  /// The machine sleeps. Programs learn of it from logind, if it runs, and from the kernel.
  func sleep(_ microseconds: Int64, isAnnounced: Bool) {
    if isAnnounced { logind.prepareForSleep(true) }
    schedule.after(chance.time(100...200_000)) { [weak self] in
      guard let self else { return }
      kernel_suspend(microseconds)
      sleeps += 1
      wokeAt = schedule.now
      truth.changed("the machine has slept for \(microseconds / 1_000_000) s")
      if isAnnounced { schedule.after(chance.time(10...50_000)) { self.logind.prepareForSleep(false) } }
    }
  }

  func setClock(_ difference: Int64) {
    kernel_set_clock(difference)
    truth.changed("the clock is set by \(difference / 1_000_000) s")
  }

  // MARK: - Programs and the story

  func program(of process: UInt32) -> Program? {
    (clients + agents as [Program]).first { $0.process == process && $0.isConnected }
  }

  func programs(of user: UInt32) -> [Program] {
    (clients + agents as [Program]).filter { $0.user == user && $0.isConnected }
  }

  private(set) var recent: [String] = []

  func tell(_ story: @autoclosure () -> String) {
    guard narrates else { return }
    let now = schedule.now
    let digits = String(now % 1_000_000 + 1_000_000).dropFirst()
    print("\(now / 1_000_000).\(digits) \(story())")
  }
}
