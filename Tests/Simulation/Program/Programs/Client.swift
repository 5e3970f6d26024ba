// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistSimulatedKernel

/// A client of the service that acts at random within the contract.
final class Client: Program {
  static let service = "org.geopublicist.Location1"
  static let path = "/org/geopublicist/Location1"
  static let subscription = "org.geopublicist.Location1.Subscription"

  /// The thresholds of a subscription, 0 for none.
  struct Thresholds: Equatable {
    /// In microseconds.
    var time: Int64 = 0
    var debounce: Int64 = 0
    var duration: Int64 = 0
    /// In metres.
    var distance = 0.0
    var accuracy = 0.0
    var isSignificant = false
    var maximum = Int.max
  }

  /// A client's view of one of its subscriptions.
  final class Subscription {
    let path: String
    var level: AccuracyLevel
    /// Whether a change of the level has not been answered.
    var isLevelChanging = false
    var thresholds: Thresholds
    /// When the thresholds last changed.
    var thresholdsAt: Int64 = .min / 2
    /// Whether its time threshold has changed during a rest.
    var hasChangedInterval = false
    /// Whether its desktop id is the one that GeoClue's configuration can disallow.
    let isNamed: Bool
    /// Whether every fix must be delivered.
    let isPlain: Bool
    var isStarted = false
    /// Whether `Stop` was answered and `Start` has not been called since.
    var isStopped = false
    /// Whether the service has not started it since it was created or since `Stop` was answered.
    var hasStopped = true
    /// How often it was started or stopped. Answers to earlier calls no longer count.
    var changes = 0
    /// How often it was stopped.
    var stops = 0
    var startedAt: Int64 = 0
    /// When the service last began to deliver from a first location on, as far as its answers show.
    var beganAt: Int64 = .max
    var told: (status: String, reason: String)?
    var isUndecided: Bool { told?.reason == "undecided" }
    var toldAt: Int64 = .min / 2
    /// When a refusal was last reported.
    var refusedAt: Int64 = .min / 2
    /// When access was first reported after that refusal.
    var refusalEnd: Int64 = .max
    /// When access was last reported after another status.
    var authorizedAt: Int64 = .min / 2
    /// How often that was reported.
    var grants = 0
    /// Whether `Start` has been answered since the authorization was last told. It is then told again.
    var mayBeToldAgain = true
    /// When `Start` was first called, in microseconds of the boot clock.
    var firstStart: Int64?
    /// The values of properties, as far as they are known from signals.
    var properties: [String: Value] = [:]
    var lastLocationAt: Int64 = .min / 2
    /// When a failure of the source was last reported.
    var failedAt: Int64?
    var last: (latitude: Double, longitude: Double, accuracy: Double, sequence: UInt64, level: String)?
    var count = 0
    /// When it must have ended, in microseconds of the boot clock.
    var endsAt: Int64?
    /// The last value that the client has set.
    var requiredAccuracy: (value: Double, at: Int64)?

    init(_ path: String, _ level: AccuracyLevel, _ thresholds: Thresholds, isPlain: Bool, isNamed: Bool) {
      (self.path, self.level, self.thresholds, self.isPlain, self.isNamed) = (path, level, thresholds, isPlain, isNamed)
    }
  }

  let number: Int
  /// Whether the root directory of its process cannot be read, or is that of a sandbox.
  var hasSpecialRoot = false
  var chance: Chance
  private(set) var subscriptions: [Subscription] = []
  var regions: [Region] = []
  /// How many objects it is creating.
  var creations = 0
  /// How many objects its user's programs may have at most.
  var objects: Int { subscriptions.count + creations + (almanacPath == nil ? 0 : 1) }
  /// Whether it has used more desktop-ids than the service remembers.
  var hasManyNames = false
  /// Its last flood: how many of the calls have no answer, when they began, and when one was last answered.
  var flood: (open: Int, begin: Int64, answeredAt: Int64) = (0, .min / 2, .min / 2)
  /// When it was last sent a location.
  var sentLocationAt: Int64 = .min / 2
  /// When it last made many calls without a reply.
  var burstAt: Int64 = .min / 2
  /// Whether it calls without reading. The service drops such calls, so no answers are expected.
  var onlyCalls = false
  /// When it last did so.
  var onlyCalledAt: Int64 = .min / 2
  /// Whether it answers like an agent although it is not one.
  var poses = false
  private(set) var locations = 0
  /// When it last received the newest exact locations, by their numbers.
  private(set) var receivedFixes: [Int: Int64] = [:]
  /// Its almanac, which is started.
  var almanacPath: String?
  /// Whether it was created with the desktop-id that GeoClue may disallow.
  var isAlmanacNamed = false
  /// The altitude of the sun at which night begins in its almanac, and the offsets in seconds.
  var almanacOptions: (night: Double, offsets: (day: Int, night: Int)) = (-6, (0, 0))
  /// When it was last started; in the distant future if that was refused.
  var almanacStartedAt: Int64 = .max
  var almanacStarts = 0
  /// The last almanac that was signalled since it was started, and when.
  var almanac: (values: [String: Value], at: Int64)?
  /// When its almanac last signalled a change of access, after which the service sends an almanac again.
  var almanacToldAt: Int64 = .min / 2
  var almanacTold: (status: String, reason: String)?
  /// Whether `Start` has been answered since its authorization was last told, which is then told again.
  var almanacMayBeToldAgain = true
  /// The objects that it has closed since it connected.
  var closed: Set<String> = []
  /// The objects for which it has called `Close` since it connected.
  var closing: Set<String> = []
  /// The objects whose end was signalled.
  var gone: Set<String> = []
  /// Changes with each ``act()`` and ``rest()``.
  private var round = 0

  init(_ world: World, _ number: Int, user: UInt32, isSandboxed: Bool) {
    self.number = number
    chance = Chance(world.seed, "client \(number)")
    super.init(world, user: user)
    self.isSandboxed = isSandboxed
    knowsPings = !number.isMultiple(of: 3)
  }

  func received(fix number: Int) {
    if receivedFixes.count > 500 { receivedFixes = receivedFixes.filter { $0.key > number - 250 } }
    receivedFixes[number] = world.schedule.now
  }

  func start() {
    guard !isConnected, !world.bus.isDown else { return }
    forgetObjects()
    (closed, gone, closing) = ([], [], [])
    (flood.open, onlyCalls) = (0, false)
    (entitlement, isUnverifiable, hasManyNames, hasConsent) = (Entitlement(), false, false, false)
    receivedFixes = [:]
    world.clientComes()
    connect()
    // What its last connection has not read is lost.
    isReading = true
    world.truth.changed("client \(number) of \(user) comes as \(name)")
  }

  /// The service has closed all objects, which it must have reported.
  func serviceExited() {
    for path in isConnected && isReading ? paths : [] where !closing.contains(path) {
      world.checks.broken("the end of each object is reported when the service exits", path)
    }
    forgetObjects()
    (hasConsent, isUnverifiable, heldBytes) = (false, false, 0)
  }

  /// Whether it has an object that it does not close.
  func has(_ path: String) -> Bool { !closing.contains(path) && paths.contains(path) }

  private var paths: [String] {
    subscriptions.map(\.path) + regions.map(\.path) + [almanacPath].compactMap(\.self)
  }

  private func forgetObjects() {
    (subscriptions, regions, creations, almanacPath, almanac) = ([], [], 0, nil, nil)
  }

  /// An answer may arrive from a service that has exited meanwhile.
  func creationEnded() { creations = max(0, creations - 1) }

  func exit() {
    guard isConnected else { return }
    (subscriptions, regions, creations, almanacPath) = ([], [], 0, nil)
    disconnect()
    world.clientLeftAt = world.schedule.now
    world.truth.changed("client \(number) leaves")
  }

  /// Makes the client act at random until ``rest()``.
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
    guard !onlyCalls else { return }
    let subscription = subscriptions.isEmpty ? nil : chance.pick(subscriptions)
    switch chance.number(in: 0...19) {
    case 0...3: locate()
    case 4, 5: if subscriptions.count < 4 { subscribe(isPlain: chance.percent(60)) }
    case 6, 7: if let subscription { start(subscription) }
    case 8: if let subscription { stop(subscription) }
    case 9: if let subscription { close(subscription) }
    case 10:
      guard let subscription else { return }
      if chance.percent(50) { return changeThreshold(of: subscription) }
      changeLevel(of: subscription, to: chance.pick(Self.levels))
    case 11: authorize()
    case 12: if let subscription { readLocation(of: subscription) }
    case 13, 14: if regions.count < 3 { monitor() }
    case 15: if !regions.isEmpty { change(chance.pick(regions)) }
    case 16:
      if chance.percent(20) { for _ in 0..<20 { subscribe(isPlain: true, starts: false) } }
      if chance.percent(30) { callWithoutReply() }
    case 17: chance.percent(70) ? look() : almanacPath == nil || chance.percent(60) ? forecast() : closeAlmanac()
    case 18: chance.percent(50) ? trespass() : askForAlmanac()
    default: if chance.percent(20) { exit() }
    }
  }

  /// Whether this client has an object that is started.
  var isServed: Bool { subscriptions.contains(where: \.isStarted) || regions.contains(where: \.isStarted) }

  // MARK: - Calls

  func ask(
    _ path: String, _ interface: String, _ member: String, _ values: [Value] = [], within deadline: Int64 = 5_000_000,
    isInteractive: Bool = false, _ handler: @escaping (Parcel) -> Void = { _ in }
  ) {
    guard isConnected else { return }
    let name = name
    let serial = call(Self.service, path, interface, member, values, isInteractive: isInteractive) {
      [weak self] reply in
      guard let self else { return }
      world.checks.answered(self, name, reply)
      handler(reply)
    }
    world.checks.called(self, serial, member, path, within: deadline, Checks.Wish(values.first?.properties ?? [:]))
  }

  func locate() {
    var options: [(String, Value)] = [("accuracy", .string("\(chance.pick(Self.levels))"))]
    var timeout: Int64 = 20_000_000
    if chance.percent(60) {
      let milliseconds = UInt32(chance.pick([0, 50, 1_000, 5_000, 30_000, 120_000]))
      options.append(("timeout", .uint32(milliseconds)))
      // Even a call with timeout 0 is answered only when the facts about its caller are known.
      timeout = milliseconds == 0 ? 5_000_000 : Int64(milliseconds) * 1_000
    }
    if chance.percent(50) {
      options.append(("maximum-age", .uint32(chance.pick([0, 1, 2_000, 60_000]))))
    }
    if chance.percent(20) { options.append(Self.named) }
    if chance.percent(25) {
      options.append(("required-accuracy", .double(chance.pick([1, 8, 100]))))
      if chance.percent(60) { options.append(("best-effort", .boolean(true))) }
    }
    ask(Self.path, Self.service, "GetLocation", [.options(options)], within: timeout)
  }

  /// Accepts the best location at the end, because none is as accurate as that.
  private static let bestEffort: [(String, Value)] = [
    ("required-accuracy", .double(1)), ("best-effort", .boolean(true)),
  ]

  /// The options of a request for a town, however old, within a time in milliseconds.
  private static func ofTown(within timeout: UInt32) -> [(String, Value)] {
    [("accuracy", .string("city")), ("timeout", .uint32(timeout)), ("maximum-age", .uint32(2_592_000_000))]
  }

  /// Requests a location of a town, however old.
  func locateRoughly(isBestEffort: Bool = false) {
    let timeout: UInt32 = isBestEffort ? 8_000 : 2_000
    let options = Self.ofTown(within: timeout) + (isBestEffort ? Self.bestEffort : [])
    let (begin, record) = (world.schedule.now, world.record(of: user))
    ask(Self.path, Self.service, "GetLocation", [.options(options)], within: Int64(timeout) * 1_000) {
      [self] reply in
      // Both say that access was permitted.
      guard !isBestEffort, ["Timeout", "Unavailable"].contains(where: reply.errorName.hasSuffix) else { return }
      world.checks.missed(record, since: begin, by: self)
    }
  }

  /// Requests a location of a town, however old, of which nothing is remembered.
  ///
  /// - Parameter seconds: When the record was erased, since 1970. A later location may have been recorded.
  func locateErased(at seconds: Int64 = .max) {
    ask(Self.path, Self.service, "GetLocation", [.options(Self.ofTown(within: 2_000))]) { [self] reply in
      guard let location = reply.values.first?.properties, location["Remembered"] != nil, !world.isBusFaulty,
        location["Timestamp"]?.structure?.first?.uint64 ?? 0 < seconds
      else { return }
      world.checks.broken("a refusal erases the user's record", reply.story)
    }
  }

  /// Requests a location that must arrive.
  ///
  /// - Parameter mayBeBestEffort: Whether it may be a location at the timeout, when access must not be in doubt.
  func locateNow(mayBeBestEffort: Bool = true) {
    let level = entitlement.level
    let begin = world.schedule.now
    // GeoClue asserts such a location to a new client, of which there is one in 15 s.
    let isAsserted = world.geoclue.isStatic && world.geoclue.lastReadAt < begin - 8_000_000
    let mayRenewClient = world.geoclue.heldAt < begin - 13_000_000
    // The source is asked again after half of a short timeout.
    let isShort = isAsserted && world.geoclue.heldAt < begin - 15_000_000 && number.isMultiple(of: 2)
    let timeout: UInt32 = isShort ? 3_000 : 8_000
    var options: [(String, Value)] = [
      ("accuracy", .string("exact")), ("timeout", .uint32(timeout)), ("maximum-age", .uint32(0)),
    ]
    if mayBeBestEffort, chance.percent(30) {
      options += Self.bestEffort
    } else if chance.percent(50) {
      options.append(("required-accuracy", .double(100)))
    }
    ask(Self.path, Self.service, "GetLocation", [.options(options)], within: Int64(timeout) * 1_000) {
      [weak self] reply in
      guard let self else { return }
      // The user's other programs may have made many calls.
      if reply.errorName.hasSuffix("LimitsExceeded"), (world.floodedAt[user] ?? .min) > begin - 30_000_000 { return }
      // After a jump, the next location may be held back.
      let patience: Int64 = world.geoclue.interval == 1_000_000 ? 12_000_000 : 60_000_000
      // The service may have found another agent because of this call.
      if level == .exact, entitlement.level == .exact, reply.kind == .error, world.outlierAt < begin - patience,
        world.polkit.denied[user] == nil,
        world.geoclue.interval < 8_000_000 || isAsserted
          || mayRenewClient && world.geoclue.measuresAgain(forCallAt: begin)
      {
        world.checks.broken(
          "a permitted call returns a location in a quiet time", "client \(number): \(reply.errorName)")
      }
      // A new service does not know the agents yet.
      if level == .none, entitlement.level == .none, reply.kind != .error || !reply.errorName.hasSuffix("NotAuthorized")
      {
        world.checks.broken("a call that is not permitted is refused", "client \(number): \(reply.errorName)")
      }
      if level == .none {
        world.checks.refusedLocation(self, calledAt: begin)
        let end = begin + Int64(timeout) * 1_000
        if world.schedule.now < end - 100_000 { world.checks.refusedEarly(self, calledAt: begin) }
      }
    }
  }

  /// Requests a location while GeoClue is not installed, which the service learns from an attempt to start it.
  func locateWithoutGeoClue() {
    let (begin, status) = (world.schedule.now, world.truth.authorization(of: self, asking: .exact).status)
    guard isReading, status.hasPrefix("authorized"), entitlement.since < begin - 10_000_000,
      world.geoclueFails, !world.geoclue.isRunning, world.geoclueFailedAt > begin - 15_000_000
    else { return }
    let options: [(String, Value)] = [("timeout", .uint32(30_000)), ("maximum-age", .uint32(0))]
    ask(Self.path, Self.service, "GetLocation", [.options(options)], within: 30_000_000) { [weak self] reply in
      guard let self, !reply.isLost, !reply.errorName.hasSuffix("LimitsExceeded"), entitlement.since < begin else {
        return
      }
      guard world.schedule.now > begin + 1_000_000 || !reply.errorName.hasSuffix("Unavailable") else { return }
      world.checks.broken(
        "a call fails immediately if GeoClue is not installed", "client \(number): \(reply.errorName)")
    }
  }

  /// Uses the location for a moment, which must begin with the present location.
  func subscribeForAMoment() {
    guard isConnected, isReading, entitlement.level == .exact, world.mayCreate(for: self) else { return }
    subscribe(isPlain: true, at: .exact) { [weak self] new in
      self?.world.schedule.after(400_000) { [weak self] in
        guard let self, subscriptions.contains(where: { $0 === new }) else { return }
        close(new)
        let begin = new.startedAt
        guard new.isStarted, new.count == 0, world.schedule.now - begin > 300_000, isReading,
          entitlement.level == .exact, entitlement.since < begin - 30_000_000, !world.polkit.isInDoubt,
          max(world.wokeAt, world.clockSetAt, world.geoclue.heldAt, world.outlierAt) < begin - 14_000_000,
          world.geoclue.hasBeenRead(in: begin - 25_000_000..<begin - 200_000)
        else { return }
        world.checks.broken("a subscription begins with the present location", new.path)
      }
    }
  }

  /// Requests the location of a cell, which must be answered although the cell may have been sent before.
  func locateCell() {
    let begin = world.schedule.now
    let options: [(String, Value)] = [
      ("accuracy", .string("street")), ("timeout", .uint32(3_000)), ("maximum-age", .uint32(0)),
    ]
    ask(Self.path, Self.service, "GetLocation", [.options(options)]) { [weak self] reply in
      guard let self, reply.errorName.hasSuffix("Timeout"), entitlement.level == .exact,
        entitlement.since <= begin, world.wokeAt < begin - 10_000_000,
        // The first location after a move waits for its confirmation.
        world.geoclue.hasBeenRead(in: min(world.movedAt, begin)..<begin),
        world.geoclue.hasBeenRead(in: begin + 500_000..<world.schedule.now - 200_000)
      else { return }
      world.checks.broken(
        "a permitted call returns a location in a quiet time", "client \(number): \(reply.errorName)")
    }
  }

  /// Requests a new location of a town, which must be answered even if GeoClue has a receiver only.
  ///
  /// - Parameters:
  ///   - level: Another level than that of a town. Its interval must have begun after the last sleep.
  ///   - timeout: In milliseconds.
  func locateTown(at level: AccuracyLevel = .city, within timeout: UInt32 = 10_000) {
    let begin = world.schedule.now
    guard level == .city || world.wokeAt < begin - level.minimumInterval.microseconds else { return }
    let options: [(String, Value)] = [
      ("accuracy", .string("\(level)")), ("timeout", .uint32(timeout)), ("maximum-age", .uint32(0)),
    ]
    let time = Int64(timeout) * 1_000
    ask(Self.path, Self.service, "GetLocation", [.options(options)], within: time) { [weak self] reply in
      guard let self, reply.errorName.hasSuffix("Timeout"), entitlement.level > .city, !world.geoclue.isStatic,
        world.geoclue.interval == 1_000_000, max(entitlement.since, world.geoclue.worksSince, world.wokeAt) <= begin
      else { return }
      world.checks.broken("a call for a town is answered", "client \(number): \(reply.errorName)")
    }
  }

  /// Requests an exact location of the last 30 s.
  func locateRecently() {
    ask(Self.path, Self.service, "GetLocation", [.options([("timeout", .uint32(5_000))])])
  }

  /// Requests a location that has been known since the machine woke, just after logind has announced that.
  func locateSinceWaking() {
    let (begin, woke) = (world.schedule.now, world.wokeAt)
    let isKnown = subscriptions.contains {
      $0.isPlain && $0.isStarted && $0.last?.level == "exact" && woke < $0.lastLocationAt
        && $0.lastLocationAt < begin - 100_000
    }
    // A service that was started after the suspend learns of it only from logind.
    guard isConnected, isReading, isKnown, entitlement.since < woke, !world.isBusFaulty,
      max(world.clockSetAt, world.serviceBeganAt) < woke
    else { return }
    ask(Self.path, Self.service, "GetLocation", [.options([("timeout", .uint32(0))])]) { [weak self] reply in
      guard let self, reply.errorName.hasSuffix("Timeout"), entitlement.level == .exact, entitlement.since < woke,
        world.wokeAt == woke, world.clockSetAt < woke, !world.hasDoubt(begin - 3_000_000...world.schedule.now)
      else { return }
      world.checks.broken("a suspend is reported once", "client \(number) was told a location before")
    }
  }

  /// Requests a location that is known, and that it may have.
  func locateKnown() {
    let begin = world.schedule.now
    let isKnown = world.geoclue.hasBeenRead(in: begin - 9_000_000..<begin - 1_000_000)
    let wasEntitled = entitlement.since < begin && entitlement.level == .none && entitlement.since > begin - 100_000
    ask(Self.path, Self.service, "GetLocation", [.options([("timeout", .uint32(3_000))])]) { [weak self] reply in
      guard let self, isKnown, wasEntitled, reply.errorName.hasSuffix("Timeout"), entitlement.level == .exact,
        entitlement.since < begin + 100_000, !world.polkit.isInDoubt
      else { return }
      world.checks.broken("a refusal that is not reported ends no call", "client \(number)")
    }
  }

  /// The options of a request for a known location, however old.
  private static let old: [(String, Value)] = [("timeout", .uint32(0)), ("maximum-age", .uint32(.max))]

  /// Requests a known location, however old.
  ///
  /// - Parameter begin: Since when only one kind of location has arrived.
  /// - Parameter isKnown: Whether the user could have received them. If not, none that is older than 30 s may be returned.
  func locateOld(knownFrom begin: Int64, isKnown: Bool) {
    let (now, wasEntitled) = (world.schedule.now, entitlement.level == .exact && entitlement.since < begin)
    let isSuch = { (read: Int64) in begin < read && read < now - 31_000_000 }
    let reads = world.geoclue.lastReads.values
    guard isConnected, world.servingSince.map({ $0 < begin }) ?? false, max(world.wokeAt, world.clockSetAt) < begin,
      !world.libraries.contains(where: { $0.user == user && $0.isConnected }), !world.isBusFaulty
    else { return }
    let mustAnswer = isKnown && wasEntitled && isReading && reads.max().map(isSuch) ?? false
    ask(Self.path, Self.service, "GetLocation", [.options(Self.old)]) { [weak self] reply in
      guard let self else { return }
      let latitude = reply.values.first?.properties?["Latitude"]?.double
      let read = latitude.flatMap { world.fixes[$0.bitPattern] }.flatMap { world.geoclue.lastReads[$0.number] }
      if mustAnswer, reply.errorName.hasSuffix("Timeout"), entitlement.level == .exact {
        world.checks.broken("a new program may have what its user could have received", "client \(number)")
      }
      if !isKnown, let read, isSuch(read) {
        world.checks.broken("a new program receives nothing old of other users", "client \(number)")
      }
    }
  }

  /// Requests a location that is known, after its user's location was off until a time.
  func locateAfterRefusal(until end: Int64) {
    ask(Self.path, Self.service, "GetLocation", [.options(Self.old)]) { [weak self] reply in
      guard let self, let latitude = reply.values.first?.properties?["Latitude"]?.double,
        let fix = world.fixes[latitude.bitPattern], let read = world.geoclue.lastReads[fix.number], read < end
      else { return }
      world.checks.broken("no call is answered with a location from before the end of a refusal", "client \(number)")
    }
  }

  /// Requests within a second a location that is accurate to 3 m, which GeoClue reports after 0.7 s while the bus takes no
  /// answer, and others afterwards.
  func locatePrecisely() {
    let begin = world.schedule.now
    // An answer about an earlier call may still be awaited, and the bus may have ignored the service for long.
    let isEntitled =
      entitlement.level == .exact && entitlement.since < begin - 2_000_000 && world.polkit.answersSoon
      && world.bus.stall == .none
    let options: [(String, Value)] = [
      ("accuracy", .string("exact")), ("timeout", .uint32(1_000)), ("maximum-age", .uint32(0)),
      ("required-accuracy", .double(3)),
    ]
    ask(Self.path, Self.service, "GetLocation", [.options(options)]) { [weak self] reply in
      guard let self, reply.errorName.hasSuffix("Timeout"), isEntitled, entitlement.level == .exact,
        !world.hasDoubt(begin - 3_000_000...begin + 1_000_000),
        max(world.wokeAt, world.outlierAt, world.movedAt) < begin - 10_000_000, world.stalled.upperBound < begin,
        world.geoclue.hasRead(begin + 690_000..<begin + 900_000, { $0.accuracy <= 3 && !$0.isOutlier })
      else { return }
      world.checks.broken("a location that arrives before the timeout answers a call", "client \(number)")
    }
  }

  /// Requests a location that is more accurate than any, and accepts the best within a time, in milliseconds.
  ///
  /// - Parameter age: How old the location may be, in milliseconds.
  func locateAtBest(within timeout: UInt32 = 8_000, maximumAge age: UInt32 = 0) {
    let options: [(String, Value)] = [
      ("accuracy", .string("exact")), ("timeout", .uint32(timeout)), ("maximum-age", .uint32(age)),
    ]
    ask(Self.path, Self.service, "GetLocation", [.options(options + Self.bestEffort)], within: Int64(timeout) * 1_000)
  }

  /// The program that GeoClue's configuration disallows at times.
  static let named = ("desktop-id", Value.string("org.example.Named"))

  /// - Parameters:
  ///   - rest: The interval of a client that rests, in microseconds, or 0 for significant changes only.
  ///   - duration: The time after which the subscription ends, in microseconds.
  ///   - created: Called with the new subscription.
  func subscribe(
    isPlain: Bool, at fixed: AccuracyLevel? = nil, every rest: Int64? = nil, for duration: Int64? = nil,
    with filter: Thresholds? = nil, isNamed: Bool = false, starts: Bool? = nil,
    _ created: @escaping (Subscription) -> Void = { _ in }
  ) {
    let level = fixed ?? chance.pick(Self.levels)
    var options: [(String, Value)] = [("accuracy", .string("\(level)"))]
    var thresholds = Thresholds()
    let isNamed = isNamed || fixed == nil && chance.percent(15)
    if isNamed { options.append(Self.named) }
    if !isPlain {
      if chance.percent(30) { thresholds.distance = Double(chance.pick([1, 20, 500])) }
      if chance.percent(50) { thresholds.time = Int64(chance.pick([500, 5_500, 40_000, 200_000])) * 1_000 }
      if chance.percent(30) { thresholds.debounce = Int64(chance.pick([300, 4_000])) * 1_000 }
      if chance.percent(15) { thresholds.isSignificant = true }
      if chance.percent(15) { thresholds.duration = Int64(chance.pick([3_000, 60_000])) * 1_000 }
      if chance.percent(15) { thresholds.maximum = chance.pick([1, 5]) }
      if chance.percent(20) { thresholds.accuracy = Double(chance.pick([8, 100])) }
    }
    if let rest { thresholds = Thresholds(time: rest, isSignificant: rest == 0) }
    if let duration { thresholds = Thresholds(duration: duration) }
    if let filter { thresholds = filter }
    func add(_ name: String, _ microseconds: Int64) {
      if microseconds > 0 { options.append((name, .uint32(UInt32(microseconds / 1_000)))) }
    }
    add("time-threshold", thresholds.time)
    add("debounce", thresholds.debounce)
    add("duration", thresholds.duration)
    if thresholds.distance > 0 { options.append(("distance-threshold", .double(thresholds.distance))) }
    if thresholds.accuracy > 0 { options.append(("required-accuracy", .double(thresholds.accuracy))) }
    if thresholds.isSignificant { options.append(("mode", .string("significant"))) }
    if thresholds.maximum < .max { options.append(("max-updates", .uint32(UInt32(thresholds.maximum)))) }
    let mayCreate = world.mayCreate(for: self)
    creations += 1
    let connections = connections
    ask(Self.path, Self.service, "CreateSubscription", [.options(options)]) { [weak self] reply in
      guard let self, self.connections == connections, !reply.isLost else { return }
      creationEnded()
      guard reply.kind == .reply, let path = reply.values.first?.objectPath?.rawValue else {
        // Calls of the user's other programs may have been handled before this one.
        return world.checks.refused(reply, mayCreate: mayCreate && world.mayCreate(for: self), to: self)
      }
      let subscription = Subscription(path, level, thresholds, isPlain: isPlain, isNamed: isNamed)
      adopt(subscription)
      if starts ?? (fixed != nil || chance.percent(80)) { start(subscription) }
      created(subscription)
    }
  }

  /// What an error of `Start` tells a client: its access is restricted, without a reason.
  static let refused = (status: "restricted", reason: "unknown")

  func adopt(_ subscription: Subscription) {
    subscriptions.append(subscription)
    world.checks.created(subscription.path, by: self, isNamed: subscription.isNamed)
  }

  func start(_ subscription: Subscription) {
    let now = world.schedule.now
    let isForbidden = world.truth.isForbidden(to: self, isNamed: subscription.isNamed)
    subscription.changes += 1
    subscription.isStopped = false
    subscription.firstStart = subscription.firstStart ?? kernel_boottime()
    ask(subscription.path, Self.subscription, "Start") { [weak self, stops = subscription.stops] reply in
      subscription.mayBeToldAgain = true
      guard let self, stops == subscription.stops else { return }
      guard reply.kind == .reply else {
        if reply.errorName.hasSuffix("NotAuthorized") { subscription.told = Self.refused }
        // The service that created it has left the bus.
        if world.isBusFaulty, reply.errorName.hasSuffix("UnknownObject") {
          subscriptions.removeAll { $0 === subscription }
        }
        return
      }
      if isForbidden, world.truth.changedAt < now - Entitlement.tolerance, world.schedule.now - now < 1_000_000 {
        world.checks.broken("nothing starts while a rule forbids access", "\(subscription.path) of client \(number)")
      }
      if !subscription.isStarted { subscription.startedAt = max(now, world.schedule.now) }
      if !subscription.isStarted, subscription.hasStopped {
        (subscription.beganAt, subscription.hasStopped) = (now, false)
      }
      subscription.isStarted = true
      if subscription.thresholds.duration > 0, subscription.endsAt == nil {
        subscription.endsAt = kernel_boottime() + subscription.thresholds.duration
      }
    }
  }

  func stop(_ subscription: Subscription) {
    let wasStarted = subscription.isStarted
    (subscription.changes, subscription.stops) = (subscription.changes + 1, subscription.stops + 1)
    subscription.isStarted = false
    ask(subscription.path, Self.subscription, "Stop") { [changes = subscription.changes] reply in
      guard reply.kind == .reply else {
        // A refused call has changed nothing.
        if wasStarted, changes == subscription.changes, !reply.isLost { subscription.isStarted = true }
        return
      }
      (subscription.isStarted, subscription.told, subscription.hasStopped) = (false, nil, true)
      subscription.isStopped = changes == subscription.changes
    }
  }

  func close(_ subscription: Subscription) {
    closing.insert(subscription.path)
    ask(subscription.path, Self.subscription, "Close") { [weak self] reply in
      guard let self else { return }
      guard !reply.errorName.hasSuffix("LimitsExceeded") else {
        closing.remove(subscription.path)
        return
      }
      // The service may have closed the object, and will not send anything that shows it.
      guard !reply.isLost else {
        return world.schedule.after(1_000_000) { [weak self] in
          guard let self, subscriptions.contains(where: { $0 === subscription }) else { return }
          close(subscription)
        }
      }
      if reply.kind == .reply {
        closed.insert(subscription.path)
        checkEnd(of: subscription.path)
      }
      subscriptions.removeAll { $0 === subscription }
    }
  }

  /// Checks that the end of an object that this client has closed is also signalled.
  func checkEnd(of path: String) {
    let (begin, connections) = (world.schedule.now, connections)
    world.schedule.after(1_000_000) { [weak self] in
      guard let self, isConnected, self.connections == connections, isReading, readSince < begin, !world.isBusFaulty,
        world.bus.stall == .none, world.stalled.upperBound < begin, !gone.contains(path)
      else { return }
      world.checks.broken("the end of an object is signalled", path)
    }
  }

  private func changeLevel(of subscription: Subscription, to level: AccuracyLevel) {
    let begin = world.schedule.now
    // The first location at the new level may arrive before the answer.
    if level != subscription.level { subscription.startedAt = world.schedule.now }
    subscription.isLevelChanging = true
    ask(
      subscription.path, Self.properties, "Set",
      [.string(Self.subscription), .string("Accuracy"), .variant(.string("\(level)"))]
    ) { [weak self] reply in
      guard let self else { return }
      subscription.isLevelChanging = false
      if reply.isLost { close(subscription) }
      guard reply.kind == .reply, level != subscription.level else { return }
      (subscription.level, subscription.startedAt) = (level, world.schedule.now)
      if subscription.beganAt < .max { subscription.beganAt = begin }
    }
  }

  /// Changes a threshold of a subscription that has thresholds.
  private func changeThreshold(of subscription: Subscription) {
    guard !subscription.isPlain, !subscription.thresholds.isSignificant else { return }
    let (name, value): (String, Value)
    let change: () -> Void
    if chance.percent(60) {
      let time = Int64(chance.pick([0, 500, 5_500, 40_000])) * 1_000
      (name, value) = ("TimeThreshold", .uint32(UInt32(time / 1_000)))
      change = { subscription.thresholds.time = time }
    } else if chance.percent(30) {
      let time = Int64(chance.pick([0, 300, 4_000])) * 1_000
      (name, value) = ("Debounce", .uint32(UInt32(time / 1_000)))
      change = { subscription.thresholds.debounce = time }
    } else if chance.percent(50) {
      let accuracy = Double(chance.pick([0, 2, 8, 100]))
      (name, value) = ("RequiredAccuracy", .double(accuracy > 0 ? accuracy : .infinity))
      change = { subscription.thresholds.accuracy = accuracy }
    } else {
      let distance = Double(chance.pick([0, 20, 500]))
      (name, value) = ("DistanceThreshold", .double(distance))
      change = { subscription.thresholds.distance = distance }
    }
    set(name, value, of: subscription, change)
  }

  func set(_ name: String, _ value: Value, of subscription: Subscription, _ change: @escaping () -> Void) {
    subscription.thresholdsAt = .max
    let values: [Value] = [.string(Self.subscription), .string(name), .variant(value)]
    ask(subscription.path, Self.properties, "Set", values) { [weak self] reply in
      guard let self else { return }
      subscription.thresholdsAt = world.schedule.now
      if reply.isLost { close(subscription) }
      guard reply.kind == .reply else { return }
      let (before, time) = (subscription.thresholds, world.schedule.now)
      change()
      guard subscription.thresholds != before, name != "RequiredAccuracy" else { return }
      world.schedule.after(3_000_000) { [self] in
        if subscription.thresholdsAt == time { world.checks.changed(name, to: value, of: subscription, self, at: time) }
      }
    }
  }

  /// The subscription with which it rests.
  private var resting: Subscription? { subscriptions.first { $0.isStarted && !$0.isPlain } }

  /// Changes the time threshold of the subscription with which it rests, in microseconds.
  func changeInterval(to time: Int64) {
    guard let subscription = resting else { return }
    subscription.hasChangedInterval = true
    set("TimeThreshold", .uint32(UInt32(time / 1_000)), of: subscription) { subscription.thresholds.time = time }
  }

  /// Changes the distance threshold of the subscription with which it rests, in metres.
  func requireDistance(_ distance: Double) {
    guard let subscription = resting else { return }
    set("DistanceThreshold", .double(distance), of: subscription) { subscription.thresholds.distance = distance }
  }

  /// Changes the level of a subscription that receives every location, and changes it back.
  func reconsider() {
    let isPlain = { (subscription: Subscription) in
      subscription.isPlain && subscription.isStarted && subscription.level == .exact
    }
    guard isReading, let subscription = subscriptions.first(where: isPlain) else { return }
    let begin = world.schedule.now
    // In an interval that began before a gap, there is no reduced location.
    let isReduced =
      subscription.last?.level == "city" && subscription.lastLocationAt > max(subscription.toldAt, world.wokeAt)
    changeLevel(of: subscription, to: .city)
    // The calls keep their order.
    ask(subscription.path, Self.properties, "Get", [.string(Self.subscription), .string("Location")]) {
      [weak self] reply in
      guard let self, subscription.level == .city, !subscription.isLevelChanging,
        let location = reply.values.first?.unwrapped.properties
      else { return }
      world.checks.shows(location, subscription)
    }
    world.schedule.after(1_500_000) { [self] in
      if isConnected, subscription.level == .city { world.checks.truths { $1 === subscription } }
      if isReduced { world.checks.receivedAfterLevelChange(subscription, of: self, since: begin) }
      if subscriptions.contains(where: { $0 === subscription }) { changeLevel(of: subscription, to: .exact) }
    }
  }

  /// When it last permitted a dialog.
  private(set) var interactedAt: Int64 = .min / 2
  /// The interactive calls of a connection that are not answered.
  private var interactions = (connection: 0, count: 0)
  /// The level of its only open call that permits a dialog.
  private(set) var interactiveLevel: AccuracyLevel?
  /// Whether it may have a dialog.
  var isInteracting: Bool { isConnected && interactions.connection == connections && interactions.count > 0 }

  /// - Parameter level: What an interactive call requests.
  func authorize(
    isInteractive: Bool = false, at level: AccuracyLevel = .exact, within deadline: Int64 = 5_000_000,
    _ handler: @escaping (Parcel) -> Void = { _ in }
  ) {
    if isInteractive {
      interactedAt = world.schedule.now
      interactions = (connections, interactions.connection == connections ? interactions.count + 1 : 1)
      interactiveLevel = interactions.count == 1 ? level : nil
    }
    ask(
      Self.path, Self.service, "RequestAuthorization",
      [.options([("accuracy", .string("\(isInteractive ? level : chance.pick(Self.levels))"))])],
      within: isInteractive ? 120_000_000 : deadline, isInteractive: isInteractive
    ) { [weak self, connections] reply in
      if isInteractive, let self, interactions.connection == connections {
        (interactions.count, interactiveLevel) = (interactions.count - 1, nil)
        if reply.errorName.hasSuffix("InteractiveAuthorizationRequired") {
          world.checks.broken("an interactive call is not told to be interactive", reply.story)
        }
      }
      if let status = reply.values.first?.string, !status.hasPrefix("authorized") {
        self?.refusedCallAt = self?.world.schedule.now ?? .min / 2
      }
      handler(reply)
    }
  }

  /// When a call of it was last answered with a refusal.
  var refusedCallAt: Int64 = .min / 2

  /// When it was last told that its access is undecided.
  private(set) var undecidedAt: Int64 = .min / 2

  /// Requests access interactively. The call must end with its dialog, to which the user responds within 4 s.
  private func interact(at level: AccuracyLevel, _ handler: @escaping (Parcel) -> Void) {
    let (begin, connections) = (world.schedule.now, connections)
    var isAnswered = false
    authorize(isInteractive: true, at: level) { reply in
      isAnswered = true
      handler(reply)
    }
    world.schedule.after(12_000_000) { [self] in
      guard !isAnswered, isConnected, self.connections == connections, isReading, world.polkit.answersSoon,
        max(world.polkit.slowAt, world.logind.slowAt, world.settledAt) < begin - 1_000_000, !world.isBusFaulty
      else { return }
      world.checks.broken("an interactive call ends with its dialog", "client \(number)")
    }
  }

  /// Requests access interactively. The user agrees, so access must be granted.
  func agree() {
    let begin = world.schedule.now
    interact(at: .exact) { [weak self] reply in
      guard let self, hasConsent, world.polkit.slowAt < begin - 5_000_000, world.logind.slowAt < begin - 5_000_000,
        world.truth.authorization(of: self, asking: .exact).status.hasPrefix("authorized"),
        reply.values.first?.string?.hasPrefix("authorized") != true
      else { return }
      world.checks.broken("a user's consent counts", "client \(number): \(reply.errorName)")
    }
  }

  /// Requests access interactively. The user refuses, which is reported and grants nothing.
  func beRefused(at level: AccuracyLevel) {
    let begin = world.schedule.now
    let isAsked = { [world] (client: Client) in
      world.truth.authorization(of: client, asking: .exact).reason == "authorization-required"
    }
    guard isAsked(self) else { return }
    interact(at: level) { [weak self] reply in
      guard let self, isAsked(self), world.polkit.refusedAt[name] ?? .min > begin, reply.kind == .reply,
        reply.values != [.string("denied"), .string("rejected-by-agent")]
      else { return }
      world.checks.broken("a refused dialog is reported", "client \(number): \(reply.values)")
    }
  }

  /// Requests more than it may have, interactively. The user refuses, which ends nothing.
  func refuseMore() {
    let (begin, approximate) = (world.schedule.now, ("authorized-when-in-use", "reduced-accuracy"))
    let hasLess = { [world] (client: Client) in world.truth.authorization(of: client, asking: .exact) == approximate }
    guard hasLess(self) else { return }
    interact(at: .exact) { [weak self] reply in
      guard let self, hasLess(self), world.polkit.refusedAt[name] ?? .min > begin, reply.kind == .reply,
        reply.values != [.string(approximate.0), .string(approximate.1)]
      else { return }
      world.checks.broken("a refused dialog for more ends nothing", "client \(number): \(reply.values)")
    }
  }

  private func readLocation(of subscription: Subscription) {
    if chance.percent(30) { return readAll() }
    ask(
      subscription.path, Self.properties, "Get",
      [.string(Self.subscription), .string(chance.pick(["Location", "AuthorizationStatus", "Active"]))])
  }

  func readAll() {
    for subscription in subscriptions {
      ask(subscription.path, Self.properties, "GetAll", [.string(Self.subscription)]) { [weak self] reply in
        let status = reply.values.first?.properties?["AuthorizationStatus"]?.string
        if let self, status?.hasPrefix("authorized") == true { world.checks.readAccess(self, subscription) }
      }
    }
    for region in regions { read(region) }
    readAlmanac()
  }

  /// Reads its objects and immediately closes one subscription and one region, which has an event if possible.
  func readAndClose() {
    readAll()
    if let subscription = subscriptions.last(where: { $0.isStarted && $0.count > 0 }) { close(subscription) }
    if let region = regions.last(where: { $0.isStarted && $0.sequence > 0 }) ?? regions.last { close(region) }
  }

  // MARK: - Signals

  override func signalled(_ signal: Parcel) {
    if gone.contains(signal.path) {
      world.checks.broken("a closed object sends nothing", signal.story)
    }
    if signal.member == "Closed" { gone.insert(signal.path) }
    if signal.path == almanacPath { return signalledAlmanac(signal) }
    if let region = regions.first(where: { $0.path == signal.path }) { return signalled(signal, of: region) }
    guard let subscription = subscriptions.first(where: { $0.path == signal.path }) else { return }
    switch signal.member {
    case "LocationUpdated":
      locations += 1
      subscription.count += 1
      if subscription.isStopped { world.checks.broken("a stopped subscription sends nothing", subscription.path) }
      if subscription.told == nil {
        world.checks.broken("a client is told its authorization before its locations", subscription.path)
      }
      world.checks.delivered(subscription, to: self, signal.values.first?.properties ?? [:])
      subscription.lastLocationAt = world.schedule.now
    case "AuthorizationChanged":
      guard signal.values.count == 2, let status = signal.values[0].string, let reason = signal.values[1].string else {
        return
      }
      // Without a location, there was no grant, and no loss. A change of the level ends the use at the former one.
      if subscription.isStarted, subscription.lastLocationAt >= max(subscription.toldAt, subscription.startedAt) {
        world.checks.told(self, status, before: subscription.told?.status)
      }
      let before = subscription.mayBeToldAgain ? nil : subscription.told
      world.checks.told(self, (status, reason), before: before, since: subscription.toldAt, at: subscription.path)
      subscription.mayBeToldAgain = false
      if status.hasPrefix("authorized"), subscription.told?.status.hasPrefix("authorized") != true {
        subscription.authorizedAt = world.schedule.now
        subscription.grants += 1
        subscription.refusalEnd = min(subscription.refusalEnd, world.schedule.now)
      }
      (subscription.told, subscription.toldAt) = ((status, reason), world.schedule.now)
      if reason == "undecided" { undecidedAt = world.schedule.now }
      if !status.hasPrefix("authorized"), !["undecided", "disallowed-by-configuration"].contains(reason), isReading,
        readSince < world.schedule.now - 1_000_000
      {
        (subscription.refusedAt, subscription.refusalEnd) = (world.sentSince, .max)
      }
      // Each later change of these properties is signalled, too.
      for (name, value) in zip(["AuthorizationStatus", "AuthorizationReason"], signal.values)
      where subscription.properties[name] == nil {
        subscription.properties[name] = value
      }
    case "PropertiesChanged":
      guard signal.values.count == 3, let changed = signal.values[1].properties else { return }
      subscription.properties.merge(changed) { $1 }
      if !(signal.values[2].array ?? []).isEmpty { subscription.properties = [:] }
    case "ErrorOccurred":
      world.checks.failed(subscription, of: self)
      subscription.failedAt = world.schedule.now
    case "Closed":
      closed.insert(subscription.path)
      world.checks.closed(subscription, signal.values.first?.string ?? "", to: self)
      subscriptions.removeAll { $0 === subscription }
    default: break
    }
  }

  override func called(_ call: Parcel) {
    guard poses, call.path == Agent.path, call.member == "Get" else { return super.called(call) }
    answer(call, [.variant(.uint32(8))])
  }
}
