// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistSimulatedKernel

/// Compares the service's behaviour with the state of the world.
final class Checks {
  nonisolated struct Violation {
    let time: Int64
    let rule: String
    let story: String
  }

  unowned let world: World
  private(set) var violation: Violation?
  /// Parts of the names of rules that are not checked.
  var ignored: [String] = []
  private(set) var calls = 0
  private(set) var locations = 0
  private var open: [SimulatedBus.Call: OpenCall] = [:]
  /// What the service has asked others.
  var questions: [SimulatedBus.Call: Question] = [:]

  private struct OpenCall {
    let client: Client
    let member: String
    let path: String
    let deadline: Int64
    let time: Int64
    let wish: Wish
    /// Whether its user's place was remembered although it is refused, because it is in a sandbox.
    let isHarmless: Bool
  }

  /// What a call requires. Absent options have the defaults of `GetLocation`.
  nonisolated struct Wish {
    let level: AccuracyLevel
    /// In milliseconds.
    let timeout: Int64
    /// In milliseconds.
    let maximumAge: Int64
    /// In metres.
    let accuracy: Double
    /// Whether it accepts the best location at its timeout.
    let isBestEffort: Bool
    /// Whether its desktop id is the one that GeoClue's configuration can disallow.
    let isNamed: Bool
    /// Whether it is answered as soon as access is known and confirmed.
    var isImmediate: Bool { timeout == 0 }

    init(_ options: [String: Value]) {
      func number(_ name: String) -> Double? {
        guard let value = options[name] else { return nil }
        let whole = value.uint32.map(Int64.init) ?? value.int32.map(Int64.init) ?? value.int64
        return value.double ?? whole.map(Double.init)
      }
      level = options["accuracy"]?.string.flatMap(AccuracyLevel.init(contractName:)) ?? .exact
      timeout = Int64(number("timeout") ?? 20_000)
      maximumAge = Int64(number("maximum-age") ?? 30_000)
      accuracy = number("required-accuracy") ?? .infinity
      isBestEffort = options["best-effort"]?.boolean ?? false
      isNamed = options["desktop-id"] != nil
    }
  }

  nonisolated struct Owner {
    let name: String
    /// Whether its desktop id is the one that GeoClue's configuration can disallow.
    let isNamed: Bool
    /// The radius of a region, in metres.
    let radius: Double?
    let at: Int64
    /// The same on the wall clock, in seconds since 1970.
    let wallTime: Int64
  }

  /// The client that has created each object.
  private var owners: [String: Owner] = [:]
  /// When the state of each object was last told.
  private var statesTold: [String: Int64] = [:]
  /// How often each connection was asked whether it is an agent since no program of its user waits.
  var searches: [UInt32: (since: Int64, counts: [String: Int])] = [:]
  /// Since when the objects of each program of the library have been listed.
  var libraryObjects: [String: [String: Int64]] = [:]
  /// The values of the service's properties that it has signalled, and when it last did so.
  var shown: (sender: String, values: [String: Value], at: Int64) = ("", [:], 0)
  /// When the service last said that its source is idle.
  var idleAt: Int64 = .min / 2

  func owner(of path: String) -> String? { owners[path]?.name }

  /// When an object of a client was created, in seconds since 1970. Nil if the clock was set, or the client began to
  /// read, just before or later.
  func creationTime(of path: String, _ client: Client) -> Int64? {
    let since = max(world.clockSetAt, world.wokeAt, client.readSince) + 5_000_000
    return owners[path].flatMap { $0.at > since ? $0.wallTime : nil }
  }

  /// Objects that were created on an earlier bus.
  private var ended: Set<String> = []
  /// The resources that remained after every client had left for the first time.
  var remainsBefore: Remains?
  /// The times at which GeoClue was started or asked for a client.
  private var requests: [String: [Int64]] = [:]
  /// How many messages of one kind may still be sent to each receiver.
  private var shares: [String: Share] = [:]
  /// The clients for which the bus holds many bytes, since when, and when each of their objects last sent a location
  /// anyway.
  private var hoards: [Int: (since: Int64, sent: [String: Int64])] = [:]
  /// When a client made a call that needs no other program, and how many answers have been sent since then to another
  /// user, whose programs made a burst of calls.
  var turns: [Int: (since: Int64, answers: Int)] = [:]
  var longestTurn = 0
  /// Whether GeoClue was not in use at one moment of the quiet time.
  var hasRested = false
  let audit = Audit()
  /// The attempts of the last second to open a connection.
  var failedAttempts: [(time: Int64, purpose: String)] = []
  /// The service also sends answers while it is still reading the crowd's calls.
  static let mostTurns = 150
  /// The bytes that have waited for the bus and arrive now.
  private var queued = 0
  /// When each user last received the reduced locations, by when they were measured.
  private var records: [UInt32: [UInt64: Int64]] = [:]
  /// When the newest town that must be remembered was measured, by user, in seconds since 1970; 0 if that is unknown.
  private var townTimes: [UInt32: UInt64] = [:]
  /// Until which time since the boot the record of each user may have been erased. A location from before is not recorded.
  private var forgottenUntil: [UInt32: Int64] = [:]
  /// Until when the record of each user may be erased because one program is refused.
  var erasedUntil: [UInt32: Int64] = [:]
  /// The users who have turned location off since the service began, without objects or calls that wait.
  private var turnedOffUsers: Set<UInt32> = []
  /// The latitude of that town, unless the user may have been told another country since.
  private var towns: [UInt32: Double] = [:]
  /// The times of the last countries around other towns. An older town does not replace them.
  private var countryTimes: [UInt32: UInt64] = [:]
  /// The reduced locations of the last intervals, by level.
  private var reducedLocations: [AccuracyLevel: [ReducedLocation]] = [:]

  nonisolated private struct ReducedLocation: Equatable {
    let interval: UInt64
    let latitude: Double
    let longitude: Double
    let measuredAt: UInt64
    let timestamp: UInt64
    let accuracy: Double
    let sequence: UInt64
    let sleeps: Int
  }

  /// Until when a refusal must be reported in the session deployment, although GeoClue exits.
  var refusedUntil: Int64 = .min / 2
  /// The connections through which the service has pinged programs.
  private var pingConnections: Set<String> = []
  /// With fewer pings in flight, the service needs no other connection.
  private static let fewPings = 32

  init(_ world: World) { self.world = world }

  func broken(_ rule: String, _ story: String) {
    guard violation == nil, !ignored.contains(where: rule.contains) else { return }
    violation = Violation(time: world.schedule.now, rule: rule, story: story)
    world.tell("BROKEN: \(rule): \(story)")
    world.end()
  }

  /// All names, objects and accounts end with the bus.
  func busExited() {
    ended.formUnion(owners.keys)
    (owners, open, turns, shares, remainsBefore, pingConnections) = ([:], [:], [:], [:], nil, [])
    arrivals = [:]
  }

  /// When each location reached the service, as it first told, by the number of the fix.
  private var arrivals: [Int: Int64] = [:]
  /// How long the calls last that a service which exits has still to answer.
  var lastCallsTime: Int64 = 0

  /// All objects end with the service, which keeps what its users' programs have received.
  func serviceExited() {
    ended.formUnion(owners.keys)
    (owners, turns, shares, requests, statesTold, pingConnections) = ([:], [:], [:], [:], [:], [])
    arrivals = [:]
    let (times, towns, refused) = (townTimes, towns, turnedOffUsers)
    turnedOffUsers = []
    world.schedule.after(lastCallsTime + 1_000_000) { [self] in
      // It may have been written by the service that has exited. A program with the client library may have received a
      // location since.
      for user in refused.sorted()
      where world.record(of: user) != nil && records[user]?.isEmpty ?? true && !world.isBusFaulty
        && !world.libraries.contains(where: { $0.user == user })
      {
        broken("a refusal erases the user's record", "\(user): disabled-by-user")
      }
      for (user, time) in times where townTimes[user] != nil {
        let record = world.record(of: user)
        if record == nil || record?[0] == "country" && time > 0 && towns[user] != nil {
          broken("a user's town is remembered", "\(record ?? []) of \(user)")
        }
        if let record, record.count > 4, UInt64(record[4]) ?? 0 < time {
          broken("a user's last town is remembered", "\(record) of \(user), not from \(time)")
        }
      }
    }
  }

  // MARK: - Liveness of calls

  /// How much later than its deadline an answer may arrive, in microseconds.
  private static let slack: Int64 = 1_000_000

  func called(
    _ client: Client, _ serial: UInt32, _ member: String, _ path: String, within time: Int64, _ wish: Wish
  ) {
    calls += 1
    let now = world.schedule.now
    guard !client.onlyCalls else { return }
    let call = SimulatedBus.Call(caller: client.name, serial: serial)
    open[call] = OpenCall(
      client: client, member: member, path: path, deadline: now + time, time: now, wish: wish,
      isHarmless: client.isSandboxed && world.isQuiet(at: now) && world.record(of: client.user) != nil)
    world.schedule.at(now + time + Self.slack) { [weak self] in self?.expire(call) }
  }

  private func expire(_ call: SimulatedBus.Call) {
    guard let found = open[call], found.client.name == call.caller, found.client.isConnected else {
      open[call] = nil
      return
    }
    guard found.client.isReading else {
      // Answers wait until the client reads.
      return world.schedule.after(Self.slack) { [weak self] in self?.expire(call) }
    }
    // Time during which the service was not running does not count. The calls that have waited for it share a rate.
    if let since = world.servingSince {
      let hasWaited =
        (0..<1_000_000).contains(since - world.stalled.upperBound)
        || (0..<3_000_000).contains(since - world.busStartedAt)
      let isBurst = found.time < since && hasWaited
      let end = since + found.deadline - found.time + Self.slack + (isBurst ? world.burstTime : 0)
      if end > world.schedule.now { return world.schedule.at(end + 1) { [weak self] in self?.expire(call) } }
    }
    // The calls of one user are handled in order, those of a burst before later ones.
    // During a stall of the bus, no call is handled.
    let stalled = world.stalled
    let crowded = world.crowded[found.client.user] ?? 0...0
    let isLater =
      stalled.lowerBound < crowded.upperBound && stalled.upperBound > crowded.lowerBound
      // Its client may have called during the stall.
      || (0..<1_000_000).contains(found.time - stalled.upperBound)
    let inTurn = max(crowded.upperBound, isLater ? min(stalled.upperBound, .max / 2) + world.burstTime : 0)
    guard world.servingSince != nil, inTurn <= world.schedule.now || crowded.lowerBound > found.time else {
      return world.schedule.after(Self.slack) { [weak self] in self?.expire(call) }
    }
    // The calls of a user share a rate. The refusals of a connection's calls keep their order.
    let floods = world.clients.filter { $0.user == found.client.user }.map(\.flood)
    let isFlooded = floods.contains { [now = world.schedule.now] flood in
      (flood.open > 0 || flood.answeredAt + Self.slack > now) && flood.begin <= found.time
        && max(flood.begin, world.servingSince ?? .min / 2) + world.burstTime > now
    }
    let hasCalled = world.clients.contains {
      $0.user == found.client.user && $0.onlyCalledAt > world.schedule.now - 15_000_000
    }
    if isFlooded || hasCalled { return world.schedule.after(Self.slack) { [weak self] in self?.expire(call) } }
    // Changes delay the confirmation of access.
    let now = world.schedule.now
    if found.wish.isImmediate, world.hasDoubt(now - 3_000_000...now), now < found.time + 10_000_000 {
      return world.schedule.after(Self.slack) { [weak self] in self?.expire(call) }
    }
    open[call] = nil
    broken(
      "every call is answered within its deadline",
      "\(found.member) of \(found.path) by client \(found.client.number), "
        + "\((world.schedule.now - found.time) / 1_000) ms ago"
    )
  }

  /// Whether a call of a client that may show a dialog has no answer.
  func isAsking(for client: Client) -> Bool {
    open.contains { $0.key.caller == client.name && $0.value.member == "RequestAuthorization" }
  }

  /// How many calls of a client have no answer.
  func openCalls(of client: Client) -> Int { open.keys.count { $0.caller == client.name } }

  func answered(_ client: Client, _ name: String, _ reply: Parcel) {
    let call = open.removeValue(forKey: SimulatedBus.Call(caller: name, serial: reply.replySerial))
    if reply.errorName.hasSuffix("Location1.Error.Timeout"), let call, world.wokeAt < call.time {
      checkTimeout(of: client, at: call.time + call.wish.timeout * 1_000)
    }
    if let call, call.isHarmless, reply.errorName.hasSuffix("NotAuthorized"), world.record(of: client.user) == nil,
      forgottenUntil[client.user] ?? .min < kernel_boottime() - 30_000_000, !world.isBusFaulty
    {
      broken("only a refusal of a user erases the user's record", "\(client.user)")
    }
  }

  /// Checks a call that has ended with `Timeout`.
  private func checkTimeout(of client: Client, at time: Int64) {
    let now = world.schedule.now
    if now < time { broken("a call does not time out early", "\((time - now) / 1_000) ms early") }
    // A client that did not read learns of it later.
    let isUnavailable = shown.values["State"]?.string == "unavailable" && shown.sender == world.serviceName
    if isUnavailable, !world.isBusFaulty, now < time + 1_000_000, shown.at < world.sentSince - 3_000_000 {
      broken("a call that no source can answer ends with the reason", "client \(client.number)")
    }
  }

  // MARK: - Privacy

  func created(_ path: String, by client: Client, isNamed: Bool, radius: Double? = nil) {
    // The numbers begin with the time at which the service starts.
    if let before = owners[path], before.at > world.clockSetAt { broken("no path is used twice", path) }
    owners[path] = Owner(
      name: client.name, isNamed: isNamed, radius: radius, at: world.schedule.now,
      wallTime: kernel_realtime() / 1_000_000)
    // The answer to a call of `Close` may be lost, and the report of an earlier end with the service's connection.
    let since = world.stalled.upperBound
    let count = client.subscriptions.count { subscription in
      !client.closing.contains(subscription.path) && owners[subscription.path].map { $0.at > since } ?? false
    }
    if client.isReading, count > World.subscriptionsPerConnection {
      broken("a client has no more objects than its limit", "client \(client.number) has \(count)")
    }
  }

  /// The service has joined the bus again, where its last signals may have been lost. It tells the state of each object.
  func rejoined() {
    let (begin, service) = (world.schedule.now, world.serviceName)
    let paths = owners.keys.sorted()
    world.schedule.after(30_000_000) { [self] in
      guard world.serviceName == service, world.serviceBeganAt < begin, world.stalled.upperBound < begin else { return }
      for path in paths where statesTold[path] ?? .min < begin {
        guard let name = owners[path]?.name,
          world.clients.contains(where: { $0.name == name && $0.isReading && $0.has(path) })
        else { continue }
        broken("a service that joins the bus again tells the state of each object", path)
      }
    }
  }

  /// Examines a message from the service.
  func sent(_ parcel: Parcel) {
    economy(parcel)
    if parcel.kind == .error || parcel.member == "ErrorOccurred" {
      for text in parcel.values.compactMap(\.string) {
        checkRevealsNothing(text)
        if text.utf8.count > 400 || !text.unicodeScalars.allSatisfy(\.isPrintable) {
          broken("an error repeats nothing that is long or unprintable", "\(text.utf8.count) bytes")
        }
      }
    }
    // Another bus assigns the same names.
    for library in world.libraries where library.name == parcel.destination && library.isConnected {
      library.wasSent(parcel)
    }
    if parcel.kind == .call { asked(parcel) }
    guard parcel.kind == .signal || parcel.kind == .reply else { return }
    if parcel.destination == nil { told(parcel) }
    let owner = parcel.kind == .signal ? owners[parcel.path] : nil
    if let owner, parcel.destination != owner.name {
      return broken("an object sends signals only to the client that created it", parcel.story)
    }
    if let owner, let event = parcel.values.first?.properties { told(event, of: owner, parcel) }
    if parcel.kind == .signal, ended.contains(parcel.path) {
      return broken("no object outlives the bus on which it was created", parcel.story)
    }
    let isAlmanac = parcel.member == "AlmanacChanged" || parcel.values.first?.properties?["Phase"] != nil
    if isAlmanac, let client = world.clients.first(where: { $0.name == parcel.destination }) {
      let time = parcel.values.first?.properties?["Timestamp"]?.structure?.first?.uint64 ?? 0
      records[client.user, default: [:]][time] = world.schedule.now
    }
    if parcel.member == "AuthorizationChanged" { toldAuthorization(parcel) }
    if parcel.member == "PropertiesChanged", owner != nil { statesTold[parcel.path] = world.schedule.now }
    guard let location = Self.location(in: parcel.values) else { return }
    guard let name = parcel.destination else {
      return broken("no broadcast carries a location", parcel.story)
    }
    guard let client = world.clients.first(where: { $0.name == name }) else {
      // Its last connection may not have left a bus that hangs.
      if let process = world.bus.peers[name]?.process,
        let library = world.libraries.first(where: { $0.process == process && $0.isConnected })
      {
        return permitted(location, library, parcel)
      }
      if world.bus.peers[name] != nil { broken("a location goes to a client", parcel.story) }
      return
    }
    locations += 1
    let level = Self.level(of: location)
    if parcel.kind == .reply, let call = open[SimulatedBus.Call(caller: name, serial: parcel.replySerial)],
      call.member == "GetLocation"
    {
      answer(location, call)
      // A remembered location may be coarser than what is granted.
      let isMarked = location["Reduced"]?.boolean == (level < call.wish.level) || location["Remembered"] != nil
      if level > call.wish.level || !isMarked {
        broken("a call is answered at its level", "\(location), not \(call.wish.level): \(parcel.story)")
      }
      named(call.wish.isNamed, parcel)
    }
    named(owner?.isNamed ?? false, parcel)
    granted(client, parcel)
    permitted(location, client, parcel)
    guard level != .none else { return broken("a location has a level", parcel.story) }
    if let subscription = client.subscriptions.first(where: { $0.path == parcel.path }), client.isReading,
      world.sentSince - subscription.startedAt > Entitlement.tolerance
    {
      if location["Reduced"]?.boolean != (level < subscription.level) {
        return broken("a reduced location is marked", parcel.story)
      }
      if !subscription.isLevelChanging, level > subscription.level {
        return broken("a subscription receives nothing finer than its level", parcel.story)
      }
    }
    if level == .exact { exact(location, client, parcel) } else { reduced(location, level, client, parcel) }
  }

  static func level(of location: [String: Value]) -> AccuracyLevel {
    location["Level"]?.string.flatMap(AccuracyLevel.init(contractName:)) ?? .exact
  }

  /// The finest level at which a message that arrives now may show a program where it is.
  func finestLevel(of program: Program) -> AccuracyLevel {
    max(
      program.entitlement.finest(at: world.schedule.now, since: world.sentSince),
      world.truth.answeredLevel(of: program))
  }

  /// The fix that an exact location repeats, or the last one that the service has read before it sends a reduced one.
  private func origin(of location: [String: Value], at level: AccuracyLevel) -> Fix? {
    guard level < .exact else { return location["Latitude"]?.double.flatMap { world.fixes[$0.bitPattern] } }
    let last = world.geoclue.lastReads.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    return world.fixes.values.first { $0.number == last }
  }

  private func permitted(_ location: [String: Value], _ program: Program, _ parcel: Parcel) {
    let level = Self.level(of: location)
    if level > toldLevel(of: program) {
      broken("a level counts as soon as the user's agent has told it", "\(program.name) of \(program.user): \(level)")
    }
    let entitled = finestLevel(of: program)
    guard level > entitled else { return }
    // GeoClue has reduced it itself, at the request of a service that needed less, and the service may have done so again.
    if world.isSession, entitled > .none, origin(of: location, at: level)?.isReduced == true { return }
    broken(
      "a location goes only to a client that is entitled to it",
      "\(program.name) of \(program.user) gets \(level), entitled to \(entitled): \(parcel.story)")
  }

  /// The level that a user's agents have told the service a moment ago, if no rule permits more than they do.
  private func toldLevel(of program: Program) -> AccuracyLevel {
    let now = world.schedule.now
    guard !world.isSession, program.user >= 1_000, world.sentSince == now, world.isQuiet(at: now - 1_000_000),
      world.truth.policy(of: program.user, Truth.accessWithoutAgent) == .no, !world.polkit.isInDoubt
    else { return .exact }
    return world.agents.filter {
      $0.user == program.user && $0.isConnected && $0.unit == .described && $0.changedAt <= $0.lastTold.at
        && (300..<Entitlement.tolerance).contains(now - $0.lastTold.at)
    }.map { max($0.level, $0.lastTold.level) }.min() ?? .exact
  }

  private func exact(_ location: [String: Value], _ client: Client, _ parcel: Parcel) {
    let latitude = location["Latitude"]?.double ?? .nan
    guard let fix = world.fixes[latitude.bitPattern] else {
      return broken("an exact location is one that GeoClue measured", "\(latitude): \(parcel.story)")
    }
    let age = (world.schedule.now - fix.measuredAt) / 1_000
    // GeoClue may assert the location of a machine that does not move again.
    let isAsserted = world.geoclue.isStatic && world.geoclue.lastReads[fix.number] ?? .min > world.wokeAt
    // A service that has been started and has read it since does not know of the suspend.
    let readAt = world.geoclue.lastReads[fix.number] ?? .min
    let isNew = world.serviceBeganAt > world.wokeAt && readAt >= world.serviceBeganAt
    // After a change of the clock, the time of a location that GeoClue reports again does not show its age.
    let isUndated = world.clockSetAt > fix.measuredAt && readAt > world.wokeAt
    guard
      fix.sleeps == world.sleeps || isAsserted || isNew || isUndated || isCloseToWaking || isLastEvent(parcel, client)
    else {
      return broken(
        "no location from before the last suspend is sent",
        "client \(client.number) gets a fix \(age) ms old: \(parcel.story)")
    }
    same(location, as: fix)
    arrived(location, fix, parcel)
    // An answer of logind permits deliveries for 150 ms, whatever it announces meanwhile. Sessions do not matter for root,
    // for the service itself, and for users whom a rule permits access without an agent.
    if let lostAt = world.logind.lossAnnouncedAt[client.user], !world.isSession, !world.isBusFaulty,
      min(readAt, world.sentSince) > lostAt + 160_000, client.entitlement.since <= lostAt,
      world.lastOwner.map({ $0.since < lostAt }) ?? false, world.truth.session(of: client.user) != .active,
      client.user != 0, client.user != world.serviceUser,
      world.truth.policy(of: client.user, Truth.accessWithoutAgent) != .yes,
      !world.polkit.isPermitted(Truth.accessWithoutAgent, to: client.name)
    {
      broken("no new location is sent while logind is asked about a session that has ended", parcel.story)
    }
    // So does an answer of polkit, from its question on. It also says nothing about subscriptions that begin later.
    let beganAt = client.subscriptions.first { $0.path == parcel.path && $0.beganAt < .max }?.beganAt ?? .min
    if !world.isSession, !world.isBusFaulty, !isAsserted, let asked = world.polkit.questionedAt[client.name],
      min(max(readAt, beganAt), world.sentSince - 150_000) > asked + 10_000,
      client.entitlement.finest(at: world.schedule.now, since: world.sentSince) < .exact
    {
      broken("polkit's answer permits new locations for a moment after its question", parcel.story)
    }
    if fix.isOutlier, parcel.member == "LocationUpdated" {
      if world.isOutlierObvious(fix) { broken("a single jump is not delivered", parcel.story) }
      if world.geoclue.contradicts(fix) { broken("a jump that a later location contradicts is dropped", parcel.story) }
    }
    // The newest fix that the service has read is what GeoClue itself would report to a new client, which may then read
    // it again. While access is revoked, the service may not know of that yet.
    let receivedAt = client.receivedFixes[fix.number] ?? .min
    client.received(fix: fix.number)
    // A source that does not measure again asserts its last location.
    let measuredAt = world.geoclue.isStatic ? world.geoclue.lastReads[fix.number] ?? fix.measuredAt : fix.measuredAt
    if let revoked = client.entitlement.revokedAt, revoked < world.sentSince, measuredAt < revoked,
      receivedAt < revoked, fix.number < world.geoclue.newestRead, client.entitlement.level != .none,
      // A client learns of a region's change up to 20 s after the location that shows it.
      !world.geoclue.isPreferred(
        fix,
        at: parcel.member == "StateChanged"
          ? max(client.entitlement.since, world.schedule.now - 21_000_000) : world.schedule.now)
    {
      broken(
        "no location from before the last revocation is sent",
        "client \(client.number) gets fix \(fix.number), \(age) ms old, revoked "
          + "\((world.schedule.now - revoked) / 1_000) ms ago: \(parcel.story)")
    }
  }

  /// Checks that a location keeps the time at which it first reached the service. GeoClue announces it again whenever a
  /// compass turns.
  private func arrived(_ location: [String: Value], _ fix: Fix, _ parcel: Parcel) {
    let received = Int64(location["MonotonicUSec"]?.uint64 ?? 0)
    let first = arrivals[fix.number] ?? received
    arrivals[fix.number] = first
    let asleep = kernel_boottime() - kernel_monotonic()
    guard received != first, !world.geoclue.isStatic, !world.isBusFaulty, !fix.isReduced, first > world.wokeAtBoottime,
      world.geoclue.hasOnlyRepeated(fix, since: first - asleep - 1_000_000)
    else { return }
    broken("a location that GeoClue repeats is no new measurement", parcel.story)
  }

  /// Whether a reply contains a region's last event, which remains what it was.
  private func isLastEvent(_ parcel: Parcel, _ client: Client) -> Bool {
    guard parcel.kind == .reply else { return false }
    let call = open[SimulatedBus.Call(caller: client.name, serial: parcel.replySerial)]
    // The calls of a client that only makes calls are not recorded.
    return call?.path.contains("/region/") ?? client.onlyCalls
  }

  /// Messages that the service sent before it could know of the suspend.
  private var isCloseToWaking: Bool { world.sentSince - world.wokeAt < Entitlement.tolerance }

  static let cells: [AccuracyLevel: Double] = [
    .street: 500, .neighborhood: 3_000, .city: 15_000, .country: 300_000,
  ]

  private func reduced(_ location: [String: Value], _ level: AccuracyLevel, _ client: Client, _ parcel: Parcel) {
    guard let accuracy = location["Accuracy"]?.double, accuracy >= Self.cells[level] ?? 0 else {
      return broken("a reduced location is no finer than its level", parcel.story)
    }
    let time = location["Timestamp"]?.structure?.first?.uint64 ?? 0
    guard location["Remembered"] == nil else {
      if parcel.kind == .signal, parcel.member == "LocationUpdated" {
        broken("a subscription receives no remembered location", parcel.story)
      }
      if !world.remembers { broken("nothing is remembered if that is not configured", parcel.story) }
      if Int64(time) > kernel_realtime() / 1_000_000 + 1, world.schedule.now - world.clockSetAt > 1_000_000 {
        broken("no remembered location is from the future", "client \(client.number): \(parcel.story)")
      }
      // A program with the client library may have received it.
      let isShared = world.libraries.contains { $0.user == client.user }
      if records[client.user]?[time] == nil, !world.isBusFaulty, !isShared {
        broken("a remembered location was received by the same user", "client \(client.number): \(parcel.story)")
      }
      if let newest = townTimes[client.user], time < newest {
        broken("a user's last town is remembered", "\(newest - time) s older: \(parcel.story)")
      }
      return
    }
    records[client.user, default: [:]][time] = world.schedule.now
    if level == .country, let latitude = location["Latitude"]?.double, let town = towns[client.user],
      // The middle of a country's cell is less than 212 km away from each point of it.
      Self.distance(latitude, town) > 100_000
    {
      (towns[client.user], countryTimes[client.user]) = (nil, time)
    }
    if Int64(location["MonotonicUSec"]?.uint64 ?? 0) > forgottenUntil[client.user] ?? .min {
      noteTown(level, time, location["Latitude"]?.double, of: client, parcel.member)
    }
    // The evidence of a region may be older.
    if parcel.member != "StateChanged", !isLastEvent(parcel, client) { pace(location, level, parcel) }
    if Int64(location["MonotonicUSec"]?.uint64 ?? 0) < world.wokeAtBoottime, !isCloseToWaking,
      !isLastEvent(parcel, client)
    {
      broken("no reduced location from before the last suspend is sent", parcel.story)
    }
    let isFine = ["Altitude", "Speed", "Heading", "Description"].contains { location[$0] != nil }
    if isFine || location["Source"] != .string("unknown") {
      broken("a reduced location contains nothing of a finer one", "\(location): \(parcel.story)")
    }
    if let latitude = location["Latitude"]?.double, world.fixes[latitude.bitPattern] != nil {
      broken("a reduced location is the centre of a cell", parcel.story)
    }
    contains(location, level, parcel)
  }

  /// A client has received a reduced location. The service remembers it if it knows the client's session.
  private func noteTown(
    _ level: AccuracyLevel, _ time: UInt64, _ latitude: Double?, of client: Client, _ member: String
  ) {
    guard level <= .city, member == "LocationUpdated", world.remembers, world.users.contains(client.user),
      !world.isSession, !world.isBusFaulty, client.isReading, !world.mayShareAccount(client),
      !world.truth.mayBeForbidden(client.user), world.truth.changedAt < world.schedule.now - 1_000_000,
      erasedUntil[client.user].map({ $0 < world.schedule.now }) ?? true
    else { return }
    // A country does not replace a town that it contains. After a change of the clock, a location may be from the
    // future.
    let isKnown =
      level == .city && Int64(time) <= kernel_realtime() / 1_000_000 && time >= countryTimes[client.user] ?? 0
    townTimes[client.user] = max(townTimes[client.user] ?? 0, isKnown ? time : 0)
    if level == .city { towns[client.user] = isKnown ? latitude : nil }
  }

  /// A call that permits the user's remembered town was not answered.
  func missed(_ record: [Substring]?, since begin: Int64, by client: Client) {
    guard let record, record.count > 4, record[0] == "city", world.remembers, !world.isBusFaulty, !world.isSession,
      world.record(of: client.user) == record, Int64(record[4]) ?? .max <= kernel_realtime() / 1_000_000,
      client.entitlement.level >= .city, client.entitlement.since < begin - 1_000_000,
      max(world.clockSetAt, world.wokeAt) < begin,
      // Otherwise a location of the source takes precedence.
      let servingSince = world.servingSince, world.geoclue.lastReadAt < servingSince,
      world.truth.changedAt < begin - 3_000_000, world.polkit.answersSoon, world.logind.answersSoon
    else { return }
    broken("a remembered town answers a call that permits its age", "client \(client.number): \(record)")
  }

  /// Checks that a town that a client has received after a long sleep, and thus after a long time without another, is
  /// recorded at once.
  func recorded(_ client: Client) {
    let user = client.user
    guard isRemembered(user) else { return }
    for subscription in client.subscriptions where subscription.level == .city {
      guard let last = subscription.last, last.level == "city", subscription.lastLocationAt > world.wokeAt,
        let record = world.record(of: user), record.first == "city", Double(record[1]) != last.latitude
      else { continue }
      broken("a user's new town is recorded", "\(record) of \(user), not \(last.latitude)")
    }
  }

  /// Whether the service knows a user well enough to remember what it sends to the user's programs now.
  private func isRemembered(_ user: UInt32) -> Bool {
    world.remembers && !world.isSession && !world.isBusFaulty && !world.truth.mayBeForbidden(user)
      && world.truth.session(of: user) == .active && world.mayKnowSession(of: user, at: world.wokeAt)
      && forgottenUntil[user] ?? .min < world.wokeAtBoottime
      && erasedUntil[user].map { $0 < world.schedule.now } ?? true
  }

  /// Checks that the town of an almanac that was sent after a long sleep is recorded at once if there was no record.
  func recordedAlmanac(of client: Client) {
    let awake = (world.schedule.now - world.wokeAt) / 1_000_000
    guard isRemembered(client.user), world.clockSetAt < world.wokeAt, client.isReading,
      client.entitlement.level >= .city, client.entitlement.since < world.wokeAt, let almanac = client.almanac,
      almanac.values["Remembered"] == nil,
      almanac.at > world.wokeAt, let time = almanac.values["Timestamp"]?.structure?.first?.uint64,
      Int64(time) > kernel_realtime() / 1_000_000 - awake - 5, world.record(of: client.user) == nil
    else { return }
    broken("the town of an almanac is remembered", "client \(client.number) of \(client.user)")
  }

  /// Checks that the record that a user had four seconds ago, before an agent turned location off, has been erased.
  func erased(_ record: [Substring]?, of client: Client) {
    let begin = world.schedule.now - 5_000_000
    guard let record, client.isConnected, !world.isBusFaulty, world.servingSince.map({ $0 < begin }) ?? false,
      world.truth.authorization(of: client, asking: .exact).reason == "disabled-by-user",
      world.polkit.answersSoon, world.logind.answersSoon, world.record(of: client.user) == record
    else { return }
    broken("a user's record is erased when location is turned off", "\(record) of \(client.user)")
  }

  /// Notes that all records from before a time have been erased.
  func forgetRecords(before time: Int64 = .max) {
    forgetTowns { _ in true }
    records = records.mapValues { $0.filter { $0.value >= time } }
  }

  /// A user's session has become inactive, which is no refusal of that user.
  func switched(_ user: UInt32) {
    guard world.record(of: user) != nil, world.serviceName != nil, !world.isBusFaulty else { return }
    world.schedule.after(2_000_000) { [self] in
      guard world.record(of: user) == nil, forgottenUntil[user] ?? .min < kernel_boottime() - 8_000_000 else { return }
      broken("only a refusal of a user erases the user's record", "\(user) has been switched away from")
    }
  }

  /// Notes that the records of some users may have been erased.
  func forgetTowns(where isConcerned: (UInt32) -> Bool) {
    townTimes = townTimes.filter { !isConcerned($0.key) }
    for user in world.users where isConcerned(user) { forgottenUntil[user] = kernel_boottime() + 4_000_000 }
  }

  /// A client was told or has read the reason of its authorization.
  func showed(_ reason: String, to client: Client, _ story: String) {
    // polkit also forbids everything while the session is inactive, which the service may not have learnt yet.
    guard reason == "disallowed-by-policy", client.user >= 1_000, !world.truth.mayBeForbidden(client.user),
      !(1..<50_000).contains(world.truth.activeTime(of: client.user))
    else { return }
    broken("a policy is reported as forbidding only if it was", story)
  }

  /// How long the service may not learn of a session because logind hangs.
  private static let longestHang: Int64 = 60_000_000

  /// Whether a refusal concerns a user rather than one program, which erases the user's record.
  private static func erases(_ status: String, _ reason: String) -> Bool {
    ["denied", "restricted"].contains(status)
      && !["session-inactive", "sandboxed", "policy-unavailable", "disallowed-by-configuration"].contains(reason)
  }

  /// A client is told its authorization.
  private func toldAuthorization(_ parcel: Parcel) {
    guard parcel.values.count == 2, let status = parcel.values[0].string, let reason = parcel.values[1].string else {
      return
    }
    // With polkit's answers from before a return of the session, this may be wrong for a moment.
    if Self.erases(status, reason), let user = parcel.destination.flatMap({ world.bus.peers[$0]?.user }) {
      forgetTowns { $0 == user }
    }
    guard let client = world.clients.first(where: { $0.name == parcel.destination }) else { return }
    if reason == "session-inactive", world.truth.activeTime(of: client.user) > Self.longestHang {
      broken("a session is reported as inactive only if it was", parcel.story)
    }
    // The second answer of polkit that a change has overtaken is used, and so is one from before logind did not answer.
    let isOvertaken = [world.polkit, world.logind].contains { (service: SystemService) in
      !service.answersSoon || service.slowAt > world.schedule.now - 3_000_000
    }
    // After a bus that stalled, polkit may answer before logind.
    if !isOvertaken, world.settledAt < world.schedule.now - 2_000_000 {
      showed(reason, to: client, parcel.story)
      // In a storm, the service may learn of a new answer of polkit before it learns that the agent has left.
      if status.hasPrefix("authorized"), world.isQuiet(at: world.schedule.now), finestLevel(of: client) == .none {
        broken("access is reported only to a client that has it", parcel.story)
      }
    }
    // A client of GeoClue outlives its agent until it is replaced.
    let hasRefused =
      !world.geoclue.hasActiveClient
      && world.agents.allSatisfy {
        $0.isConnected && $0.level == .none && max($0.changedAt, $0.connectedAt) < world.schedule.now - 500_000
      }
    if world.isSession, status.hasPrefix("authorized"), hasRefused, world.sentSince == world.schedule.now {
      broken("access is reported only while GeoClue permits it", parcel.story)
    }
    if reason == "reduced-accuracy", parcel.path.contains("/almanac/"), world.sentSince == world.schedule.now,
      !world.truth.mayKnowOnlyCountry(client.user)
    {
      broken("an almanac needs no more than the town", parcel.story)
    }
    guard Self.erases(status, reason) else { return }
    // It may be told some time after the decision.
    let time = world.schedule.now - 10_000_000
    records[client.user] = records[client.user]?.filter { $0.value > time }
    world.schedule.after(1_000_000) { [world, since = client.entitlement.since] in
      guard client.isConnected, client.entitlement.since == since, client.entitlement.level == .none,
        world.truth.authorization(of: client, asking: .exact).reason == reason,
        world.record(of: client.user) != nil
      else { return }
      world.checks.broken("a refusal erases the user's record", "\(client.user): \(reason)")
    }
  }

  /// A user has turned location off some seconds ago, which erases the user's record.
  func turnedOff(_ user: UInt32) {
    let isKnown = world.clients.contains {
      $0.user == user && $0.isReading && $0.isConnected && $0.connectedAt < world.schedule.now - 4_900_000
        && world.truth.authorization(of: $0, asking: .exact).reason == "disabled-by-user"
        && $0.entitlement.level == .none
    }
    guard isKnown, world.servingSince != nil else { return }
    records[user] = nil
    turnedOffUsers.insert(user)
  }

  private static func location(in values: [Value]) -> [String: Value]? {
    for value in values {
      let value = value.unwrapped
      if let properties = value.properties {
        // A region's own properties contain its centre, which its program knows.
        if properties["Latitude"] != nil, properties["Radius"] == nil { return properties }
        if let found = location(in: properties.keys.sorted().compactMap { properties[$0] }) { return found }
      }
      if let elements = value.array ?? value.structure, let found = location(in: elements) { return found }
    }
    return nil
  }

  private func answer(_ location: [String: Value], _ call: OpenCall) {
    let age = Int64(location["Age"]?.uint32 ?? 0)
    let waited = (world.schedule.now - call.time) / 1_000
    // A cached location that was young enough when the call was made may wait for a decision. The time asleep counts for
    // the age of a location, but not for the wait of a call. The first report of a GeoClue client also counts as new if
    // that client was started after the call.
    var oldest = call.wish.maximumAge + waited
    let isAgeCertain = !isCloseToWaking && world.schedule.now - world.clockSetAt > 1_000_000
    if location["Remembered"] != nil, isAgeCertain,
      age > call.wish.maximumAge + waited + 200 || call.wish.maximumAge == 0
    {
      broken("a remembered location is as young as its caller requires", "\(age) ms, \(call.wish.maximumAge) ms")
    }
    // At the timeout, the best location may be no older than the caller permits, or than the call.
    let isAtEnd = call.wish.isBestEffort && !call.wish.isImmediate && waited >= call.wish.timeout
    if isAtEnd { oldest = max(call.wish.maximumAge, waited) }
    let isExact = location["Level"]?.string == "exact"
    if isExact, age > oldest + 200, !isCloseToWaking, world.geoclue.reportedAt < call.time {
      broken("a location is no older than its caller permits", "\(age) ms, permitted \(call.wish.maximumAge) ms")
    }
    if isAtEnd, isExact { best(location, call) }
    let isOldCell = !isExact && location["Remembered"] == nil && age > oldest + 200
    // One of the interval in which the call was made may become older than permitted by the timeout.
    let wasOldCell = isOldCell && age > call.wish.maximumAge + waited + 200
    if isFromBeforeRefusal(location, toldBefore: call.time, call.client)
      || wasOldCell && hasNoneSinceRefusal(of: call.client, call.time)
    {
      broken(
        "no location from before a reported refusal answers a call",
        "client \(call.client.number) called \((world.schedule.now - call.time) / 1_000) ms ago, \(age) ms old, "
          + "refused \(call.client.subscriptions.map { (world.schedule.now - $0.refusedAt) / 1_000 }) ms ago")
    }
    let received = Int64(location["MonotonicUSec"]?.uint64 ?? 0)
    let calledAt = call.time + kernel_boottime() - world.schedule.now - 1_000_000
    if isOldCell, let interval = Self.intervals[Self.level(of: location)],
      (location["Sequence"]?.uint64 ?? 0) &- 1 < UInt64(calledAt) / interval / 1_000_000, world.wokeAt < call.time
    {
      broken(
        "a call is answered with the location of the present interval",
        "\(age) ms: client \(call.client.number), \(location["Level"]?.string ?? ""), permitted \(call.wish)")
    }
    let real = (kernel_boottime() - received) / 1_000
    if received > 0, !isCloseToWaking, world.sentSince == world.schedule.now, abs(age - real) > 200 {
      broken("the age of a location is true", "\(age) ms instead of \(real) ms")
    }
    // The time asleep does not count for the wait of a call.
    let mayBeWorse =
      call.wish.isBestEffort && (isAtEnd || call.wish.isImmediate || world.wokeAt > call.time || !isExact)
    if !mayBeWorse, location["Accuracy"]?.double ?? .infinity > call.wish.accuracy {
      broken("a location is as accurate as its caller requires", "required \(call.wish.accuracy) m")
    }
  }

  /// A call in a quiet time was answered at its timeout, with the most accurate location since it was made.
  private func best(_ location: [String: Value], _ call: OpenCall) {
    let (begin, now) = (call.time + 1_000_000, world.schedule.now)
    guard world.isQuiet(at: begin), call.client.entitlement.since < call.time, !world.polkit.isInDoubt,
      // An outlier may be the last location for 30 s.
      max(world.movedAt, world.outlierAt, world.wokeAt, world.clockSetAt, world.geoclue.startedAt) < begin - 40_000_000,
      let finest = world.fixes.values.filter({
        $0.measuredAt > begin && (world.geoclue.lastReads[$0.number] ?? .max) < now - 1_000_000
      }).map(\.accuracy).min()
    else { return }
    let accuracy = location["Accuracy"]?.double ?? .infinity
    guard accuracy > finest else { return }
    broken("a best-effort call returns the most accurate location", "\(accuracy), not \(finest) m")
  }

  /// Whether an exact location was read before the end of a refusal that a client had been told before a call.
  private func isFromBeforeRefusal(_ location: [String: Value], toldBefore time: Int64, _ client: Client) -> Bool {
    client.subscriptions.contains {
      $0.isStarted && $0.refusedAt < time && precedesRefusal(of: $0, client, location["Latitude"]?.double ?? .nan)
    }
  }

  /// Whether no location has been read since shortly before the last refusal that a client was told before a call.
  /// Otherwise, the location of the present interval is returned whatever its age.
  private func hasNoneSinceRefusal(of client: Client, _ time: Int64) -> Bool {
    let refusedAt = client.subscriptions.map(\.refusedAt).max() ?? .min
    return refusedAt > 0 && refusedAt < time
      && !world.geoclue.lastReads.values.contains { $0 > refusedAt - 5_000_000 }
  }

  /// A program that GeoClue's configuration disallows receives nothing.
  func named(_ isNamed: Bool, _ parcel: Parcel) {
    guard isNamed, let since = world.disallowedSince, world.sentSince - since > Entitlement.tolerance else { return }
    broken("a program that GeoClue disallows receives nothing", parcel.story)
  }

  /// An event of a region reveals no more than its client's level.
  private func told(_ event: [String: Value], of owner: Owner, _ parcel: Parcel) {
    guard let radius = owner.radius, let state = event["State"]?.string, state != "unknown",
      let client = world.clients.first(where: { $0.name == parcel.destination })
    else { return }
    named(owner.isNamed, parcel)
    let level = finestLevel(of: client)
    // As of locations, GeoClue has reduced it itself.
    if world.isSession, level > .none, origin(of: [:], at: .street)?.isReduced == true { return }
    guard level == .exact || Self.cells[level].map({ $0 <= radius }) ?? false else {
      return broken("a region reveals no more than its client may receive", "entitled to \(level): \(parcel.story)")
    }
  }

  private static let intervals: [AccuracyLevel: UInt64] = [.street: 10, .neighborhood: 60, .city: 300, .country: 900]

  /// A reduced location must not change more often than its level allows. It is determined once in each interval of the
  /// boot clock, for all clients, by its first location or else the last one before.
  private func pace(_ location: [String: Value], _ level: AccuracyLevel, _ parcel: Parcel) {
    let length = (Self.intervals[level] ?? 1) * 1_000_000
    let interval = (location["Sequence"]?.uint64 ?? 0) &- 1
    let measuredAt = location["MonotonicUSec"]?.uint64 ?? 0
    guard (measuredAt / length...UInt64(kernel_boottime()) / length).contains(interval) else {
      return broken("the number of a reduced location is that of its interval", parcel.story)
    }
    // One that was held back may have arrived before the interval before.
    if interval * length > measuredAt + length + UInt64(FixArbiter.staleAfter.microseconds) + 1_000_000 {
      broken("a reduced location is not older than the interval before", parcel.story)
    }
    let new = ReducedLocation(
      interval: interval,
      latitude: location["Latitude"]?.double ?? 0, longitude: location["Longitude"]?.double ?? 0,
      measuredAt: measuredAt,
      timestamp: location["Timestamp"]?.structure?.first?.uint64 ?? 0,
      accuracy: location["Accuracy"]?.double ?? 0, sequence: location["Sequence"]?.uint64 ?? 0, sleeps: world.sleeps)
    // An answer that waited for the bus may belong to an earlier interval.
    var recent = (reducedLocations[level] ?? []).filter { $0.sleeps == new.sleeps }
    let before = recent.first { $0.interval == new.interval }
    if let before, before != new {
      broken("a reduced location changes only once in its interval", "\(before), then \(new): \(parcel.story)")
    }
    if before == nil { recent.append(new) }
    reducedLocations[level] = recent.suffix(8)
  }

  // MARK: - Economy

  /// The most bytes that the bus may hold for a client that does not read.
  private static let mostUnread = 1_400_000
  /// The most bytes that the service may queue while the bus reads nothing, and that its socket holds.
  private static let mostQueued = 800_000
  /// With more unread bytes, nothing is sent except what the client has called for.
  private static let tooMuchUnread = 1_120_000
  /// With more unread bytes, the service pings the client, waits for 5 s, and then sends it one location a minute.
  static let muchUnread = 280_000

  private func economy(_ parcel: Parcel) {
    // Messages that waited for the bus arrive in a burst.
    if world.sentSince < world.schedule.now { (shares, hoards) = ([:], [:]) }
    // What arrives at once when the bus works again has been in the service's memory.
    let isQueued = (0..<5_000).contains(world.schedule.now - world.stalled.upperBound)
    queued = isQueued ? queued + parcel.size : 0
    if queued > Self.mostQueued { broken("the service queues little for the bus", "\(queued) bytes") }
    // A service that stops answers all calls that wait with an error.
    let isHandled =
      parcel.kind == .reply
      || parcel.kind == .error && !["LimitsExceeded", "Unavailable"].contains { parcel.errorName.hasSuffix($0) }
    if let peer = parcel.destination.flatMap({ world.bus.peers[$0] }) {
      if parcel.isPing { pinged(peer, through: parcel.sender) } else { peer.unproven += parcel.size }
      // The burst is 400 calls, and up to 256 that wait may be answered together.
      if isHandled { take("answers to \(peer.user)", 700, 420, "a user's calls are handled at their rate") }
    }
    guard let name = parcel.destination else {
      if parcel.sender == world.serviceName { take("all", 24, 2.2, "programs are told the service's state rarely") }
      return
    }
    guard let client = world.clients.first(where: { $0.name == name }) else { return }
    if parcel.kind == .reply {
      for number in turns.keys.sorted() where world.crowdedAt[client.user] == turns[number]?.since {
        turns[number]?.answers += 1
      }
    }
    if client.unread > Self.mostUnread {
      broken("a client that does not read is sent little", "client \(client.number): \(client.unread) bytes")
    }
    // Calls do not show that it reads. A part of the bytes is forgiven each second.
    let forgiven = Int((world.schedule.now - client.heldSince) / 1_000_000) * 8_192
    if client.heldBytes > 5_200_000 + forgiven, !world.isBusFaulty {
      broken("a client that only calls is sent little", "client \(client.number): \(client.heldBytes) bytes")
    }
    hoarded(parcel, client)
    if parcel.member == "LocationUpdated" { client.sentLocationAt = world.schedule.now }
    if isHandled {
      // The answers to pending calls may arrive together.
      take("client \(client.number) as \(client.connections)", 220, 52, "a client's calls are handled at their rate")
    }
    guard ["AuthorizationChanged", "PropertiesChanged"].contains(parcel.member),
      // What an object has not reported yet precedes its end, for which its client has called.
      !client.closed.contains(parcel.path)
    else { return }
    // A service that is stopped reports once more what each object has not reported yet. In the session deployment, all
    // objects are one user's.
    let burst: Double = world.isSession ? 700 : 560
    take("\(parcel.member) to user \(client.user)", burst, 66, "a user receives no more reports than its share")
  }

  /// - Parameter burst: How many messages the receiver may have in a burst.
  private func take(_ receiver: String, _ burst: Double, _ perSecond: Double, _ rule: String) {
    let now = world.schedule.now
    var share = shares[receiver] ?? Share(left: burst, at: now)
    share.left = min(burst, share.left + Double(now - share.at) / 1_000_000 * perSecond) - 1
    share.at = now
    shares[receiver] = share
    if share.left < 0 { broken(rule, receiver) }
  }

  nonisolated private struct Share {
    var left: Double
    var at: Int64
  }

  /// The service pings a program that may not have read much, or one of an account whose programs may not have read very
  /// much together.
  private func pinged(_ peer: Peer, through name: String) {
    if name != world.serviceName, pingConnections.insert(name).inserted {
      for other in pingConnections.sorted() where other != name && world.bus.peers[other] != nil {
        let count = world.bus.pending.keys.count { $0.caller == other }
        if count < Self.fewPings { broken("the service pings through few connections", "\(count) of \(other)") }
      }
    }
    let isAgain = peer.owesAnswer
    peer.owesAnswer = true
    // The answer to a ping of an earlier service proves nothing to the next one.
    guard !isAgain, peer.unproven < Self.muchUnread * 2 / 3, !world.isBusFaulty,
      world.servingSince.map({ $0 < world.schedule.now - 10_000_000 }) ?? false
    else { return }
    let mayShare = peer.user >= 1_000 && (peer as? Client).map { world.mayShareAccount($0) } ?? true
    let sum = world.bus.peers.values.reduce(0) { sum, other in
      guard other.user == peer.user || mayShare && other.user >= 1_000 else { return sum }
      return sum + other.unproven + (other.proven.at > world.schedule.now - 1_000_000 ? other.proven.bytes : 0)
    }
    if sum < 3_000_000 { broken("a program that reads is pinged rarely", "\(peer.name): \(peer.unproven) bytes") }
  }

  private func hoarded(_ parcel: Parcel, _ client: Client) {
    guard client.unread > Self.muchUnread else {
      hoards[client.number] = nil
      return
    }
    let now = world.schedule.now
    var hoard = hoards[client.number] ?? (now, [:])
    defer { hoards[client.number] = hoard }
    guard parcel.member == "LocationUpdated", now - hoard.since > 7_000_000 else { return }
    if client.unread > Self.tooMuchUnread {
      broken("a client that has not read for long is sent nothing", "client \(client.number): \(client.unread) bytes")
    }
    if let last = hoard.sent.updateValue(now, forKey: parcel.path), now - last < 50_000_000 {
      broken("a client that does not read receives locations once a minute", "client \(client.number): \(parcel.story)")
    }
  }

  /// Checks how often in a minute the service starts GeoClue or creates a GeoClue client.
  func geoclueCalled(_ member: String, atMost limit: Int) {
    let now = world.schedule.now
    let times = requests[member, default: []].filter { $0 > now - 60_000_000 } + [now]
    requests[member] = times
    if times.count > limit { broken("GeoClue is asked rarely", "\(times.count) times \(member) in a minute") }
  }
}
