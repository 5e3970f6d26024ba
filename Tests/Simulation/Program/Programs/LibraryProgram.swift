// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import MainLoop

/// A program that uses the client library. It is in the same process and on the same main loop as the service, and
/// connects through a separate socket.
final class LibraryProgram: Program {
  enum Task { case exit, follow, act }

  /// What the program does from its next turn on. Libraries block while they connect, which the world cannot do.
  var task = Task.exit
  private var chance: Chance
  private var address = ""
  private var turns: LoopSource?
  private var source: ServiceSource?
  private var isFollowing = false
  private var followsSince: Int64 = 0
  private var told: (status: String, reason: String)?
  private var lastLocationAt: Int64 = .min / 2
  private var last: (fix: Int, sequence: UInt64) = (0, 0)
  /// When a request must have been answered.
  private var deadline: Int64?
  /// The region that it monitors while it follows the location, and what it was told of it.
  private var region: AnyObject?
  private var centre = 0.0
  private var lastEvent:
    (
      state: RegionState, reason: RegionReason, known: RegionState, sequence: UInt64, hasDwelled: Bool
    ) = (.unknown, .none, .unknown, 0, false)

  override init(_ world: World, user: UInt32) {
    chance = Chance(world.seed, "library")
    super.init(world, user: user)
  }

  override var isConnected: Bool { world.bus.peers[name]?.process == process }

  func begin(on address: String) {
    self.address = address
    turns = MainLoop.main.every(.milliseconds(250)) { [weak self] in self?.turn() }
  }

  /// Called when the bus has given the program's connection a name.
  func joined(_ peer: SocketPeer) {
    (name, connectedAt, isUnverifiable, entitlement) = (peer.name, world.schedule.now, false, Entitlement())
    world.truth.changed("the library comes as \(name)")
  }

  private func turn() {
    switch task {
    case .exit: exit()
    case .follow: follow(true)
    case .act:
      switch chance.number(in: 0...400) {
      case 0: exit()
      case 1: follow(false)
      case 2...9: follow(true)
      case 10...14: request()
      default: break
      }
    }
    if let deadline, world.schedule.now > deadline {
      broken("the client library answers each request", "")
    }
  }

  private func exit() {
    (source, isFollowing, deadline, told, last, region) = (nil, false, nil, nil, (0, 0), nil)
  }

  private func begin() -> ServiceSource {
    if let source { return source }
    let new = ServiceSource(on: .address(address))
    new.onEvent = { [weak self] in self?.handle($0) }
    source = new
    return new
  }

  private func follow(_ isWanted: Bool) {
    guard isWanted != isFollowing else { return }
    (isFollowing, followsSince, told, last) = (isWanted, world.schedule.now, nil, (0, 0))
    begin().require(isWanted ? .exact : nil)
    region = nil
    if isWanted { monitor() }
  }

  /// Monitors a region at one of the two places.
  private func monitor() {
    centre = world.place(isOther: chance.percent(50))
    guard let circle = CircularRegion(latitude: centre, longitude: world.home.longitude, radius: Self.radius) else {
      return
    }
    var configuration = RegionConfiguration(circle)
    (configuration.confirm, configuration.dwell) = (.seconds(5), .seconds(10))
    configuration.assumed = chance.pick(RegionState.allCases)
    lastEvent = (.unknown, .none, configuration.assumed, 0, false)
    region = begin().monitor(configuration, at: .exact) { [weak self] in self?.handle($0) }
  }

  private static let radius = 1_000.0

  private func handle(_ update: RegionUpdate) {
    world.tell("the library reports \(update)")
    guard case .event(let event) = update else {
      return broken("the client library's region does not end", "")
    }
    let before = lastEvent
    let isCrossing = ![.unknown, event.state].contains(before.known)
    let isExpected =
      switch event.kind {
      case .lost: event.state == .unknown && (before.state != .unknown || event.reason != before.reason)
      // The source has no accuracy that suffices, so the state remains unknown.
      case .determined where event.state == .unknown: before.state == .unknown
      case .determined: event.state != before.state && !isCrossing
      case .dwelled: event.state == .inside && !before.hasDwelled
      case .entered: event.state == .inside && isCrossing
      case .exited: event.state == .outside && isCrossing
      }
    let isTrue = isExpected && event.sequence == before.sequence + 1 && event.previous == before.state
    lastEvent = (
      event.state, event.reason, event.state == .unknown ? before.known : event.state, event.sequence,
      event.kind == .dwelled || event.kind != .entered && event.state != .outside && before.hasDwelled
    )
    if !isTrue { broken("the client library reports each event of a region once", "\(event) after \(before)") }
  }

  private func broken(_ rule: String, _ story: String) { world.checks.broken(rule, story) }

  /// Checks that the state of its region is true if the machine has not moved for long.
  private func checkRegion() {
    let since = max(
      world.movedAt, world.wokeAt, world.clockSetAt, entitlement.since, followsSince, world.geoclue.silentAt,
      world.geoclue.startedAt, world.settledAt, connectedAt)
    let distance = Checks.distance(world.place(isOther: false), centre)
    let expected: RegionState = distance < Self.radius ? .inside : .outside
    guard world.schedule.now - since > 85_000_000, entitlement.level == .exact, world.geoclue.interval == 1_000_000,
      abs(distance - Self.radius) > 150, lastEvent.state != expected
    else { return }
    broken("the client library knows the true state of a region", "\(lastEvent)")
  }

  private func request() {
    guard deadline == nil else { return }
    var options = ClientOptions()
    options.timeout = .seconds(20)
    // After the timeout, the library waits 10 s for the service's own answer.
    deadline = world.schedule.now + 31_000_000
    begin().requestLocation(options) { [weak self] _ in self?.deadline = nil }
  }

  private func handle(_ event: LocationSourceEvent) {
    world.tell("the library reports \(event)")
    switch event {
    case .location(let location):
      let isSameAccess = entitlement.since < lastLocationAt
      lastLocationAt = world.schedule.now
      let fix = world.fixes[location.latitude.bitPattern]
      defer { last = (fix?.number ?? 0, location.sequence) }
      // With a compass, GeoClue repeats a location with another heading. After a short loss of access, which may not be
      // reported, the service sends it again.
      if isSameAccess, let fix, (fix.number, location.sequence) == last {
        broken("the client library delivers no location twice", "\(fix)")
      }
    case .authorization(let new):
      told = (new.status.rawValue, new.reason.rawValue)
      // With access or more accuracy, the service reports the current location again.
      last = (0, 0)
    case .status, .failure: break
    }
  }

  /// Checks that it continues after everything that ended or restarted.
  func quiet() {
    guard isFollowing, isConnected, world.schedule.now - followsSince > 60_000_000 else {
      return broken("the client library connects again", "to \(address)")
    }
    let objects = world.clients.filter { $0.user == user }.reduce(0) { $0 + $1.objects + $1.regions.count }
    // At its user's limit, it waits until there is room.
    guard objects < 34 else { return }
    let expected = world.truth.authorization(of: self, asking: .exact)
    // The service confirms permissions only, so that it does not notice that polkit answers with another refusal.
    let mayDiffer = world.polkit.denied[user] != nil && told?.status.hasPrefix("authorized") == false
    if !mayDiffer, told.map({ Truth.agrees(($0.status, $0.reason), with: expected) }) != true {
      broken("the client library reports the true authorization", "\(told as Any), true is \(expected)")
    }
    checkRegion()
    let silence = world.schedule.now - lastLocationAt
    guard entitlement.level == .exact, world.geoclue.hasActiveClient,
      world.schedule.now - world.geoclue.lastFixAt < 2_000_000, silence > 2 * world.geoclue.interval + 1_000_000
    else { return }
    broken("the client library continues to deliver locations", "nothing for \(silence / 1_000) ms")
  }
}
