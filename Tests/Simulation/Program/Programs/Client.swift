// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// A client of the service: does what the contract permits, at random.
final class Client: Program {
  static let service = "org.geopublicist.Location1"
  static let path = "/org/geopublicist/Location1"
  static let subscription = "org.geopublicist.Location1.Subscription"

  /// What a client knows about one of its subscriptions.
  final class Subscription {
    let path: String
    var level: AccuracyLevel
    /// Whether every fix must be delivered.
    let isPlain: Bool
    var isStarted = false
    /// How often it was started or stopped: the answer to an earlier call counts no more.
    var changes = 0
    var startedAt: Int64 = 0
    var told: (status: String, reason: String)?
    var toldAt: Int64 = .min / 2
    var lastLocationAt: Int64 = .min / 2
    /// The least time between two locations in microseconds, and the greatest number of them.
    var threshold: Int64 = 0
    var maximum = Int.max
    var count = 0

    init(_ path: String, _ level: AccuracyLevel, isPlain: Bool) {
      (self.path, self.level, self.isPlain) = (path, level, isPlain)
    }
  }

  let number: Int
  let isSandboxed: Bool
  var entitlement = Entitlement()
  private var chance: Chance
  private(set) var subscriptions: [Subscription] = []
  private(set) var locations = 0
  /// Changes with each ``act()`` and ``rest()``.
  private var round = 0

  init(_ world: World, _ number: Int, user: UInt32, isSandboxed: Bool) {
    self.number = number
    self.isSandboxed = isSandboxed
    chance = Chance(world.seed, "client \(number)")
    super.init(world, user: user)
  }

  func start() {
    guard !isConnected else { return }
    subscriptions = []
    entitlement = Entitlement()
    isReading = true
    connect()
    world.truth.changed("client \(number) of \(user) comes as \(name)")
  }

  func exit() {
    guard isConnected else { return }
    subscriptions = []
    disconnect()
    world.truth.changed("client \(number) leaves")
  }

  /// Lets the client act at random until ``rest()``.
  func act() {
    round += 1
    next(round)
  }

  func rest() { round += 1 }

  private func next(_ current: Int) {
    world.schedule.after(chance.time(2_000...40_000_000)) { [weak self] in
      guard let self, round == current else { return }
      if isConnected { step() } else { start() }
      next(current)
    }
  }

  private static let levels: [AccuracyLevel] = [.country, .city, .neighborhood, .street, .exact, .exact, .exact]

  private func step() {
    let subscription = subscriptions.isEmpty ? nil : chance.pick(subscriptions)
    switch chance.number(in: 0...13) {
    case 0...3: locate()
    case 4, 5: if subscriptions.count < 4 { subscribe(isPlain: chance.percent(60)) }
    case 6, 7: if let subscription { start(subscription) }
    case 8: if let subscription { stop(subscription) }
    case 9: if let subscription { close(subscription) }
    case 10: if let subscription { changeLevel(of: subscription) }
    case 11: authorize()
    case 12: if let subscription { readLocation(of: subscription) }
    default: if chance.percent(20) { exit() }
    }
  }

  // MARK: - Calls

  private func ask(
    _ path: String, _ interface: String, _ member: String, _ values: [Value] = [], within deadline: Int64 = 5_000_000,
    wanting wish: Checks.Wish = Checks.Wish(),
    _ handler: @escaping (Parcel) -> Void = { _ in }
  ) {
    let name = name
    let serial = call(Self.service, path, interface, member, values) { [weak self] reply in
      guard let self else { return }
      world.checks.answered(self, name, reply)
      handler(reply)
    }
    world.checks.called(self, serial, member, path, within: deadline, wish)
  }

  func locate() {
    var options: [(String, Value)] = [("accuracy", .string("\(chance.pick(Self.levels))"))]
    var timeout: Int64 = 20_000_000
    if chance.percent(60) {
      let milliseconds = UInt32(chance.pick([0, 50, 1_000, 5_000, 30_000, 120_000]))
      options.append(("timeout", .uint32(milliseconds)))
      timeout = Int64(milliseconds) * 1_000
    }
    var wish = Checks.Wish(maximumAge: 30_000)
    if chance.percent(50) {
      wish.maximumAge = Int64(chance.pick([0, 1, 2_000, 60_000]))
      options.append(("maximum-age", .uint32(UInt32(wish.maximumAge))))
    }
    if chance.percent(25) {
      wish.accuracy = Double(chance.pick([1, 8, 100]))
      options.append(("required-accuracy", .double(wish.accuracy)))
      if chance.percent(60) {
        options.append(("best-effort", .boolean(true)))
        wish.accuracy = .infinity
      }
    }
    ask(Self.path, Self.service, "GetLocation", [.options(options)], within: timeout, wanting: wish)
  }

  /// Asks for a location that must come.
  func locateNow() {
    let level = entitlement.level
    ask(
      Self.path, Self.service, "GetLocation",
      [.options([("accuracy", .string("exact")), ("timeout", .uint32(8_000)), ("maximum-age", .uint32(0))])],
      within: 8_000_000
    ) { [weak self] reply in
      guard let self else { return }
      if level == .exact, reply.kind == .error {
        world.checks.broken("a permitted call gets a location when all is well", "client \(number): \(reply.errorName)")
      }
      if level == .none, reply.kind != .error || !reply.errorName.hasSuffix("NotAuthorized") {
        world.checks.broken("a call that is not permitted is refused", "client \(number): \(reply.errorName)")
      }
    }
  }

  func subscribe(isPlain: Bool, at fixed: AccuracyLevel? = nil) {
    let level = fixed ?? chance.pick(Self.levels)
    var options: [(String, Value)] = [("accuracy", .string("\(level)"))]
    var (threshold, maximum) = (Int64(0), Int.max)
    if !isPlain {
      if chance.percent(30) { options.append(("distance-threshold", .double(Double(chance.pick([1, 20, 500]))))) }
      if chance.percent(50) {
        threshold = Int64(chance.pick([500, 5_000, 40_000, 200_000]))
        options.append(("time-threshold", .uint32(UInt32(threshold))))
      }
      if chance.percent(30) { options.append(("debounce", .uint32(UInt32(chance.pick([300, 4_000]))))) }
      if chance.percent(15) { options.append(("mode", .string("significant"))) }
      if chance.percent(15) { options.append(("duration", .uint32(UInt32(chance.pick([3_000, 60_000]))))) }
      if chance.percent(15) {
        maximum = chance.pick([1, 5])
        options.append(("max-updates", .uint32(UInt32(maximum))))
      }
    }
    ask(Self.path, Self.service, "CreateSubscription", [.options(options)]) { [weak self] reply in
      guard let self, reply.kind == .reply, let path = reply.values.first?.objectPath?.rawValue else { return }
      let subscription = Subscription(path, level, isPlain: isPlain)
      (subscription.threshold, subscription.maximum) = (threshold * 1_000, maximum)
      subscriptions.append(subscription)
      world.checks.created(path, by: self)
      if fixed != nil || chance.percent(80) { start(subscription) }
    }
  }

  func start(_ subscription: Subscription) {
    let now = world.schedule.now
    subscription.changes += 1
    ask(subscription.path, Self.subscription, "Start") { [weak self, changes = subscription.changes] reply in
      guard let self, reply.kind == .reply, changes == subscription.changes else { return }
      if !subscription.isStarted { subscription.startedAt = max(now, world.schedule.now) }
      subscription.isStarted = true
    }
  }

  private func stop(_ subscription: Subscription) {
    subscription.changes += 1
    subscription.isStarted = false
    ask(subscription.path, Self.subscription, "Stop") { reply in
      if reply.kind == .reply { (subscription.isStarted, subscription.told) = (false, nil) }
    }
  }

  private func close(_ subscription: Subscription) {
    ask(subscription.path, Self.subscription, "Close") { [weak self] _ in
      self?.subscriptions.removeAll { $0 === subscription }
    }
  }

  private func changeLevel(of subscription: Subscription) {
    let level = chance.pick(Self.levels)
    // The first location of the new level may come before the answer.
    subscription.startedAt = world.schedule.now
    ask(
      subscription.path, Self.properties, "Set",
      [.string(Self.subscription), .string("Accuracy"), .variant(.string("\(level)"))]
    ) { [weak self] reply in
      guard let self, reply.kind == .reply else { return }
      (subscription.level, subscription.startedAt) = (level, world.schedule.now)
    }
  }

  private func authorize() {
    ask(
      Self.path, Self.service, "RequestAuthorization",
      [.options([("accuracy", .string("\(chance.pick(Self.levels))"))])])
  }

  private func readLocation(of subscription: Subscription) {
    ask(
      subscription.path, Self.properties, "Get",
      [.string(Self.subscription), .string(chance.pick(["Location", "AuthorizationStatus", "Active"]))])
  }

  // MARK: - Signals

  override func signalled(_ signal: Parcel) {
    guard let subscription = subscriptions.first(where: { $0.path == signal.path }) else { return }
    switch signal.member {
    case "LocationUpdated":
      locations += 1
      subscription.count += 1
      world.checks.delivered(subscription, to: self)
      subscription.lastLocationAt = world.schedule.now
    case "AuthorizationChanged":
      guard signal.values.count == 2, let status = signal.values[0].string, let reason = signal.values[1].string else {
        return
      }
      (subscription.told, subscription.toldAt) = ((status, reason), world.schedule.now)
    case "Closed": subscriptions.removeAll { $0 === subscription }
    default: break
    }
  }

  override func peerLeft(_ name: String) {
    // The service: its objects are gone with it.
    if name == world.serviceName { subscriptions = [] }
  }
}

// MARK: - Mischief
extension Client {
  /// Sends many calls at once.
  func flood(_ count: Int) {
    guard isConnected else { return }
    for index in 0..<count {
      call(
        Self.service, Self.path, index.isMultiple(of: 2) ? Self.properties : Self.service,
        index.isMultiple(of: 2) ? "GetAll" : "CreateSubscription",
        index.isMultiple(of: 2) ? [.string(Self.service)] : [.options([("accuracy", .string("nonsense"))])])
    }
  }

  /// Sends signals that only other programs may send.
  func forge(_ variant: Int) {
    guard isConnected, let service = world.serviceName else { return }
    switch variant % 4 {
    case 0:
      signal(
        Agent.path, Self.properties, "PropertiesChanged",
        [.string(Agent.interface), .options([("MaxAccuracyLevel", .uint32(8))]), .strings([])])
    case 1:
      signal(
        "/org/freedesktop/GeoClue2/Client/1", "org.freedesktop.GeoClue2.Client", "LocationUpdated",
        [.objectPath("/"), .objectPath("/org/freedesktop/GeoClue2/Client/1/Location/1")], to: service)
    case 2:
      signal(
        "/org/freedesktop/DBus", SimulatedBus.name, "NameOwnerChanged",
        [.string(Polkit.service), .string(""), .string(name)])
    default: signal("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(false)])
    }
  }
}

// MARK: - Quiet times
extension Client {
  /// Makes sure that it follows the location.
  func settle() {
    for subscription in subscriptions where !subscription.isStarted { start(subscription) }
    if !subscriptions.contains(where: { $0.isPlain && $0.level == .exact }) { subscribe(isPlain: true, at: .exact) }
  }
}
