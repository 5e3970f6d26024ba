// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistSimulatedKernel

/// A measurement by GeoClue.
struct Fix {
  /// The number of measurements so far, including this one.
  let number: Int
  let latitude: Double
  let longitude: Double
  /// In metres; infinite if GeoClue does not know it.
  let accuracy: Double
  /// Seconds since 1970.
  let timestamp: UInt64
  /// Microseconds of the monotonic clock.
  let measuredAt: Int64
  /// Microseconds of the boot clock.
  let measuredAtBoottime: Int64
  /// The number of suspends so far.
  let sleeps: Int
  /// Whether it is an outlier.
  let isOutlier: Bool
  /// Whether GeoClue has reduced it for a client that requested less.
  var isReduced = false
  /// Whether GeoClue reports a later time.
  var isAhead = false
  /// Which of its values are absurd.
  var defect: Defect?

  enum Defect: CaseIterable {
    case nanLatitude, latitude, longitude, infiniteLongitude
    case speed, altitude, text, nanAltitude

    /// Whether the service must ignore the location.
    var isInvalid: Bool { [.nanLatitude, .latitude, .longitude, .infiniteLongitude].contains(self) }
  }

  /// What GeoClue 2.6 reports while its receiver has no fix. It may be scrambled.
  static func unmeasured(latitude: Double, accuracy: Double) -> Fix {
    Fix(
      number: 0, latitude: latitude, longitude: 0, accuracy: accuracy, timestamp: 0, measuredAt: 0,
      measuredAtBoottime: 0, sleeps: 0, isOutlier: false)
  }
}

/// GeoClue with its quirks: `CreateClient` without an agent waits until there is one; `GetAll` from another connection
/// returns an empty dictionary; `LocationUpdated` may precede the reply to `Start`; a location object is removed 5 s
/// after the second update that follows it; if an agent turns location off and on again, GeoClue restarts the clients
/// that it has stopped.
final class GeoClue: SystemService {
  static let service = "org.freedesktop.GeoClue2"
  private static let root = "/org/freedesktop/GeoClue2"
  static let manager = "org.freedesktop.GeoClue2.Manager"
  private static let client = "org.freedesktop.GeoClue2.Client"
  private static let location = "org.freedesktop.GeoClue2.Location"
  private static let idleTime: Int64 = 60_000_000

  private final class Held {
    let path: String
    let owner: String
    let user: UInt32
    let madeAt: Int64
    var settings: [String: Value] = ["DesktopId": .string(""), "RequestedAccuracyLevel": .uint32(4)]
    var location = "/"
    var isActive = false
    var isStoppedByAgent = false
    var updates: [String] = []
    /// Whether it receives nothing more because its receiver is lost.
    var isSilent = false

    /// What the agent of its user permits.
    var permitted: UInt32 = 8
    /// Whether it may receive a receiver's measurements.
    var isFine: Bool { min(permitted, settings["RequestedAccuracyLevel"]?.uint32 ?? 0) >= 8 }

    init(_ path: String, _ owner: String, _ user: UInt32, at time: Int64) {
      (self.path, self.owner, self.user, madeAt) = (path, owner, user, time)
    }
  }

  private var held: [Held] = []
  private var agents: [UInt32: (owner: String, level: UInt32)] = [:]
  /// The calls that request a client for users without an agent, since when they wait, and how often their senders have
  /// asked since then for what is available.
  private var waiting: [(user: UInt32, call: Parcel, since: Int64, questions: Int)] = []
  private var places: [String: (owner: String, fix: Fix)] = [:]
  private var made = 0
  private var madePlaces = 0
  private var current: Fix? {
    didSet {
      if current?.number.isMultiple(of: 50) ?? true { older = current }
    }
  }
  /// What another source measured earlier. While another program uses GeoClue, a new client receives this first.
  private var older: Fix?
  /// The last location of clients that may not receive a receiver's measurements.
  private var coarse: Fix?
  /// Whether GeoClue has locations for clients that may not receive a receiver's measurements.
  lazy var hasCoarse = !isStatic && chance.percent(50)
  /// 6 to 8, for 2.6 to 2.8.
  private lazy var version = chance.number(in: isStatic ? 7...8 : 6...8)
  /// Whether it is GeoClue 2.6, which also reports 0,0 without a fix, and locations of unknown accuracy.
  private var isOld: Bool { version == 6 }
  /// Whether another program uses it, too, so that it still has its last location for a new client.
  private lazy var isShared = isStatic || chance.percent(30)
  /// The number of consecutive good fixes.
  private var steadyFixes = 0
  private var isOutlierDue = false
  private(set) var startedAt: Int64 = .min / 2
  /// When a client was last started.
  private(set) var heldAt: Int64 = .min / 2
  /// When it first started a client since its own start.
  private var firstHeldAt: Int64?
  /// Whether its next exit does not count as a crash at start-up, after which the service would wait for longer.
  var hasWorkedLong: Bool { isRunning && firstHeldAt.map { $0 < world.schedule.now - Self.steadyTime } ?? false }
  /// More than ``ConnectionPacing/steadyRun``.
  private static let steadyTime: Int64 = 31_000_000
  /// When active clients last lost their receiver.
  private(set) var silentAt: Int64 = .min / 2
  private var idleSince: Int64 = 0
  /// The time between two fixes, in microseconds.
  var interval: Int64 {
    get { isStatic ? .max / 4 : regularInterval }
    set { (regularInterval, steadyFixes) = (newValue, 0) }
  }
  private var regularInterval: Int64 = 1_000_000
  /// Whether its only source is a file with the machine's place, which it asserts to each new client.
  private(set) lazy var isStatic = world.seed % 5 == 2
  /// Whether it determines that place from the machine's network address instead.
  private(set) lazy var isByAddress = world.seed % 10 == 2
  /// Whether the receiver has a fix.
  var hasSource = true
  /// Whether it has lost its receiver, but knows which wireless networks are near.
  private(set) var hasOnlyNetworks = false
  /// Whether polkit's rules may have changed whenever it announces a location.
  var raisesDoubt = false
  /// Whether a client first receives the location of a network, before the receiver has a fix.
  var beginsCoarse = false
  /// Whether a receiver needs some seconds before it has a fix for a client.
  var beginsLate = false
  /// Whether a receiver measures to within 12 m.
  var isPrecise = false
  /// Whether the receiver's date is a day ahead.
  var isAhead = false
  /// Which values of its locations are absurd.
  var defect: Fix.Defect? { didSet { defectAt = world.schedule.now } }
  /// When it last began or ceased to report absurd values.
  private(set) var defectAt: Int64 = .min / 2
  /// How far the receiver's locations are to the north of the machine, in degrees.
  var offset = 0.0
  /// Whether it repeats the last fix now and then, as it does with a compass.
  var hasCompass = false

  init(_ world: World) {
    super.init(world, Self.service, user: 984)
    matches = [Match("type='signal',path='\(Agent.path)',interface='\(Self.properties)'")]
  }

  /// Since when it has been able to serve clients.
  var worksSince: Int64 {
    guard hasSource, !world.geoclueFails, answersSoon || !isRunning, refusals == nil, !isForbidden else { return .max }
    let permittedAt = world.isSession ? world.agents.map { max($0.changedAt, $0.connectedAt) }.max() ?? 0 : 0
    return max(slowAt, sourceAt, silentAt, unmeasuredAt, world.geoclueChangedAt, permittedAt)
  }

  /// Whether the agent of its only user forbids everything, or there is none.
  var isForbidden: Bool {
    world.isSession && !world.agents.contains { $0.isConnected && $0.level != .none && !$0.rejects }
  }

  /// When it last reported a location that its receiver had not measured.
  private(set) var unmeasuredAt: Int64 = .min / 2

  /// When it last lost or got its source.
  private(set) var sourceAt: Int64 = .min / 2

  func setSource(_ isThere: Bool) {
    guard hasSource != isThere else { return }
    (hasSource, sourceAt) = (isThere, world.schedule.now)
    if isRunning { tellAvailable() }
    world.truth.changed("GeoClue's source is \(isThere ? "back" : "lost")")
    moved()
  }

  /// The fixes that the service has read recently.
  private var reads: [(time: Int64, number: Int, fix: Fix, isNew: Bool)] = []
  /// When the service last read each fix. GeoClue reports its last one to a new client again.
  private(set) var lastReads: [Int: Int64] = [:]
  /// When the service last read any location.
  private(set) var lastReadAt: Int64 = .min / 2
  /// The newest fix that the service must know by now, because it read that fix more than 200 ms ago.
  var newestRead: Int {
    let end = world.schedule.now - Entitlement.tolerance
    // One that the service had read before it released GeoClue may have been held back.
    return reads.last { $0.time < end && $0.time > heldAt }?.number ?? 0
  }

  /// Whether the service has read a new location in a time.
  func hasBeenRead(in time: Range<Int64>) -> Bool { reads.contains { time.contains($0.time) && $0.isNew } }

  /// Whether the service has read no other location since a time.
  func hasOnlyRepeated(_ fix: Fix, since time: Int64) -> Bool {
    unmeasuredAt < time && lastReads.allSatisfy { $0.key == fix.number || $0.value < time }
  }

  /// Whether the service has read such a location in a time, also one of several in a second.
  func hasRead(_ time: Range<Int64>, _ isSuch: (Fix) -> Bool) -> Bool {
    world.fixes.values.contains { isSuch($0) && lastReads[$0.number].map(time.contains) ?? false }
  }

  /// Whether the machine has left the place of a fix: the last measurements that the service has read since it started
  /// GeoClue are later ones from elsewhere.
  func hasLeft(_ fix: Fix) -> Bool {
    // A distant location that waits is dropped at a release, and waits again when it is read after the next start.
    let recent = reads.filter { $0.time > max(world.sentSince - 12_000_000, heldAt) }
    return recent.count > 5
      && recent.allSatisfy { $0.number > fix.number && Checks.distance($0.fix.latitude, fix.latitude) > 1_000 }
  }

  /// Whether, at a time, all locations that had been read since a fix was were too far away to be believed yet, or so much
  /// coarser that they were held back.
  func isPreferred(_ fix: Fix, at now: Int64) -> Bool {
    reads.allSatisfy {
      $0.number <= fix.number || $0.time > now
        || $0.time > now - FixArbiter.jumpPatience.microseconds
          && Checks.distance($0.fix.latitude, fix.latitude) > 1_000
        || $0.time > now - FixArbiter.staleAfter.microseconds && $0.fix.accuracy > grown(fix, until: $0.fix.measuredAt)
    }
  }

  /// The radius of a fix, and how far a device may have moved since.
  private func grown(_ fix: Fix, until time: Int64) -> Double {
    let begin = isStatic ? lastReads[fix.number] ?? fix.measuredAt : fix.measuredAt
    return fix.accuracy + FixArbiter.assumedSpeed * Double(time - begin) / 1_000_000
  }

  /// The numbers of the last jump that a coarse location followed, and of that location.
  private var contradicted: (jump: Int, by: Int)?

  /// Whether the service has read a coarse location from the right place while it held a jump back, some time ago.
  func contradicts(_ fix: Fix) -> Bool {
    guard let contradicted, contradicted.jump == fix.number, let read = lastReads[contradicted.by],
      let jumped = lastReads[fix.number]
    else { return false }
    return read < jumped + 4_000_000 && read < world.sentSince - Entitlement.tolerance
  }

  var hasBeenSteady: Bool { steadyFixes > 5 }

  /// What it reports as available.
  var available: AccuracyLevel { !hasSource ? .none : hasOnlyNetworks ? .city : .exact }

  /// The receiver is lost, which GeoClue tells, but wireless networks are seen. A client that has had an exact location
  /// receives no coarser one.
  func loseOnlyReceiver() {
    guard isRunning, hasSource, !isStatic else { return }
    for client in held where hasBeenSteady { client.isSilent = true }
    (hasOnlyNetworks, silentAt, current) = (true, world.schedule.now, nil)
    tellAvailable()
  }

  /// Whether a program waits for a client that receives nothing more.
  var isStuck: Bool { answersSoon && held.contains { $0.isActive && $0.isSilent } }

  func findReceiver() {
    guard hasOnlyNetworks else { return }
    hasOnlyNetworks = false
    if isRunning { tellAvailable() }
  }

  private func tellAvailable() {
    propertiesChanged("\(Self.root)/Manager", Self.manager, [("AvailableAccuracyLevel", .uint32(available.rawValue))])
  }

  /// The current clients lose the receiver, as when its socket is closed.
  func loseReceiver() {
    // A source counts as silent only after regular fixes to the same GeoClue client.
    guard hasBeenSteady, interval == 1_000_000, !hasCompass,
      held.allSatisfy({ $0.madeAt < world.schedule.now - 6_000_000 })
    else { return }
    for client in held { client.isSilent = true }
    silentAt = world.schedule.now
  }

  /// The receiver measures many times at once while GeoClue is too busy to answer, and then nothing for a while.
  func hurry() {
    guard interval == 1_000_000, hasActiveClient else { return }
    hang()
    measureOften(every: 20_000)
    world.schedule.after(1_000_000) { [self] in recover() }
  }

  /// The receiver measures once more, shortly after now.
  ///
  /// - Parameter accuracy: In metres, by default random.
  func measureSoon(in time: Int64 = 120_000, accuracy: Double? = nil) {
    guard interval == 1_000_000, hasActiveClient else { return }
    world.schedule.after(time) { [self] in
      if isRunning, hasActiveClient { report(world.measure(isFine: true, accuracy: accuracy)) }
    }
  }

  /// The receiver measures many times while polkit's answers are always in doubt, and then nothing for a while.
  func hurryInDoubt() {
    guard interval == 1_000_000, hasActiveClient else { return }
    world.polkit.flood(latency: 60_000...80_000)
    measureOften(every: 45_000)
  }

  /// Whether an outlier of 3 m is believed neither at once nor late: the service holds a coarser location back for
  /// longer, and believes one that is much finer.
  var rejectsOutliers: Bool {
    guard interval == 1_000_000, hasActiveClient, hasBeenSteady, let current else { return false }
    return !current.isOutlier && current.accuracy <= 12
  }

  /// The receiver measures a wrong place, and then nothing for a while. The service must believe it after some seconds.
  ///
  /// - Parameters:
  ///   - isCoarse: Whether the wrong location is coarser than the last one, but does not contain it, so that it is not held
  ///     back for longer.
  ///   - follows: Whether it follows a coarse location, which is held back.
  func jumpAlone(isCoarse: Bool, afterCoarse follows: Bool) {
    guard rejectsOutliers else { return }
    pause(for: 6_000_000)
    if follows { report(world.measure(isFine: true, accuracy: 600)) }
    report(world.measure(isFine: true, isOutlier: true, accuracy: isCoarse ? 300 : 3))
  }

  /// The receiver measures the right place coarsely, and then nothing for a while. The service must send the coarse
  /// location when the last good one is too old.
  ///
  /// - Parameter jumps: Whether it measures a wrong place before.
  func coarsen(jumps: Bool) {
    guard rejectsOutliers else { return }
    pause(for: 34_000_000)
    if jumps { report(world.measure(isFine: true, isOutlier: true, accuracy: 3)) }
    world.schedule.after(1_500_000) { [self] in
      guard isRunning, hasActiveClient else { return }
      let jump = current
      let coarse = world.measure(isFine: true, accuracy: 600)
      contradicted = jump.flatMap { $0.isOutlier ? ($0.number, coarse.number) : nil }
      report(coarse)
    }
  }

  /// The file with the machine's place may have changed.
  func moved() {
    if isStatic, isRunning { report(world.measure(isFine: true)) }
  }

  private func report(_ fix: Fix) {
    current = fix
    for client in held where client.isActive && client.isFine && !client.isSilent { update(client) }
  }

  /// Announces locations that are removed before they can be read, and at once a later one.
  func removeEarly() {
    guard interval == 1_000_000, hasActiveClient, hasSource, answersSoon else { return }
    for _ in 0..<20 {
      report(world.measure(isFine: true, accuracy: 5))
      for client in held { places[client.location] = nil }
    }
    report(world.measure(isFine: true, accuracy: 5))
    world.checks.unfailed()
  }

  /// Measures a number of times, by default each time more accurately.
  func measureOften(every time: Int64, _ count: Int = 20, accuracy: Double? = nil) {
    pause(for: max(6_000_000, Int64(count) * time))
    for index in 1...count {
      world.schedule.after(Int64(index) * time) { [self] in
        guard isRunning, hasActiveClient else { return }
        // A coarser location would not replace the previous one.
        report(world.measure(isFine: true, accuracy: accuracy ?? Double(23 - index)))
      }
    }
  }

  /// The receiver measures once, after `time`, and makes no regular measurement for `length`.
  ///
  /// - Parameter accuracy: In metres, by default random.
  func measureOnce(in time: Int64, of length: Int64, accuracy: Double? = nil) {
    pause(for: length)
    world.schedule.after(time) { [self] in
      if isRunning, hasActiveClient { report(world.measure(isFine: true, accuracy: accuracy)) }
    }
  }

  /// The receiver measures now, and GeoClue tells it after a time.
  func measureNow(toldIn time: Int64) {
    guard isRunning, hasActiveClient else { return }
    let fix = world.measure(isFine: true, accuracy: 5)
    world.schedule.after(time) { [self] in
      if isRunning, hasActiveClient { report(fix) }
    }
  }

  /// The receiver makes no regular measurements for a while.
  func pause(for time: Int64) { pausedUntil = world.schedule.now + time }
  private var pausedUntil: Int64 = .min / 2
  func pauseBriefly() { pausedUntil = max(pausedUntil, world.schedule.now + 3_000_000) }
  /// The latitude that each client must have received last.
  var newest: Double? {
    // One of unknown accuracy does not replace another.
    guard hasActiveClient, world.schedule.now <= pausedUntil, let current, current.accuracy.isFinite else { return nil }
    return current.latitude
  }

  /// The next measurement is wrong. A second wrong measurement in the same place would confirm the first.
  func jump() { isOutlierDue = current?.isOutlier != true }

  /// A path that GeoClue never announces, but another program does.
  static let forgedLocation = "\(root)/Client/1/Location/0"

  var newestClient: (path: String, owner: String)? { held.last.map { ($0.path, $0.owner) } }

  /// Whether the service still uses a client from before a time, although GeoClue has answered soon since then.
  func hasClient(from time: Int64) -> Bool {
    answersSoon && slowAt < time && held.contains { $0.madeAt < time && $0.isActive }
  }

  /// How many clients the service holds.
  var clientCount: Int { held.count }
  var hasActiveClient: Bool { held.contains { $0.isActive } }
  private(set) var lastFixAt: Int64 = .min / 2
  /// When a new client last received an older location of GeoClue.
  private(set) var reportedAt: Int64 = .min / 2
  /// Whether a call must have led to a new client, for which it measures.
  func measuresAgain(forCallAt time: Int64) -> Bool {
    measuresAtStart && slowAt < time - 30_000_000 && answersSoon
      && (time - 30_000_000..<time - 16_000_000).contains(measuredAt)
  }

  private var measuresAtStart: Bool { !isShared && hasSource && regularInterval > 10_000_000 }
  /// When it last made a measurement for a client that was there.
  private var measuredAt: Int64 = .min / 2

  override func started() {
    for agent in world.agents where world.isSession { agent.register() }
    matches = [Match("type='signal',path='\(Agent.path)',interface='\(Self.properties)'")]
    (held, agents, waiting, places, current, made) = ([], [:], [], [:], nil, 0)
    (idleSince, startedAt, coarse, steadyFixes) = (world.schedule.now, world.schedule.now, nil, 0)
    firstHeldAt = nil
    for agent in world.agents + world.seconds { agent.tell() }
    world.truth.changed("GeoClue starts")
    watchIdleness()
    if isStatic { current = world.measure(isFine: true) }
    measure()
  }

  override func exited() {
    held = []
    world.truth.changed("GeoClue exits")
  }

  private func watchIdleness() {
    let connections = connections
    world.schedule.after(5_000_000) { [weak self] in
      guard let self, isRunning, self.connections == connections else { return }
      if !held.isEmpty { idleSince = world.schedule.now }
      if world.schedule.now - idleSince >= Self.idleTime { return exit() }
      watchIdleness()
    }
  }

  // MARK: - Measurements

  private var usualAccuracy: Double? { hasOnlyNetworks ? 3_000 : nil }

  private func measure() {
    let connections = connections
    world.schedule.after(regularInterval) { [weak self] in
      guard let self, isRunning, self.connections == connections else { return }
      if hasSource, !isStatic, hasActiveClient || isShared, world.schedule.now > pausedUntil {
        if isShared || held.contains(where: { $0.isActive && $0.isFine && !$0.isSilent }),
          !(hasCompass && current != nil && chance.percent(40))
        {
          let isVague = isOld && !isOutlierDue && current?.accuracy.isFinite == true && chance.percent(5)
          current = world.measure(isFine: true, isOutlier: isOutlierDue, accuracy: isVague ? .infinity : usualAccuracy)
          measuredAt = world.schedule.now
          (steadyFixes, isOutlierDue) = (isOutlierDue || isVague ? steadyFixes : steadyFixes + 1, false)
        }
        if hasCoarse, held.contains(where: { !$0.isFine }) { coarse = world.measure(isFine: false) }
        for client in held where client.isActive && !client.isSilent { update(client) }
      }
      if isStatic, hasCompass {
        for client in held where client.isActive { update(client) }
      }
      measure()
    }
  }

  private func update(_ client: Held) {
    if let fix = client.isFine ? current : coarse { announce(fix, to: client) }
  }

  private func announce(_ fix: Fix, to client: Held) {
    madePlaces += 1
    let path = "\(client.path)/Location/\(madePlaces)"
    places[path] = (client.owner, fix)
    client.updates.append(path)
    if client.updates.count > 2 {
      let old = client.updates.removeFirst()
      world.schedule.after(5_000_000) { [weak self] in self?.places[old] = nil }
    }
    let before = client.location
    client.location = path
    if client.isFine, fix.number > 0 { lastFixAt = world.schedule.now }
    if raisesDoubt { world.polkit.raiseDoubt() }
    signal(
      client.path, Self.client, "LocationUpdated",
      [.objectPath(ObjectPath(unchecked: before)), .objectPath(ObjectPath(unchecked: path))], to: client.owner)
  }

  // MARK: - Clients and agents

  override func peerLeft(_ name: String) {
    held.removeAll { $0.owner == name }
    waiting.removeAll { $0.call.sender == name }
    for (user, agent) in agents.sorted(by: { $0.key < $1.key }) where agent.owner == name { agents[user] = nil }
    if held.isEmpty { forget() }
  }

  /// Without a client, it soon has no location.
  private func forget() {
    (coarse, steadyFixes) = (nil, 0)
    if !isShared { current = nil }
  }

  override func signalled(_ signal: Parcel) {
    guard signal.values.count == 3, let level = signal.values[1].properties?["MaxAccuracyLevel"]?.uint32 else { return }
    for (user, agent) in agents.sorted(by: { $0.key < $1.key }) where agent.owner == signal.sender {
      agents[user]?.level = level
      for client in held where client.user == user {
        client.permitted = level
        if level == 0, client.isActive {
          (client.isActive, client.isStoppedByAgent) = (false, true)
          propertiesChanged(client.path, Self.client, [("Active", .boolean(false))])
        } else if level > 0, client.isStoppedByAgent {
          activate(client)
        }
      }
    }
  }

  private func activate(_ client: Held) {
    (client.isActive, client.isStoppedByAgent) = (true, false)
    steadyFixes = 0
    noteRelease()
    heldAt = world.schedule.now
    firstHeldAt = firstHeldAt ?? heldAt
    propertiesChanged(client.path, Self.client, [("Active", .boolean(true))])
    // The network may have changed since the machine slept.
    if isByAddress, let fix = current, fix.sleeps < world.sleeps { current = world.measure(isFine: true) }
    guard (client.isFine ? current : coarse) != nil else { return }
    reportedAt = world.schedule.now
    if isShared, !isStatic, client.isFine, let older { announce(older, to: client) }
    update(client)
  }

  override func serve(_ call: Parcel) {
    guard let user = world.bus.peers[call.sender]?.user else { return }
    switch (call.interface, call.member) {
    case (Self.manager, "CreateClient"): create(call, user)
    case (Self.manager, "DeleteClient"):
      held.removeAll { $0.path == call.values.first?.objectPath?.rawValue && $0.owner == call.sender }
      if held.isEmpty {
        forget()
        emptySince = world.schedule.now
      }
      idleSince = world.schedule.now
      answer(call, [])
    case (Self.manager, "AddAgent"): add(call, user)
    case (Self.client, "Start"), (Self.client, "Stop"):
      guard let client = held.first(where: { $0.path == call.path }) else {
        return refuse(call, "UnknownMethod", "Object does not exist at path “\(call.path)”")
      }
      guard client.owner == call.sender else { return refuse(call, "AccessDenied", "Access denied") }
      if call.member == "Start", let startTime {
        world.schedule.after(startTime) { [weak self] in
          if let self, isRunning, held.contains(where: { $0 === client }) { start(client, call) }
        }
      } else if call.member == "Start" {
        start(client, call)
      } else {
        client.isActive = false
        answer(call, [])
      }
    case (Self.properties, _): property(call)
    default: super.serve(call)
    }
  }

  /// When it last refused to start a client, and when it first started one after that.
  private(set) var refusedAt: Int64 = .min / 2
  private(set) var acceptedAt: Int64?

  private var refusals: Int?
  private static let mostRefusals = 13

  /// Starts none of the service's clients for 12 s. The service doubles its pauses, but clients that come may shorten one
  /// to a second.
  func refuseForLong() {
    exit()
    refusals = 0
    world.schedule.after(12_000_000) { [self] in
      if let refusals, refusals > Self.mostRefusals {
        world.checks.broken("a GeoClue that refuses is asked rarely", "\(refusals) times")
      }
      refusals = nil
      // It reads its configuration only when it starts. The service's pause may last for minutes by now.
      exit()
      start()
    }
  }

  /// How long it takes to start a client, in microseconds; nil if it starts clients immediately.
  var startTime: Int64?

  private var hangsWhenStarted = false

  /// Exits, and does not answer the service's next `Start` until the service has given up.
  func hangWhenStarted() {
    hangsWhenStarted = true
    exit()
  }

  /// When the service last tried to use it.
  private(set) var calledAt: Int64 = .min / 2

  override func called(_ call: Parcel) {
    if hangsWhenStarted, call.interface == Self.client, call.member == "Start" {
      hangsWhenStarted = false
      hang()
      world.schedule.after(10_000_000) { [self] in recover() }
    }
    if call.member == "CreateClient" || call.member == "Start" { calledAt = world.schedule.now }
    if call.member == "CreateClient" { world.checks.geoclueCalled(call.member, atMost: 80) }
    super.called(call)
  }

  private var emptySince: Int64?
  /// When the service last released it for longer than it takes to replace a client.
  private(set) var releasedAt: Int64 = .min / 2

  func noteRelease() {
    if let since = emptySince, since < world.schedule.now - 5_000_000 { releasedAt = since }
    if !held.isEmpty { emptySince = nil }
  }

  /// Whether it answers each request for a client with an error.
  var failsToCreate = false
  /// When it last did so.
  private(set) var failedToCreateAt: Int64 = .min / 2

  private func create(_ call: Parcel, _ user: UInt32) {
    guard !failsToCreate else {
      failedToCreateAt = world.schedule.now
      // The service must not repeat this text.
      return refuse(call, "Failed", "There is no client for /org/geopublicist/Location1/subscription/1")
    }
    guard agents[user] != nil else {
      waiting.append((user, call, world.schedule.now, 0))
      return
    }
    guard isConnected(call.sender) else { return }
    made += 1
    let client = Held("\(Self.root)/Client/\(made)", call.sender, user, at: world.schedule.now)
    client.permitted = agents[user]?.level ?? 8
    held.append(client)
    answer(call, [.objectPath(ObjectPath(unchecked: client.path))])
  }

  private func isConnected(_ name: String) -> Bool { world.bus.peers[name] != nil }

  /// The ids of agents that the default configuration of every release allows.
  private static let agentIDs = [
    "geoclue-demo-agent", "gnome-shell", "io.elementary.desktop.agent-geoclue2", "sm.puri.Phosh", "lipstick",
  ]

  private func add(_ call: Parcel, _ user: UInt32) {
    guard Self.agentIDs.contains(call.values.first?.string ?? "") else {
      return refuse(call, "AccessDenied", "This program is not allowed to run as an agent")
    }
    // It would decide instead of the user's agent.
    if world.isSession, world.bus.peers[call.sender]?.isService ?? false {
      return world.checks.broken("the service of a session is no agent", "")
    }
    self.call(call.sender, Agent.path, Self.properties, "GetAll", [.string(Agent.interface)]) { [weak self] reply in
      guard let self, isConnected(call.sender) else { return }
      let level = reply.kind == .reply ? reply.values.first?.properties?["MaxAccuracyLevel"]?.uint32 ?? 0 : 0
      agents[user] = (call.sender, level)
      answer(call, [])
      let calls = waiting.filter { $0.user == user }
      waiting.removeAll { $0.user == user }
      for waiting in calls { create(waiting.call, user) }
    }
  }

  private func start(_ client: Held, _ call: Parcel) {
    guard !client.isActive else { return answer(call, []) }
    if let count = refusals {
      refusals = count + 1
      return refuseStart(call, "'geopublicist' disallowed by configuration for UID \(client.user)")
    }
    guard client.settings["DesktopId"]?.string?.isEmpty == false else {
      return refuseStart(call, "'DesktopId' property must be set")
    }
    guard agents[client.user].map({ $0.level > 0 }) ?? false else {
      // In the session deployment, the service learns of an agent through such a refusal.
      for agent in world.agents where agent.name == agents[client.user]?.owner { agent.isKnown = true }
      if world.isSession { world.truth.changed("GeoClue obeys the agent of \(client.user)") }
      return refuseStart(call, "Geolocation disabled for UID \(client.user)")
    }
    if let agent = world.agents.first(where: { $0.name == agents[client.user]?.owner }), world.isSession {
      agent.isRejectionKnown = agent.rejects
      world.truth.changed("the agent of \(client.user) \(agent.rejects ? "rejects" : "accepts") the service")
      if agent.rejects {
        return refuseStart(call, "Agent rejected 'geopublicist' for user '\(client.user)'.")
      }
    }
    acceptedAt = acceptedAt ?? world.schedule.now
    activate(client)
    if isOld, client.isFine, hasSource, chance.percent(30) {
      unmeasuredAt = world.schedule.now
      let (latitude, accuracy) = chance.pick([(0, .infinity), (0, 100), (0.01, .infinity)])
      announce(.unmeasured(latitude: latitude, accuracy: accuracy), to: client)
    }
    if beginsCoarse, client.isFine, hasSource, !isStatic {
      pause(for: 8_000_000)
      world.schedule.after(200_000) { [self] in
        if isRunning, hasActiveClient { report(world.measure(isFine: true, accuracy: 20_000)) }
      }
    } else if beginsLate {
      pause(for: 8_000_000)
    } else if client.isFine, current == nil, hasSource, chance.percent(measuresAtStart ? 100 : 50) {
      world.schedule.after(chance.time(1_000...800_000)) { [weak self] in
        guard let self, isRunning, client.isActive, held.contains(where: { $0 === client }) else { return }
        // While the service has a good location, it holds back one of unknown accuracy.
        let isVague = isOld && max(measuredAt, lastReadAt) < world.schedule.now - 40_000_000 && chance.percent(40)
        current = world.measure(isFine: true, accuracy: isVague ? .infinity : usualAccuracy)
        update(client)
      }
    }
    answer(call, [])
  }

  private func refuseStart(_ call: Parcel, _ message: String) {
    (refusedAt, acceptedAt) = (world.schedule.now, nil)
    refuse(call, "AccessDenied", message)
  }

  // MARK: - Properties

  private func property(_ call: Parcel) {
    let interface = call.values.first?.string
    if interface == Self.location {
      if call.path == Self.forgedLocation {
        world.checks.broken("only GeoClue announces locations to the service", call.story)
      }
      guard let place = places[call.path] else {
        return refuse(call, "UnknownMethod", "Object does not exist at path “\(call.path)”")
      }
      guard place.fix.number > 0 else { return answer(call, [properties(of: place.fix)]) }
      if lastReads.count > 4_000 { lastReads = lastReads.filter { $0.key > place.fix.number - 2_000 } }
      lastReads[place.fix.number] = world.schedule.now
      lastReadAt = world.schedule.now
      // Neither outliers nor locations that are much coarser than one of the last second replace the service's location.
      let isLater = world.schedule.now - (reads.last?.time ?? .min / 2) >= 1_000_000
      if place.fix.accuracy <= 18, !place.fix.isOutlier, place.fix.defect?.isInvalid != true, isLater {
        let last = reads.last?.number ?? 0
        reads.append((world.schedule.now, max(place.fix.number, last), place.fix, place.fix.number > last))
      }
      if reads.count > 100 { reads.removeFirst(50) }
      return answer(call, [place.owner == call.sender ? properties(of: place.fix) : .options([])])
    }
    if interface == Self.manager { return answerAvailable(call) }
    guard let client = held.first(where: { $0.path == call.path }), client.owner == call.sender,
      let name = call.values.dropFirst().first?.string
    else { return refuse(call, "UnknownMethod", "Object does not exist at path “\(call.path)”") }
    if call.member == "Set", call.values.count == 3 {
      client.settings[name] = call.values[2].unwrapped
      return answer(call, [])
    }
    switch name {
    case "Location": answer(call, [.variant(.objectPath(ObjectPath(unchecked: client.location)))])
    case "Active": answer(call, [.variant(.boolean(client.isActive))])
    default: answer(call, [.variant(client.settings[name] ?? .uint32(0))])
    }
  }

  private func answerAvailable(_ call: Parcel) {
    guard let index = waiting.firstIndex(where: { $0.call.sender == call.sender }) else {
      return answer(call, [.variant(.uint32(available.rawValue))])
    }
    let since = waiting[index].since
    waiting[index].questions += 1
    // Pauses from 5 s to a minute.
    if waiting[index].questions > 6 + Int((world.schedule.now - since) / 8_000_000) {
      world.checks.broken("a GeoClue that waits for an agent is asked rarely", call.story)
    }
    // An error shows that it works, too.
    if world.seed.isMultiple(of: 4), since < world.schedule.now - 3_000_000 {
      refuse(call, "Failed", "There is no source")
    } else {
      answer(call, [.variant(.uint32(available.rawValue))])
    }
  }

  /// The finest level that the service requests, or 0.
  var requestedLevel: UInt32 {
    held.filter(\.isActive).compactMap { $0.settings["RequestedAccuracyLevel"]?.uint32 }.max() ?? 0
  }

  /// The source of a fix as it must be told, and GeoClue's description of it.
  func source(of fix: Fix) -> (name: String, description: String) {
    guard !isOld else { return ("unknown", "") }
    guard !isStatic else { return isByAddress ? ("ip", "GeoIP (ichnaea)") : ("static", "Static location") }
    return fix.accuracy < 100 ? ("gnss", "GPS GGA") : ("wifi", "WiFi")
  }

  private func properties(of fix: Fix) -> Value {
    let defect = fix.defect
    let altitude: Double? = defect == .altitude ? 200_000 : defect == .nanAltitude ? .nan : world.home.altitude
    let suffix = defect == .text ? "\u{1b}[31m\n" + String(repeating: "x", count: 300) : ""
    return .options([
      ("Latitude", .double(defect == .nanLatitude ? .nan : defect == .latitude ? 90.5 : fix.latitude)),
      ("Longitude", .double(defect == .infiniteLongitude ? .infinity : defect == .longitude ? -180.5 : fix.longitude)),
      ("Accuracy", .double(fix.accuracy.isFinite ? fix.accuracy : -1)),
      ("Altitude", .double(altitude ?? -1.7976931348623157e308)),
      ("Speed", .double(defect == .speed ? 600 : world.home.speed ?? -1)),
      // The compass of this machine always points there.
      ("Heading", .double(hasCompass && world.sensors.isInstalled ? 77 : defect == .speed ? 90 : -1)),
      ("Description", .string(isOld ? "" : source(of: fix).description + (isStatic ? "" : suffix))),
      ("Timestamp", .structure([.uint64(fix.timestamp + (fix.isAhead ? 86_400 : 0)), .uint64(0)])),
    ])
  }
}
