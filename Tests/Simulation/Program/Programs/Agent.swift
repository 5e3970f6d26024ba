// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// A user's GeoClue agent.
final class Agent: Program {
  override var isOnSystemBus: Bool { true }

  static let path = "/org/freedesktop/GeoClue2/Agent"
  static let interface = "org.freedesktop.GeoClue2.Agent"
  /// The unit of its process, by which the service knows its id in GeoClue's configuration.
  static let unitName = "org.gnome.Shell@wayland.service"

  /// How an agent announces a change of its level.
  enum Manner: CaseIterable {
    /// Immediately, with the new level.
    case announces
    /// Without the new level.
    case invalidates
    /// Only while GeoClue runs, as GNOME Shell does.
    case announcesToGeoClue
  }

  var manner = Manner.announces
  private(set) var level = AccuracyLevel.exact
  /// When it last ceased to allow only the country.
  private(set) var onlyCountryUntil: Int64 = .min / 2
  /// When its level last changed.
  private(set) var changedAt: Int64 = .min / 2
  private var former = AccuracyLevel.none
  /// The finest level that it allowed within the tolerance before now.
  var formerLevel: AccuracyLevel { changedAt > world.schedule.now - Entitlement.tolerance ? max(former, level) : .none }
  /// The finest level that the service may assume. A change that is not announced counts when GeoClue returns, and one
  /// whose announcement is lost when the service asks again.
  var assumed: AccuracyLevel { max(level, told) }
  private var told = AccuracyLevel.none
  /// Whether it has begun to be an agent. It may be connected before.
  private var isExported = true
  override var isConnected: Bool { isOnBus && isExported }
  private var isOnBus: Bool { super.isConnected }
  override var mayBeServed: Bool { false }
  override var hasProcess: Bool { isOnBus || super.hasProcess }
  /// Whether this agent has answered or announced its level, so that the service can know of it.
  var isKnown = false
  /// How much systemd has told the service about this agent's process. Without that, it may be in a sandbox.
  var unit = Unit.unknown
  enum Unit { case unknown, found, described }
  /// Whether it refuses each program that asks GeoClue for the location.
  var rejects = false {
    didSet { if rejects != oldValue { changedAt = world.schedule.now } }
  }
  /// Whether the service has been told so, and no success since.
  var isRejectionKnown = false
  private var chance: Chance
  var latency: ClosedRange<Int64> = 50...3_000
  private var held: [Parcel]?
  /// The level that it announces after it has determined its next answer and before it sends it.
  var overtaking: AccuracyLevel?
  /// Whether it exits when it is next called.
  var exitsWhenAsked = false
  /// Whether it will never answer some calls.
  private(set) var hasLostCalls = false

  init(_ world: World, user: UInt32, isSecond: Bool = false) {
    chance = Chance(world.seed, "agent of \(user)\(isSecond ? ", the second" : "")")
    super.init(world, user: user)
  }

  /// - Parameter exports: Whether it is an agent from the beginning.
  func start(exports: Bool = true) {
    guard !isOnBus, !world.bus.isDown else { return }
    isExported = exports
    (isKnown, unit, isSilent, held, hasLostCalls) = (false, .unknown, false, nil, false)
    (rejects, isRejectionKnown) = (false, false)
    tell()
    connect()
    if world.isSession, world.geoclue.isRunning { register() }
    world.truth.changed("the agent of \(user) starts with \(level)")
  }

  /// Becomes an agent, which it does not announce.
  func export() {
    guard isOnBus, !isExported else { return }
    isExported = true
    tell()
    world.truth.changed("the agent of \(user) begins")
  }

  /// The next service knows nothing of this agent.
  func serviceExited() { (isKnown, isRejectionKnown, unit, told) = (false, false, .unknown, level) }

  func exit() {
    guard isOnBus else { return }
    disconnect()
    world.truth.changed("the agent of \(user) exits")
  }

  /// - Parameter isLost: Whether the bus drops the announcement.
  func setLevel(_ new: AccuracyLevel, isLost: Bool = false) {
    guard new != level else { return }
    if level == .country { onlyCountryUntil = world.schedule.now }
    (former, level, changedAt) = (max(level, formerLevel), new, world.schedule.now)
    if isConnected, isLost {
      world.bus.dropsBroadcasts = true
      announceUnknown()
      world.bus.dropsBroadcasts = false
    } else if isConnected {
      if manner != .announcesToGeoClue || world.geoclue.isRunning { tell() }
      switch manner {
      case .announces:
        isKnown = isKnown || world.isSession && world.geoclue.clientCount > 0
        announce()
      case .invalidates: announceUnknown()
      case .announcesToGeoClue: if world.geoclue.isRunning { announce() }
      }
    }
    world.truth.changed("the agent of \(user) allows \(new)")
  }

  /// From now on, the service can know the level.
  func tell() { told = level }

  /// The last level that it has sent to the service, and when.
  private(set) var lastTold: (level: AccuracyLevel, at: Int64) = (.exact, .min / 2)

  /// Notes that it has sent a level. In a quiet time, a lower level is followed by a location.
  private func noteTold(_ level: AccuracyLevel) {
    let before = lastTold.level
    lastTold = (level, world.schedule.now)
    if level < before, world.healedAt != nil { world.geoclue.measureSoon(in: chance.time(100...4_000)) }
  }

  /// Becomes GeoClue's agent. In the system deployment, the service itself is GeoClue's only agent that matters.
  func register() {
    world.schedule.after(chance.time(latency)) { [weak self] in
      guard let self, isConnected else { return }
      call(
        GeoClue.service, "/org/freedesktop/GeoClue2/Manager", GeoClue.manager, "AddAgent", [.string("gnome-shell")])
    }
  }

  /// A service that has not found the agent yet asks it.
  private func announce() {
    isSilent = false
    if !isKnown { expectQuestion() }
    propertiesChanged(Self.path, Self.interface, [("MaxAccuracyLevel", .uint32(level.rawValue))])
    if isKnown, !world.isSession { noteTold(level) }
  }

  /// Announces that its level may have changed.
  func announceUnknown() {
    if !isKnown { expectQuestion() }
    signal(
      Self.path, Self.properties, "PropertiesChanged",
      [.string(Self.interface), .options([]), .strings(["MaxAccuracyLevel"])])
  }

  /// A service that serves the user must ask this agent soon, although it may know another one.
  private func expectQuestion() {
    guard !world.isSession, world.healedAt != nil, isServed else { return }
    let (connections, service) = (connections, world.serviceName)
    world.schedule.after(15_000_000) { [self] in
      guard self.connections == connections, isConnected, answers, isServed else { return }
      if service == world.serviceName { world.checks.heardAgent(self) }
    }
  }

  private var isServed: Bool { world.clients.contains { $0.user == user && $0.isServed } }

  /// Announces that its level may have changed, which it has not, and answers late. Meanwhile a location arrives, and then
  /// none for a while.
  func confirm() {
    guard manner == .invalidates, level == .exact, isConnected, !isSilent, world.geoclue.interval == 1_000_000 else {
      return
    }
    latency = 100_000...150_000
    announceUnknown()
    world.geoclue.measureOften(every: 50_000, 1, accuracy: 2)
    world.schedule.after(1_500_000) { [self] in
      latency = 50...3_000
      world.checks.newest(of: user)
    }
  }

  /// Announces different levels, hundreds a second, until the storm ends.
  func flood(_ count: Int) {
    guard count > 0, isConnected, world.healedAt == nil else { return }
    setLevel(level == .none ? .exact : .none)
    world.schedule.after(1_000) { [weak self] in self?.flood(count - 1) }
  }

  /// Changes its mind many times, at last slowly enough that each refusal could be reported. Then it forbids locations a
  /// few times for a moment, so rarely that each permission counts in the end, after pauses that grow.
  func waver() {
    guard manner == .announces, isKnown, level == .exact, isConnected, answers else { return }
    world.checks.wavers(user)
    let times: [Int64] = (1...152).map { $0 * 23_000 } + (1...40).map { 3_500_000 + $0 * 100_000 }
    // The last permission waits for so long that the refusal before it is reported.
    let moments: [Int64] = [8_300_000, 9_300_000, 10_800_000].flatMap { [$0, $0 + 30_000] }
    for time in times + moments {
      world.schedule.after(time) { [self] in setLevel(level == .none ? .exact : .none) }
    }
  }

  func hang() { held = held ?? [] }

  /// Whether it answers calls. An announcement of one that does not counts only until the service asks it again.
  var answers: Bool { held == nil }

  /// Whether it has not answered for so long that its level counts as unknown.
  private(set) var isSilent = false

  func loseTrust() {
    guard held != nil, isConnected else { return }
    isSilent = true
    world.truth.changed("the agent of \(user) is silent")
  }

  /// - Parameter forgets: Whether it never answers the calls that it has not answered.
  func recover(forgets: Bool = false) {
    let calls = held ?? []
    let wasSilent = isSilent
    (isSilent, held) = (false, nil)
    if wasSilent { world.truth.changed("the agent of \(user) answers again") }
    if !world.isSession, !calls.isEmpty, forgets || chance.percent(50) {
      hasLostCalls = true
      return
    }
    for call in calls { handle(call) }
  }

  override func called(_ call: Parcel) {
    if call.sender == world.serviceName { world.checkNeed(of: user) }
    handle(call)
  }

  private func handle(_ call: Parcel) {
    let connections = connections
    if exitsWhenAsked {
      exitsWhenAsked = false
      return world.schedule.after(1_000) { [weak self] in self?.exit() }
    }
    world.schedule.after(chance.time(latency)) { [weak self] in
      guard let self, self.connections == connections, isOnBus else { return }
      if held != nil { held?.append(call) } else { serve(call) }
    }
  }

  private func serve(_ call: Parcel) {
    guard call.path == Self.path, isExported else { return refuse(call, "UnknownObject", "There is no such object") }
    switch call.member {
    case "Get":
      isKnown = true
      tell()
      let value = Value.variant(.uint32(level.rawValue))
      world.truth.changed("the agent of \(user) tells its level")
      // An announcement may overtake the answer.
      var delay = manner == .invalidates ? chance.time(latency) : nil
      if let new = overtaking {
        (overtaking, delay) = (nil, 10_000)
        world.schedule.after(1_000) { [weak self] in self?.setLevel(new) }
      }
      let (connections, level) = (connections, level)
      let send = { [weak self] in
        guard let self, isConnected, self.connections == connections else { return }
        answer(call, [value])
        noteTold(level)
      }
      if let delay { world.schedule.after(delay, send) } else { send() }
    case "GetAll": answer(call, [.options([("MaxAccuracyLevel", .uint32(level.rawValue))])])
    default: refuse(call, "UnknownMethod", "There is no \(call.member)")
    }
  }
}
