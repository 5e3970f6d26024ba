// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistService
import GeopublicistSimulatedKernel
import Glibc
import MainLoop

/// Everything outside the service: the bus, the programs on it, the clock, and what is true.
final class World {
  static let subscriptionsPerConnection = 16
  static let regionsPerConnection = 20
  /// The defaults in geopublicist.conf(5), except that of a limit which the configuration changes.
  static let limits = [
    "subscriptions-per-connection": subscriptionsPerConnection, "regions-per-connection": regionsPerConnection,
    "calls-per-connection": callsPerConnection, "regions-per-user": 100, "subscriptions": 4_096, "regions": 1_000,
    "calls-burst": callsBurst, "calls-per-second": callsPerSecond, "calls-per-second-per-user": 400, "calls": 4_096,
    "calls-per-user": 256, "prompts-per-connection": 1, "prompts-per-user": 2, "message-bytes": messageBytes,
  ]
  static let callsPerConnection = 16
  /// The objects of a user that leave room for those of the client library, and for those that it does not know because
  /// the service's connection was closed before the creation was answered.
  static let objectsBesideLibraries = 29
  static let callsBurst = 200
  static let callsPerSecond = 50
  static let messageBytes = 65_536

  let seed: UInt64
  /// Whether the bus stalls and is restarted.
  let isBusFaulty: Bool
  /// Whether programs use the client library.
  let hasLibraries: Bool
  /// Whether the service runs in the session deployment, in which all clients are programs of one user.
  let isSession: Bool
  let home: Home
  let manager: ServiceManager
  let users: [UInt32]
  let serviceUser: UInt32
  let schedule = Schedule()
  let bus = SimulatedBus()
  /// The arguments of the service.
  let arguments: [String]
  /// The programs that use the client library, which are in this process, too.
  private(set) var libraries: [LibraryProgram] = []
  private(set) lazy var truth = Truth(self)
  private(set) lazy var checks = Checks(self)
  private(set) lazy var polkit = Polkit(self)
  private(set) lazy var logind = Logind(self)
  private(set) lazy var systemd = Systemd(self)
  private(set) lazy var geoclue = GeoClue(self)
  private(set) lazy var sensors = SensorProxy(self)
  private(set) lazy var network = NetworkManager(self)
  private(set) lazy var throng = Throng(self)
  private(set) var agents: [Agent] = []
  /// The agent that announces changes only while GeoClue runs.
  var quietAgent: Agent? { agents.first { $0.manner == .announcesToGeoClue } }
  /// The second agents of users who have two.
  private(set) var seconds: [Agent] = []
  private(set) var clients: [Client] = []
  private(set) var fixes: [UInt64: Fix] = [:]
  /// The newest one that the service has read.
  var newestRead: Fix? { fixes.values.first { $0.number == geoclue.newestRead } }
  /// The number of suspends, and the time of the last resume.
  private(set) var sleeps = 0
  private(set) var wokeAt: Int64 = .min / 2
  private(set) var wokeAtBoottime: Int64 = .min / 2
  private(set) var clockSetAt: Int64 = .min / 2
  /// When it was set before that.
  private(set) var clockSetBefore: Int64 = .min / 2
  /// Whether the machine is at the second of the two places between which it moves, and since when.
  private(set) var isElsewhere = false
  private(set) var movedAt: Int64 = .min / 2
  /// When GeoClue last measured a wrong place.
  private(set) var outlierAt: Int64 = .min / 2
  /// When GeoClue's configuration began to disallow a program.
  private(set) var disallowedSince: Int64?
  /// `subscriptions-per-user` in the service's configuration.
  private(set) var limit: UInt32 = 40
  private var limitSetAt: Int64 = .min / 2
  /// When each user's programs last made a burst of calls.
  private(set) var crowdedAt: [UInt32: Int64] = [:]
  /// The time that the calls of the last bursts of each user may take, one after the other.
  private(set) var crowded: [UInt32: ClosedRange<Int64>] = [:]
  /// How long the calls of a burst may take, in microseconds. Those of the client library take their turn, too.
  var burstTime: Int64 { hasLibraries ? 13_000_000 : 10_000_000 }
  /// When a program of each user last made many calls.
  var floodedAt: [UInt32: Int64] = [:]
  /// When the service last had a reason to doubt polkit's answers.
  private var doubts: [ClosedRange<Int64>] = []
  /// When the last fault ended.
  var healedAt: Int64?
  /// When the bus last began to read nothing from the service.
  private(set) var ignoredAt: Int64 = .min / 2
  /// When a client last left.
  var clientLeftAt: Int64 = .min / 2
  /// When a client last came after there had been none for longer than the service holds the source without one.
  private(set) var emptyAt: Int64 = .min / 2
  let folder: String
  /// When the service acquired its name.
  private(set) var servingSince: Int64?
  /// Which connection last had the service's name, and since when. A service that joins the bus again has a new one.
  private(set) var lastOwner: (name: String, since: Int64)?
  /// When the service was last started. It may have lost its connection since.
  var serviceBeganAt: Int64 = .min / 2
  /// The service that runs in this process.
  weak var session: AnyObject?
  /// Whether the service was called while it was not running.
  private var isServiceWanted = false
  private(set) var isOver = false
  private(set) var hash = TraceHash()
  /// Prints what happens.
  var narrates = false
  private var chance: Chance
  private var lastProcess: UInt32 = 5_000_000

  private static var current: World?

  init(seed: UInt64, folder: String, isBusFaulty: Bool, isSession: Bool) {
    (self.seed, self.folder, self.isBusFaulty, self.isSession) = (seed, folder, isBusFaulty, isSession)
    // Also in some worlds whose bus works, because an administrator may stop the service there.
    hasLibraries = isBusFaulty || seed % 10 == 3 || seed % 10 == 9
    chance = Chance(seed, "turns")
    home = Home(seed)
    manager = ServiceManager(at: folder + "/notify")
    users = isSession ? [1_001] : [1_001, 1_002, 1_003]
    serviceUser = isSession ? 1_001 : 985
    let address = bus.listen(at: folder + "/bus", user: serviceUser, process: 0)
    // Two addresses count as two buses.
    let other =
      isSession
      ? bus.listen(at: folder + "/other-bus", user: serviceUser, process: 0, isOfSystemBus: true) : address
    bus.areTwo = isSession
    arguments =
      ["geopublicistd", isSession ? "--session" : "--system", "--address", address, "--geoclue-address", other]
    bus.activatable = [Client.service, Polkit.service, Logind.service, GeoClue.service]
    bus.onParcel = { [weak self] parcel, peer in self?.observe(parcel, peer) }
    bus.onStrayReply = { [weak self] parcel, peer in
      guard let self, peer.isService, parcel.destination.map({ self.bus.peers[$0] != nil }) ?? false else { return }
      checks.broken("every call is answered once", parcel.story)
    }
    bus.onActivation = { [weak self] name in self?.activate(name) }
    bus.onNameLost = { [weak self] name in if name == Client.service { self?.serviceExited() } }
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
    watch()
    // In December, at the equinox in March or in July, each with each home.
    kernel_set_clock([35, 127, 237][Int((seed + seed / 7 + 2) % 3)] * 86_400_000_000)
    for user in users {
      truth.set(.active, of: user)
      agents.append(Agent(self, user: user))
    }
    let people = isSession ? Array(repeating: 1_001, count: 8) : users + users + [0, 1_001]
    for (index, user) in people.enumerated() {
      clients.append(Client(self, index, user: user, isSandboxed: index == people.count - 1))
    }
    clients.last?.poses = true
    setRoots()
    for user in isSession ? [] : users { seconds.append(Agent(self, user: user, isSecond: true)) }
    for (index, agent) in agents.enumerated() where !isSession {
      agent.manner = Agent.Manner.allCases[(index + Int(seed % 3)) % 3]
    }
    configure()
    write("share/geopublicist/places", Town.table)
    write("etc/passwd", Array("named:x:\(Throng.named):100::/:\n".utf8))
    listSubordinates(true)
    if hasLibraries {
      libraries = [
        SourceProgram(self, user: 1_001), AlmanacProgram(self, user: 1_001),
        ManagerProgram(self, user: isSession ? 1_001 : 1_002),
      ]
    }
    startPrograms()
  }

  /// In the session deployment, the root directory of one program cannot be read, or is that of a Flatpak.
  private func setRoots() {
    mkdir("\(folder)/flatpak", 0o755)
    write("flatpak/.flatpak-info", [])
    guard isSession else { return }
    let isHidden = (seed / 10).isMultiple(of: 2)
    clients[6].hasSpecialRoot = true
    kernel_set_roots(isHidden ? clients[6].process : 0, isHidden ? 0 : clients[6].process)
  }

  private func startPrograms() {
    polkit.start()
    logind.start()
    systemd.start()
    if sensors.isInstalled { sensors.start() }
    network.start()
    for agent in agents { agent.start() }
  }

  func end() {
    isOver = true
    MainLoop.main.quit()
  }

  // MARK: - Turns

  /// Runs a turn of the world while the service is busy.
  private func busy() {
    kernel_advance_to(kernel_monotonic() + Int64(chance.number(in: 1...40)))
    while schedule.runNext() {}
    if chance.percent(50) { bus.turn() }
  }

  /// How often a timer of a running service, or of a program that uses the client library, has expired.
  private(set) var wakeUps = 0

  /// Runs a turn of the world while the service waits. Returns false when its time has passed.
  private func idle(until deadline: Int64) -> Bool {
    if bus.turn() || schedule.runNext() { return true }
    guard let next = schedule.next, next <= deadline else {
      guard deadline < .max else { fatalError("nothing will ever happen again") }
      if serviceName != nil { wakeUps += 1 }
      kernel_advance_to(deadline)
      return false
    }
    kernel_advance_to(next)
    return true
  }

  /// Advances time while no service is running. Returns true when a program calls it.
  func waitForCall() -> Bool {
    while !isServiceWanted, !isOver {
      if hasLibraries { MainLoop.main.iterate() }
      kernel_idle(kernel_monotonic() + (hasLibraries ? 100_000 : 1_000_000))
    }
    defer { isServiceWanted = false }
    return isServiceWanted
  }

  // MARK: - Services

  var serviceName: String? { bus.owners[Client.service] }

  private func activate(_ name: String) {
    switch name {
    case Client.service:
      guard schedule.now >= serviceFailsUntil else {
        return schedule.after(20_000) { [weak self] in self?.bus.activationFailed(name, "Spawn.ChildExited") }
      }
      isServiceWanted = serviceDelay == 0
      if !isServiceWanted { schedule.after(serviceDelay) { [weak self] in self?.isServiceWanted = true } }
      serviceDelay = 0
    case Polkit.service:
      polkit.activatedAt = schedule.now
      schedule.after(chance.time(2_000...300_000)) { [weak self] in
        guard let self else { return }
        if polkitFails { bus.activationFailed(name, "Spawn.ChildExited") } else { polkit.start() }
      }
    case Logind.service: schedule.after(chance.time(2_000...300_000)) { [weak self] in self?.logind.start() }
    case GeoClue.service:
      checks.geoclueCalled("StartServiceByName", atMost: 30)
      schedule.after(chance.time(5_000...900_000)) { [weak self] in
        guard let self else { return }
        guard geoclueFails else { return geoclue.start() }
        guard !geoclueCrashes else {
          geoclue.start()
          return schedule.after(20_000) { [weak self] in self?.geoclue.exit() }
        }
        geoclueFailedAt = schedule.now
        bus.activationFailed(name, isGeoClueInstalled ? "Spawn.ChildExited" : "ServiceUnknown")
      }
    default: break
    }
  }

  /// An administrator stops the service. The next call starts it again, after a delay, unless it fails until a time.
  func stopService(for time: Int64 = 0, delay: Int64 = 0) {
    guard serviceName != nil, servingSince != nil, !isBusFaulty else { return }
    let begin = schedule.now
    serviceDelay = delay
    (stoppedAt, serviceFailsUntil) = (begin, begin + time)
    kill(getpid(), SIGTERM)
    // The library waits for 40 s.
    guard time > 45_000_000 else { return }
    schedule.after(time - 1_000_000) { [self] in
      guard servingSince == nil, schedule.now < serviceFailsUntil else { return }
      for case let program as SourceProgram in libraries { program.checkLoss(since: begin) }
    }
  }

  private var serviceFailsUntil: Int64 = .min / 2
  /// How long the service takes to start when it is called the next time.
  private var serviceDelay: Int64 = 0
  /// When an administrator last stopped the service.
  private var stoppedAt: Int64 = .min / 2
  /// When the service was last called, and when before the present series of calls that are less than a second apart.
  private var calledAt: (last: Int64, before: Int64) = (.min / 2, .min / 2)
  /// The last of these times that is not within the last second.
  private var calledBefore: Int64 { calledAt.last > schedule.now - 1_000_000 ? calledAt.before : calledAt.last }

  func startServiceAgain() { serviceFailsUntil = schedule.now }

  /// The service has released its name. It must have closed all objects before.
  private func serviceExited() {
    for case let program as AlmanacProgram in libraries { program.serviceExited() }
    guard !isBusFaulty else { return }
    let states = manager.states()
    if !states.contains("READY") || states.last != "STOPPING" {
      checks.broken("the service tells systemd that it stops before it releases its name", "\(states)")
    }
    // A call may come while it exits, which another service answers.
    let rest = schedule.now - calledBefore
    if schedule.now - stoppedAt > 5_000_000, rest < Int64(idleTimeout) * 1_000_000 - 200_000 {
      checks.broken("the service exits only after its idle time", "\(rest / 1_000) ms after a call")
    }
    checks.serviceExited()
    for client in clients { client.serviceExited() }
    for agent in agents + seconds { agent.serviceExited() }
    for library in libraries { (library.isUnverifiable, library.hasConsent) = (false, false) }
    checkModes()
    truth.changed("the service exits")
  }

  /// Checks that what the service has written about its users is readable by the service alone.
  private func checkModes() {
    for path in ["run/cells"] + users.map({ "state/\($0)" }) {
      var status = stat()
      guard stat("\(folder)/\(path)", &status) == 0, status.st_mode & 0o077 != 0 else { continue }
      checks.broken("only the service may read what it has written", path)
    }
  }

  /// Whether the only client of this rest needs significant changes only.
  var isRestRare = false
  /// Whether GeoClue has no source during this rest.
  var isRestBlind = false
  /// Whether GeoClue cannot be started.
  var geoclueFails = false { didSet { if geoclueFails != oldValue { geoclueChangedAt = schedule.now } } }
  /// Whether it exits at once instead, while it cannot be started.
  var geoclueCrashes = false
  /// Whether the bus knows it, while it cannot be started.
  var isGeoClueInstalled = true
  /// When GeoClue last became unable or able to start.
  private(set) var geoclueChangedAt: Int64 = .min / 2
  /// When the service last failed to start GeoClue.
  private(set) var geoclueFailedAt: Int64 = .min / 2
  /// Whether polkitd cannot be started.
  var polkitFails = false

  private func observe(_ parcel: Parcel, _ peer: Peer) {
    if let owner = bus.owners[Client.service], owner != lastOwner?.name {
      if let lastOwner, serviceBeganAt < lastOwner.since { checks.rejoined() }
      lastOwner = (owner, schedule.now)
    }
    if bus.owners[Client.service] == nil || stalled.upperBound == .max {
      servingSince = nil
    } else if servingSince == nil {
      servingSince = schedule.now
      if !spoiled.isEmpty { schedule.after(500_000) { [self] in checkSpoiled() } }
      // In the session deployment, GeoClue limits what a service receives that has not found the agents yet.
      for agent in agents where isSession { agent.isKnown = false }
    }
    if parcel.kind == .call, parcel.destination == Client.service {
      calledAt = (schedule.now, calledBefore)
    }
    hash.add(UInt64(bitPattern: schedule.now))
    parcel.size = hash.add(message: parcel.encoded().raw)
    tell(parcel.story)
    if let peer = peer as? SocketPeer, !peer.serials.insert(parcel.serial).inserted {
      checks.broken("a connection uses each serial number once", parcel.story)
    }
    if peer.isService { checks.sent(parcel) }
    if parcel.isInteractive { polkit.interactiveAt[parcel.sender] = schedule.now }
    for library in libraries where library.name == parcel.sender && library.process == peer.process {
      library.didSend(parcel)
    }
  }

  // MARK: - The machine

  /// The latitude of the place where the machine is, or of the other one.
  func place(isOther: Bool) -> Double {
    home.latitude + Double(schedule.now) * 1e-12 + (isElsewhere != isOther ? home.distance : 0)
  }

  /// How far the machine is to the east of its meridian, in metres.
  private var eastward = 0.0
  var longitude: Double { home.longitude(east: eastward) }

  /// Everything else in the world assumes that the machine is on its meridian.
  func moveEast(_ metres: Double) {
    eastward = metres
    movedAt = schedule.now
    truth.changed("the machine moves to \(metres) m east")
    geoclue.moved()
  }

  /// GeoClue measures the machine's place.
  func measure(isFine: Bool, isOutlier: Bool = false, accuracy: Double? = nil) -> Fix {
    // Each latitude identifies one measurement.
    let latitude = place(isOther: false) + Double(fixes.count) * 1e-9 + (isOutlier ? 2 : 0) + geoclue.offset
    var fix = Fix(
      number: fixes.count + 1, latitude: latitude, longitude: longitude,
      // A fix that is four times as accurate as the previous one counts as a correction.
      accuracy: accuracy
        ?? (isFine ? Double(chance.number(in: (isOutlier ? 8 : 3)...(geoclue.isPrecise ? 12 : 30))) : 3_000),
      timestamp: UInt64(kernel_realtime() / 1_000_000),
      measuredAt: schedule.now, measuredAtBoottime: kernel_boottime(), sleeps: sleeps, isOutlier: isOutlier)
    fix.isReduced = !isFine
    fix.isAhead = geoclue.isAhead && !geoclue.isStatic
    fix.defect = geoclue.isStatic ? nil : geoclue.defect
    if isOutlier { outlierAt = schedule.now }
    fixes[latitude.bitPattern] = fix
    tell("fix \(fix.number): \(fix.accuracy) m\(isOutlier ? ", a jump" : "")")
    return fix
  }

  /// Whether the service must detect an outlier, because good measurements preceded it.
  func isOutlierObvious(_ fix: Fix) -> Bool {
    let since = max(wokeAt, clockSetAt, geoclue.silentAt, geoclue.startedAt, geoclue.heldAt, geoclue.sourceAt)
    return fix.measuredAt - since > 10_000_000 && geoclue.interval == 1_000_000 && geoclue.hasBeenSteady
      && schedule.now - fix.measuredAt < 3_000_000 && !hasRecurringSecond(before: fix)
      // Another one shortly before may confirm it.
      && !fixes(before: fix, within: 15_000_000).contains(where: \.isOutlier)
  }

  /// Whether a location of the last three intervals before another one may have been dropped: the clock was set back, so
  /// it has the second of one from before a suspend.
  private func hasRecurringSecond(before fix: Fix) -> Bool {
    fixes(before: fix, within: 3_000_000).contains(where: recurs)
  }

  /// Whether a location has the second of one from before a suspend, because the clock was set back.
  func recurs(_ fix: Fix) -> Bool {
    fixes.values.contains { $0.timestamp == fix.timestamp && $0.sleeps < fix.sleeps }
  }

  private func fixes(before fix: Fix, within time: Int64) -> [Fix] {
    fixes.values.filter { (fix.measuredAt - time..<fix.measuredAt).contains($0.measuredAt) }
  }

  func move() {
    isElsewhere.toggle()
    movedAt = schedule.now
    truth.changed("the machine moves")
    geoclue.moved()
  }

  /// The machine sleeps. Programs receive this from logind, if it is running, and from the kernel.
  ///
  /// - Parameter isProbed: Whether clients ask for locations when it wakes, which may also change its place.
  func sleep(_ microseconds: Int64, isAnnounced: Bool, isProbed: Bool = true) {
    if isAnnounced { logind.prepareForSleep(true) }
    schedule.after(chance.time(100...200_000)) { [weak self] in
      guard let self else { return }
      suspend(microseconds)
      if isProbed, chance.percent(30) { move() }
      if isAnnounced { announceWaking() }
      schedule.after(3_000_000) { [self, time = schedule.now] in
        guard let servingSince, servingSince < time, geoclue.hasClient(from: time) else { return }
        checks.broken("GeoClue's client is replaced after a suspend", "")
      }
      // A location from before is wrong from now on.
      for delay in isProbed ? [250_000, 800_000] : [] as [Int64] {
        schedule.after(delay) { for client in self.clients where client.isConnected { client.locate() } }
      }
    }
  }

  /// logind announces that the machine is awake: immediately, or, in some worlds, only when other programs are done.
  private func announceWaking() {
    let sleep = sleeps
    schedule.after(chance.time(seed % 3 == 1 ? 10_000...5_000_000 : 10...50_000)) { [self] in
      guard sleeps == sleep else { return }
      logind.prepareForSleep(false)
      schedule.after(1_000) { for client in self.clients { client.locateSinceWaking() } }
    }
  }

  /// Suspends the machine immediately. When it wakes, no program has been told.
  func suspend(_ microseconds: Int64) {
    kernel_suspend(microseconds)
    sleeps += 1
    (wokeAt, wokeAtBoottime) = (schedule.now, kernel_boottime())
    truth.changed("the machine has slept for \(microseconds / 1_000_000) s")
  }

  /// Notes that a client is about to connect.
  func clientComes() {
    guard !clients.contains(where: \.isConnected), schedule.now - clientLeftAt > 3_000_000 else { return }
    emptyAt = schedule.now
  }

  func setClock(_ difference: Int64) {
    kernel_set_clock(difference)
    (clockSetBefore, clockSetAt) = (clockSetAt, schedule.now)
    if difference < 0 { checks.forgetTowns { _ in true } }
    truth.changed("the clock is set by \(difference / 1_000_000) s")
  }

  /// Whether the last fault ended at least 5 s before a time.
  func isQuiet(at time: Int64) -> Bool { healedAt.map { time > $0 + 5_000_000 } ?? false }

  /// Something may change the answers of polkit and logind, and the service learns of that within a time.
  func doubted(for time: Int64) {
    doubts = doubts.suffix(255) + [schedule.now...schedule.now + time]
    logind.doubted()
  }

  /// Whether the service may have had a reason to doubt polkit's answers.
  func hasDoubt(_ times: ClosedRange<Int64>) -> Bool { doubts.contains { $0.overlaps(times) } }

  // MARK: - The bus

  /// When the bus last began and ceased to stall.
  private(set) var stalled: Range<Int64> = (.min / 2)..<(.min / 2)
  /// The earliest time at which a message of the service that arrives now may have been sent.
  var sentSince: Int64 { schedule.now < settledAt ? stalled.lowerBound : schedule.now }
  /// When all messages that waited for the bus must have arrived.
  var settledAt: Int64 { max(stalled.upperBound, stalled.upperBound &+ 1_000_000) }

  /// The bus neither reads nor writes for a while, or reads nothing from the service.
  func stallBus(hangs: Bool) {
    guard !bus.isDown, bus.stall == .none, hangs || serviceName != nil else { return }
    stalled = sentSince..<Int64.max
    servingSince = nil
    for client in clients { client.entitlement.excuse() }
    bus.stall(hangs ? .hangs : .ignores(serviceName ?? ""))
    if !hangs { ignoredAt = schedule.now }
    truth.changed("the bus stalls")
  }

  func resumeBus() {
    guard bus.stall != .none else { return }
    stalled = stalled.lowerBound..<schedule.now
    // The bus no longer serves a connection that the service has left.
    if case .ignores(let name) = bus.stall, name != serviceName, let old = bus.peers[name] { bus.left(old) }
    bus.stall(.none)
    truth.changed("the bus works again")
  }

  /// Checks that the service has left a connection from which the bus has read nothing for some time.
  func checkConnection() {
    // In the session deployment, GeoClue's bus is another one, which shows nothing about this one.
    guard !isSession, case .ignores(let name) = bus.stall, name == serviceName, ignoredAt < schedule.now - 8_000_000,
      geoclue.hasBeenRead(in: ignoredAt..<schedule.now - 6_000_000)
    else { return }
    checks.broken("the service leaves a connection from which the bus reads nothing", name)
  }

  /// The bus reads a little of what has waited for it at a time, less than is added meanwhile, and finally everything.
  func resumeBusSlowly() {
    guard case .ignores(let name) = bus.stall, name == serviceName else { return resumeBus() }
    let begin = ignoredAt
    for milliseconds in stride(from: 1, through: 500, by: 3) as StrideThrough<Int64> {
      schedule.after(milliseconds * 1_000) { [self] in
        if ignoredAt == begin { bus.turn(includesIgnored: true) }
      }
    }
    schedule.after(501_000) { [self] in if ignoredAt == begin { resumeBus() } }
  }

  /// The bus closes one of the service's connections, or one of the client library.
  func closeConnection(_ number: Int) {
    let peers = bus.socketPeers
    guard !peers.isEmpty else { return }
    // A request, which nothing answers yet, may be repeated.
    for case let program as SourceProgram in libraries { program.isRequestDue = true }
    geoclue.pauseBriefly()
    let isOfService = number.isMultiple(of: 3)
    schedule.after(700_000) { [self] in
      if isOfService { return closeServiceConnection() }
      if bus.socketPeers.contains(where: { $0 === peers[number % peers.count] }) { close(peers[number % peers.count]) }
    }
  }

  /// The bus closes the connection with which the service uses GeoClue.
  func closeGeoClueConnection() {
    guard let owner = geoclue.newestClient?.owner, owner != serviceName else { return }
    bus.socketPeers.first { $0.name == owner }.map(close)
  }

  func closeConnection(named name: String) { bus.socketPeers.first { $0.name == name }.map(close) }

  /// For some seconds, the bus admits no connection, and has closed those with which the service asks other programs.
  func closeEntrances() {
    // A service that is about to join another bus would end.
    guard servingSince != nil, !bus.isDown, bus.stall == .none else { return }
    bus.isHidden = true
    for peer in bus.socketPeers where peer.isService && peer.matches.isEmpty { close(peer) }
    tell("the bus admits no connection")
    schedule.after(3_500_000) { self.bus.isHidden = false }
  }

  /// The bus closes the connection with which the service serves clients.
  func closeServiceConnection() { serviceName.map(closeConnection(named:)) }

  /// The bus closes a connection. The service must return immediately.
  private func close(_ peer: SocketPeer) {
    guard !bus.isDown, bus.stall == .none, let serviceName else { return }
    if peer.name == serviceName {
      stalled = sentSince..<schedule.now
      servingSince = nil
      for client in clients { client.entitlement.excuse() }
    }
    // The agents must be found again.
    for agent in agents where isSession && peer.isService { agent.isKnown = false }
    bus.left(peer)
    truth.changed("the bus closes the connection \(peer.name)")
    schedule.after(4_000_000) { [self, time = schedule.now] in
      guard bus.owners[Client.service] == nil, !bus.isDown, bus.stall == .none, busStartedAt < time,
        stalled.upperBound <= time
      else { return }
      checks.broken("the service returns when the bus closes its connection", peer.name)
    }
  }

  /// The bus exits, and with it every connection.
  func stopBus() {
    guard !bus.isDown else { return }
    resumeBus()
    bus.exit()
    for program in [geoclue, polkit, logind, systemd, sensors, network] as [SystemService] { program.exit() }
    // Another bus assigns the same names again.
    (servingSince, lastOwner, isServiceWanted) = (nil, nil, false)
    checks.busExited()
    truth.changed("the bus exits")
  }

  func startBus() {
    guard bus.isDown else { return }
    bus.start()
    busStartedAt = schedule.now
    // Clients start in another order than before, so that each has a name that another client had.
    for client in clients.reversed() { client.start() }
    startPrograms()
    truth.changed("another bus has started")
  }

  private(set) var busStartedAt: Int64 = .min / 2

  /// The service exits because it cannot use the bus. It is started again by the next call.
  func failed(_ error: String) {
    tell("the service exits: \(error)")
    if !bus.isDown, schedule.now - busStartedAt > 10_000_000, stalled.upperBound < schedule.now - 10_000_000 {
      checks.broken("the service works on a bus that works", error)
    }
  }

  // MARK: - Files

  private func write(_ path: String, _ bytes: [UInt8]) {
    guard let file = fopen("\(folder)/\(path)", "w") else { fatalError("cannot write \(path)") }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  /// Writes the list of subordinate ids, or removes it.
  func listSubordinates(_ exist: Bool) {
    guard exist else {
      unlink("\(folder)/etc/subuid")
      return
    }
    let owners = Throng.subordinates.sorted { $0.key < $1.key }
    let ranges = owners.map { owner, first in "\(owner == Throng.named ? "named" : "\(owner)"):\(first):65536\n" }
    write("etc/subuid", Array(ranges.joined().utf8))
  }

  /// A service's configuration that contains mistakes, beside other limits. The service must keep the previous one.
  func misconfigure(_ number: Int) {
    let mistakes = [
      "[Service]\nidle-timeout=-1", "[Service]\nremember=maybe", "[Limits]\nsubscriptions-per-user=0",
      "[Service]\ncolour=1", "[Other]\nremember=true", "[Limits]\nidle-timeout=20", "[Service]\nidle-timeout=soon",
    ]
    write("etc/geopublicist/geopublicist.conf", Array("\(mistakes[number % mistakes.count])\n".utf8))
    configureDropIn(77)
    askToReload()
  }

  /// Writes the service's configuration, as an administrator does who then calls `systemctl reload`.
  func reload() {
    configure()
    askToReload()
  }

  /// systemd kills a service that does not show in time that it works.
  private func watch() {
    let time = ServiceManager.watchdogTime * 3 / 4
    if !manager.hasShownLife(), let servingSince, servingSince < schedule.now - time - 1_000_000 {
      checks.broken("the service shows systemd that it works", "since \(servingSince)")
    }
    schedule.after(time) { [weak self] in self?.watch() }
  }

  private func askToReload() {
    manager.read()
    // The signal is blocked, so a service that is still starting handles it later.
    kill(getpid(), SIGHUP)
    let service = serviceName
    schedule.after(1_000_000) { [self] in
      guard service != nil, serviceName == service, bus.stall == .none, manager.isReloading else { return }
      checks.broken("a reload ends, whatever the configuration contains", "")
    }
  }

  /// The contents of files with which the next service must not begin, by their paths.
  private var spoiled: [String: String] = [:]

  /// Damages a user's record, and adds files that are no records, while no service runs.
  func spoilRecords(_ number: Int) {
    let user = users[number % users.count]
    guard serviceName == nil, let record = firstLine(of: "state/\(user)") else { return }
    var words = record.split(separator: " ").map(String.init)
    let line = words.joined(separator: " ")
    guard words.count > 4 else { return }
    switch number % 6 {
    case 0: words.removeLast()
    case 1: words[1] = "91"
    case 2: words[2] = "-180.5"
    case 3: words[0] = "street"
    case 4: words[4] = "x"
    default: words[3] = "-1"
    }
    checks.forgetTowns { $0 == user }
    spoiled = ["state/\(user)": words.joined(separator: " ")]
    for name in ["0\(user)", "61200", "\(user).new"] { spoiled["state/\(name)"] = line }
    for (path, text) in spoiled.sorted(by: { $0.key < $1.key }) { write(path, Array(text.utf8)) }
  }

  private func checkSpoiled() {
    for (path, text) in spoiled.sorted(by: { $0.key < $1.key }) where firstLine(of: path) == text {
      checks.broken("a service begins with records only", path)
    }
    spoiled = [:]
  }

  private func firstLine(of path: String) -> String? {
    guard let file = fopen("\(folder)/\(path)", "r") else { return nil }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 200)
    guard fgets(&text, 200, file) != nil else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether the service's configuration permits it to remember places.
  private(set) var remembers = true
  /// In seconds.
  private var idleTimeout = 60

  private func configure() {
    let text = """
      [Service]
      remember=\(remembers)
      idle-timeout=\(idleTimeout)
      [Limits]
      subscriptions-per-user=\(limit + 1)

      """
    write("etc/geopublicist/geopublicist.conf", Array(text.utf8))
    configureDropIn(limit)
  }

  /// Writes drop-ins. The second one overrides the first one, which overrides the main file.
  private func configureDropIn(_ limit: UInt32) {
    mkdir("\(folder)/etc/geopublicist/conf.d", 0o755)
    for (number, value) in [(40, limit + 2), (50, limit)] {
      let limits = "[Limits]\nsubscriptions-per-user=\(value)\n"
      write("etc/geopublicist/conf.d/\(number)-limits.conf", Array(limits.utf8))
    }
  }

  /// The words of a user's record, which begin with the level, or nil if there is none.
  func record(of user: UInt32) -> [Substring]? { firstLine(of: "state/\(user)")?.split(separator: " ") }

  /// Changes after how many seconds without use the service exits.
  func setIdleTimeout(_ seconds: Int) {
    idleTimeout = seconds
    configure()
    if serviceName != nil { kill(getpid(), SIGHUP) }
  }

  /// An administrator has the running service forget all records, and remember later ones.
  func forgetRecords() {
    guard remembers, serviceName != nil, !isBusFaulty else { return }
    (remembers, spoiled) = (false, [:])
    checks.forgetRecords()
    reload()
    schedule.after(1_000_000) { [self] in
      checks.forgetRecords()
      for user in users where record(of: user) != nil && serviceName != nil {
        checks.broken("nothing is remembered if that is not configured", "a record of \(user)")
      }
      remembers = true
      reload()
    }
  }

  /// An administrator erases all records, as `geopublicistd --forget` does.
  func eraseRecords() {
    guard serviceName != nil, !isBusFaulty else { return }
    let begin = schedule.now
    if !LastPlaces.forgetAll(in: "\(folder)/state") { checks.broken("the records can be erased", folder) }
    schedule.after(500_000) { [checks] in checks.forgetRecords(before: begin) }
  }

  /// An administrator removes a user's record and stops the service, which has not noticed the removal yet.
  func removeRecord(of user: UInt32) {
    guard record(of: user) != nil, serviceName != nil, !isBusFaulty else { return }
    checks.forgetTowns { $0 == user }
    unlink("\(folder)/state/\(user)")
    stopService()
    schedule.after(1_000_000) { [self] in
      guard record(of: user) != nil else { return }
      checks.broken("a record that an administrator has removed is not written again", "\(user)")
    }
  }

  /// Changes the service's configuration while it is not running.
  func setRemembers(_ isTrue: Bool) {
    guard serviceName == nil, !isBusFaulty else { return }
    remembers = isTrue
    if !remembers { checks.forgetTowns { _ in true } }
    configure()
  }

  /// Where GeoClue's configuration disallows a program.
  private enum RulePlace: CaseIterable {
    case allowedKey, usersKey, dropIn
    /// With each of the keys in the main file, while a drop-in contains another key of the same program.
    case beforeDropIn, usersBeforeDropIn
  }

  private var rulePlace = RulePlace.allowedKey
  /// The contents of GeoClue's main file, which does not change if the rule is in a drop-in.
  private var mainRules = ""

  /// Sets whether GeoClue's configuration disallows a program.
  ///
  /// - Parameter isSilent: Whether that is written to a drop-in, and the service must notice it without a signal.
  func disallow(_ isDisallowed: Bool, isSilent: Bool = false) {
    guard isDisallowed != (disallowedSince != nil) else { return }
    disallowedSince = isDisallowed ? schedule.now : nil
    if isDisallowed { rulePlace = isSilent ? .dropIn : chance.pick(RulePlace.allCases) }
    let isAllowed = !isDisallowed || ![.allowedKey, .beforeDropIn].contains(rulePlace)
    // There is no such user.
    let users = isDisallowed && [.usersKey, .usersBeforeDropIn].contains(rulePlace) ? "4242" : ""
    // A rule about the service itself permits its user.
    let own = "[org.geopublicist.Location1]\nallowed=true\nsystem=true\nusers=\(serviceUser)\n"
    let text = "[org.example.Named]\nallowed=\(isAllowed)\nsystem=false\nusers=\(users)\n" + own
    if text != mainRules { write("etc/geoclue/geoclue.conf", Array(text.utf8)) }
    mainRules = text
    let dropIn = "\(Self.dropIns)/90-named.conf"
    let keys: [RulePlace: String] = [
      .dropIn: "allowed=false", .beforeDropIn: "users=", .usersBeforeDropIn: "system=false",
    ]
    if let key = keys[rulePlace] {
      if isDisallowed {
        mkdir("\(folder)/\(Self.dropIns)", 0o755)
        write(dropIn, Array("[org.example.Named]\n\(key)\n".utf8))
      } else {
        unlink("\(folder)/\(dropIn)")
      }
    }
    // The service must also find a drop-in in a folder that is made later, so the folder comes and goes.
    if !isDisallowed, chance.percent(50), rmdir("\(folder)/\(Self.dropIns)") != 0 {
      mkdir("\(folder)/\(Self.dropIns)", 0o755)
    }
    if !isSilent, chance.percent(50) {
      limit = 81 - limit
      reload()
      let (new, service, begin) = (limit, serviceName, schedule.now)
      // The service does not see a limit that is changed back at once.
      let isSeen = limitSetAt < begin - 1_000_000
      limitSetAt = begin
      schedule.after(15_000_000) { [self] in
        guard !isBusFaulty, isSeen, let service, serviceName == service, limit == new,
          servingSince ?? .max < begin - 1_000_000
        else { return }
        checks.announced(new)
      }
    }
    truth.changed("GeoClue's configuration \(isDisallowed ? "disallows" : "allows") a program")
  }

  private static let dropIns = "etc/geoclue/conf.d"

  /// Whether GeoClue accepts the users' agents.
  private(set) var acceptsAgents = true

  /// Sets whether GeoClue accepts the users' agents. Otherwise, a drop-in lists only another one. The rules for
  /// programs remain the same.
  func acceptAgents(_ isTrue: Bool) {
    acceptsAgents = isTrue
    let dropIn = "\(Self.dropIns)/10-agents.conf"
    mkdir("\(folder)/\(Self.dropIns)", 0o755)
    if isTrue {
      unlink("\(folder)/\(dropIn)")
    } else {
      write(dropIn, Array("[agent]\nwhitelist=geoclue-demo-agent\n".utf8))
    }
    truth.changed("GeoClue's configuration \(isTrue ? "lists" : "does not list") the agents")
  }

  /// Puts a mistake into the files with GeoClue's rules. Until they are written again, the previous rules remain.
  func spoilRules() {
    guard disallowedSince != nil else { return }
    write("etc/geoclue/geoclue.conf", Array("nonsense\n\(mainRules)".utf8))
    mainRules = ""
    let dropIn = "\(Self.dropIns)/90-named.conf"
    if firstLine(of: dropIn) != nil { write(dropIn, Array("nonsense\n".utf8)) }
  }

  /// Replaces the empty folder of drop-ins, or makes it.
  func renewFolder() {
    rmdir("\(folder)/\(Self.dropIns)")
    mkdir("\(folder)/\(Self.dropIns)", 0o755)
  }

  /// Users without a session share one account while their clients stay on the bus. So do users about whom logind has
  /// not answered the service before a time, by default now.
  func mayShareAccount(_ client: Client, at time: Int64? = nil) -> Bool {
    client.user >= 1_000 && (truth.hasSessionEnded || !mayKnowSession(of: client.user, at: time ?? schedule.now))
  }

  /// Whether logind had told the current service about a user's session at a time.
  func mayKnowSession(of user: UInt32, at time: Int64) -> Bool {
    guard let servingSince, let sentAt = logind.stateSentAt[user] else { return false }
    return servingSince <= sentAt && sentAt < time
  }

  /// Whether no limit prevents another subscription of a client.
  func mayCreate(for client: Client) -> Bool {
    if throng.fillsCommonAccount, mayShareAccount(client) { return false }
    let others = clients.filter { $0.user == client.user || mayShareAccount(client) && $0.user >= 1_000 }
    let sum = others.reduce(0) { $0 + $1.objects }
    return sum < (hasLibraries ? Self.objectsBesideLibraries : 39) && client.objects < Self.subscriptionsPerConnection
  }

  // MARK: - Programs and the story

  func program(of process: UInt32) -> Program? {
    programs.first { $0.process == process && $0.hasProcess } ?? throng.program(of: process)
  }

  func programs(of user: UInt32) -> [Program] {
    programs.filter { $0.user == user && $0.hasProcess } + throng.programs(of: user)
  }

  /// When a program of each user last left.
  private var leftAt: [UInt32: Int64] = [:]
  /// Notes that a program of a user has left.
  func left(_ user: UInt32) { leftAt[user] = schedule.now }

  /// Checks that the service asks about a user only while it serves a program of that user.
  func checkNeed(of user: UInt32) {
    // In the session deployment, the agents are GeoClue's.
    guard users.contains(user), !isSession, stalled.upperBound < schedule.now - 5_000_000, bus.stall == .none,
      leftAt[user] ?? .min < schedule.now - 5_000_000, logind.slowAt < schedule.now - 5_000_000,
      !(programs + throng.programs(of: user)).contains(where: { $0.user == user && $0.mayBeServed })
    else { return }
    checks.broken("nobody is asked about a user without programs", "\(user)")
  }

  /// Two users turn location off for a moment.
  func turnOffTogether() {
    let agents = agents.suffix(2)
    guard
      agents.allSatisfy({ $0.level == .exact && $0.isConnected && $0.answers && $0.manner != .announcesToGeoClue })
    else { return }
    for agent in agents { agent.setLevel(.none) }
    schedule.after(200_000) { for agent in agents { agent.setLevel(.exact) } }
  }

  var programs: [Program] { clients + agents + seconds + libraries as [Program] }

  /// Handles a message that the service logs.
  func logged(_ fields: [String: String]) {
    let text = fields["MESSAGE"] ?? ""
    tell("log: \(text)")
    checks.checkRevealsNothing(text)
    if text.hasPrefix("Cannot connect to the bus to") { checks.attemptFailed(to: text) }
    checks.audit.explain(text, at: schedule.now)
    guard let event = fields["GEOPUBLICIST_AUDIT"] else { return }
    checks.logged(
      Audit.Line(
        time: schedule.now, event: event, user: fields["GEOPUBLICIST_UID"] ?? ""))
  }

  func tell(_ story: @autoclosure () -> String) {
    guard narrates else { return }
    let now = schedule.now
    let digits = String(now % 1_000_000 + 1_000_000).dropFirst()
    print("\(now / 1_000_000).\(digits) \(story())")
  }
}

// MARK: - What users do
extension World {
  private static let actions = [Truth.access, Truth.accessPrecise, Truth.accessWithoutAgent]

  /// A condition that polkitd does not announce denies a user everything. The service learns of that when it next has
  /// polkit's answers confirmed, which happens every 30 s.
  func deny(_ user: UInt32) {
    let time = schedule.now
    polkit.denied[user] = time
    checks.forgetTowns { $0 == user }
    schedule.after(40_000_000) { [weak self] in
      guard let self, polkit.denied[user] == time else { return }
      for action in Self.actions { truth.set(.no, to: action, of: user) }
    }
  }

  func permit(_ user: UInt32) {
    if polkit.denied[user] != nil { truth.wasForbidden(user) }
    polkit.denied[user] = nil
    for action in Self.actions { truth.set(nil, to: action, of: user) }
    polkit.announce()
  }

  /// An agent returns, and allows less while systemd describes its process to the service.
  func reduceWhileDescribed(_ manner: Agent.Manner) {
    guard !isSession, let agent = agents.first(where: { $0.manner == manner }), agent.isConnected, !agent.isSilent,
      agent.level == .exact
    else { return }
    systemd.latency = 300_000...300_000
    agent.exit()
    agent.start()
    for client in clients where client.user == agent.user { client.locateRecently() }
    schedule.after(400_000) { agent.setLevel(.street) }
    schedule.after(2_000_000) { [systemd] in systemd.latency = 50...4_000 }
    // An increase may wait for some seconds.
    schedule.after(9_000_000) { agent.setLevel(.exact) }
  }

  /// GeoClue exits and cannot be started, unless its next location would come too late for this quiet time.
  func failGeoClue() {
    guard healedAt == nil || geoclue.interval == 1_000_000 || geoclue.isStatic else { return }
    geoclueFails = true
    geoclue.exit()
  }

  /// A user's session changes while logind runs, which announces it.
  func setSession(_ session: Truth.Session, of user: UInt32, isLost: Bool = false) {
    guard logind.isRunning else { return }
    truth.set(session, of: user, isLost: isLost)
    logind.announce(user, isLost: isLost)
    if session == .inactive, isQuiet(at: schedule.now) { checks.switched(user) }
  }

  /// A user's session is inactive for a moment while logind is slow. Meanwhile GeoClue measures.
  func suspendSession(of user: UInt32) {
    guard logind.answersSoon, polkit.answersSoon, truth.session(of: user) == .active else { return }
    logind.latency = 400_000...400_000
    setSession(.inactive, of: user)
    geoclue.measureSoon(in: 250_000)
    schedule.after(1_000_000) { [self] in
      logind.latency = 50...4_000
      setSession(.active, of: user)
    }
  }

  /// While logind is not running, a program says in its name that the machine has slept.
  func forgeAbsentLogind(by client: Client) {
    // The service replaces the client of a fixed location, and one that has reported nothing for 15 s, now and then.
    guard logind.answersSoon, !geoclue.isStatic, geoclue.lastFixAt > schedule.now - 14_800_000, !isSession,
      !isBusFaulty, client.isConnected, let serviceName, let owner = geoclue.newestClient?.owner,
      geoclue.hasActiveClient
    else { return }
    let begin = schedule.now
    logind.exit()
    schedule.after(100_000) {
      for name in [serviceName, owner] {
        client.signal(
          "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(false)], to: name)
      }
    }
    schedule.after(300_000) { [self] in logind.start() }
    // Later it may be replaced for another reason.
    schedule.after(150_000) { [self] in
      guard geoclue.answersSoon, max(geoclue.startedAt, geoclue.slowAt, wokeAt) < begin,
        !geoclue.hasClient(from: begin)
      else { return }
      checks.broken("only logind says that the machine has slept", "GeoClue has another client")
    }
  }

  /// Programs of one user make a burst of calls while those of others make few.
  func crowd(of user: UInt32) {
    crowdedAt[user] = schedule.now
    let before = crowded[user].flatMap { $0.contains(schedule.now) ? $0 : nil }
    let begin = before?.lowerBound ?? schedule.now
    crowded[user] = begin...(before?.upperBound ?? begin) + burstTime
    for client in clients where client.user == user { client.flood(190, areShort: true) }
    for client in clients where client.user != user { client.askInTurn() }
  }
}
