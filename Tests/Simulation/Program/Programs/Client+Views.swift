// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Reads what the service shows of its objects.
extension Client {
  static let introspectable = "org.freedesktop.DBus.Introspectable"
  private static let folder = path + "/subscription"

  func look() {
    ask(Self.path, Self.service, "ListSubscriptions") { [weak self] reply in
      guard let self else { return }
      if reply.kind == .reply { world.checks.listed(reply.values.first?.array ?? [], to: self) }
    }
    let closed = closed
    ask(Self.folder, Self.introspectable, "Introspect") { [weak self] reply in
      guard let self, reply.kind == .reply else { return }
      let parts = (reply.values.first?.string ?? "").split(separator: "<node name=\"").dropFirst()
      let paths = parts.map { "\(Self.folder)/\($0.prefix { $0 != "\"" })" }
      world.checks.introspected(paths, to: self, afterClosing: closed)
    }
    for region in regions { read(region) }
    readAlmanac()
  }

  private static let almanac = service + ".Almanac"

  /// Creates and starts an almanac.
  func forecast() {
    guard isConnected else { return }
    if let almanacPath { return startAlmanac(almanacPath) }
    guard world.mayCreate(for: self) else { return }
    creations += 1
    let connections = connections
    let isNamed = chance.percent(15)
    let twilight = chance.pick(Checks.twilights.keys.sorted())
    let offsets = (day: chance.pick([0, 0, -1_800, 5_400]), night: chance.pick([0, 0, -5_400, 1_800]))
    var options: [(String, Value)] = [
      ("twilight", .string(twilight)), ("day-offset", .int32(Int32(offsets.day))),
      ("night-offset", .int32(Int32(offsets.night))),
    ]
    if isNamed { options.append(Self.named) }
    ask(Self.path, Self.service, "CreateAlmanac", [.options(options)]) { [weak self] reply in
      guard let self, self.connections == connections, !reply.isLost else { return }
      creationEnded()
      guard let path = reply.values.first?.objectPath?.rawValue else { return }
      // A client that has not read for a while learns of several at once.
      guard almanacPath == nil else {
        call(Self.service, path, Self.almanac, "Close", wantsReply: false)
        return
      }
      (almanacPath, almanac, almanacTold, isAlmanacNamed) = (path, nil, nil, isNamed)
      almanacOptions = (Checks.twilights[twilight] ?? .nan, offsets)
      world.checks.created(path, by: self, isNamed: isNamed)
      startAlmanac(path)
    }
  }

  /// Starts its almanac, or starts it again.
  private func startAlmanac(_ path: String) {
    ask(path, Self.almanac, "Stop") { [weak self] reply in
      guard let self, reply.kind == .reply else { return }
      (almanac, almanacTold) = (nil, nil)
    }
    almanacStartedAt = .max
    almanacStarts += 1
    ask(path, Self.almanac, "Start") { [weak self, almanacStarts] reply in
      if let self, path == almanacPath { almanacMayBeToldAgain = true }
      // An earlier start may have waited until it was stopped.
      guard let self, reply.kind == .reply, almanacStarts == self.almanacStarts else { return }
      almanacStartedAt = world.schedule.now
    }
  }

  func readAlmanac() {
    guard let path = almanacPath else { return }
    ask(path, Self.properties, "Get", [.string(Self.almanac), .string("Almanac")]) { [weak self] reply in
      guard let self, let almanac = reply.values.first?.unwrapped.properties, path == almanacPath else { return }
      world.checks.read(almanac, at: path, by: self)
      world.checks.read(almanac, by: self)
      world.checks.compare(almanac, of: self)
      world.checks.names(almanac, of: self)
    }
  }

  func closeAlmanac() {
    guard let path = almanacPath else { return }
    closing.insert(path)
    ask(path, Self.almanac, "Close") { [weak self] reply in
      guard let self, reply.kind == .reply, path == almanacPath else {
        self?.closing.remove(path)
        return
      }
      (almanacPath, almanac, almanacTold) = (nil, nil, nil)
      checkEnd(of: path)
    }
  }

  /// Requests an almanac once.
  func askForAlmanac() {
    let timeout: Int64 = chance.pick([100, 5_000])
    let isNamed = chance.percent(15)
    var options: [(String, Value)] = [
      ("timeout", .uint32(UInt32(timeout))), ("maximum-age", .uint32(chance.pick([0, 60_000, 2_592_000_000]))),
    ]
    if isNamed { options.append(Self.named) }
    ask(Self.path, Self.service, "GetAlmanac", [.options(options)], within: max(timeout * 1_000, 5_000_000)) {
      [weak self] reply in
      guard let self, let almanac = reply.values.first?.properties else { return }
      checkRules(reply, isNamed: isNamed)
      world.checks.sameTown(almanac, asFollowedBy: self)
      world.checks.read(almanac, at: "GetAlmanac", by: self)
      world.checks.read(almanac, by: self)
      world.checks.names(almanac, of: self)
    }
  }

  /// Requests an almanac, which it must receive.
  private func needAlmanac() {
    let (begin, townsSince) = (world.schedule.now, world.checks.townsSince)
    let twilight = chance.pick(Checks.twilights.keys.sorted())
    let offsets = chance.pick([(0, 0), (0, 0), (-1_800, 1_200), (3_600, 0), (0, -2_700)])
    let options: [(String, Value)] = [
      ("timeout", .uint32(5_000)), ("maximum-age", .uint32(60_000)), ("twilight", .string(twilight)),
      ("day-offset", .int32(Int32(offsets.0))), ("night-offset", .int32(Int32(offsets.1))),
    ]
    ask(Self.path, Self.service, "GetAlmanac", [.options(options)]) { [weak self] reply in
      guard let self, !reply.isLost, entitlement.level >= .city, entitlement.since < begin - 10_000_000 else { return }
      if let almanac = reply.values.first?.properties, reply.kind == .reply {
        world.checks.sun(almanac, night: Checks.twilights[twilight] ?? .nan, offsets, self)
        return
      }
      guard world.geoclue.interval == 1_000_000, !world.geoclue.isStatic, !world.polkit.isInDoubt,
        world.geoclue.hasBeenRead(in: begin - 20_000_000..<begin - 1_000_000),
        // An agent that confirms its level causes one location and then a pause.
        world.geoclue.hasBeenRead(
          in: min(world.checks.townsSince, world.schedule.now - 500_000)..<world.schedule.now - 500_000),
        max(world.wokeAt, world.geoclue.worksSince, world.outlierAt) < begin - 12_000_000,
        max(world.wokeAt, entitlement.since, connectedAt, world.settledAt) < townsSince - 5_000_000,
        (world.floodedAt[user] ?? .min) < begin - 30_000_000
      else { return }
      world.checks.broken("a permitted call returns an almanac", "client \(number): \(reply.errorName)")
    }
  }

  /// Checks that GeoClue's rules permitted an almanac. What the client had not read may be from before a rule.
  private func checkRules(_ almanac: Parcel, isNamed: Bool) {
    if readSince < world.schedule.now - 1_000_000 { world.checks.named(isNamed, almanac) }
  }

  /// The time of the next phase that its almanac has signalled, in seconds since 1970.
  var nextPhase: Int64? {
    almanac?.values["NextTime"]?.structure?.first?.uint64.flatMap { Int64(exactly: $0) }
  }

  func signalledAlmanac(_ signal: Parcel) {
    switch signal.member {
    case "AlmanacChanged":
      let values = signal.values.first?.properties ?? [:]
      almanac = (values, world.schedule.now)
      checkRules(signal, isNamed: isAlmanacNamed)
      world.checks.names(values, of: self)
      if isReading, readSince < world.schedule.now - 1_000_000, world.sentSince == world.schedule.now {
        world.checks.sun(values, night: almanacOptions.night, almanacOptions.offsets, self)
      }
    case "AuthorizationChanged":
      let new = (signal.values.first?.string ?? "", signal.values.last?.string ?? "")
      let before = almanacMayBeToldAgain ? nil : almanacTold
      world.checks.told(self, new, before: before, since: almanacToldAt, at: signal.path)
      (almanacTold, almanacToldAt, almanacMayBeToldAgain) = (new, world.schedule.now, false)
      // The service drops the almanac of a client that loses access.
      if signal.values.first?.string?.hasPrefix("authorized") == false { almanac = nil }
    case "ErrorOccurred": world.checks.failed(signal.path)
    case "Closed" where signal.path == almanacPath:
      world.checks.closed(almanac: signal.path, signal.values.first?.string ?? "", to: self)
      (almanacPath, almanac, almanacTold) = (nil, nil, nil)
    default: break
    }
  }

  /// Calls an object of another client, and a method that is reserved for administrators.
  func trespass() {
    let paths = world.clients.filter { $0 !== self }.flatMap {
      $0.subscriptions.map { ($0.path, Self.subscription) } + $0.regions.map { ($0.path, Self.region) }
    }
    guard !paths.isEmpty else { return }
    let (path, interface) = chance.pick(paths)
    let refused: (Parcel) -> Void = { [weak self] reply in
      // On a bus that hangs, the service may not learn whose call it is.
      guard let self, !reply.isLost else { return }
      let errors = ["UnknownObject", "LimitsExceeded"] + (world.isBusFaulty ? ["NotAuthorized"] : [])
      if errors.contains(where: reply.errorName.hasSuffix) { return }
      world.checks.broken("an object answers only its creator", "client \(number) calls \(path): \(reply.story)")
    }
    switch chance.number(in: 0...3) {
    case 0: ask(path, interface, chance.pick(["Start", "Stop", "Close"]), [], refused)
    case 1: ask(path, Self.properties, "GetAll", [.string(interface)], refused)
    case 2: ask(path, Self.introspectable, "Introspect", [], within: 5_000_000, refused)
    default:
      guard user != 0, user != world.serviceUser else { return readLog() }
      ask(Self.logControl, Self.properties, "Set", Self.logLevel + [.variant(.string("emerg"))]) { [weak self] reply in
        guard let self, reply.kind == .reply else { return }
        world.checks.broken("only an administrator changes the log", "client \(number) of \(user)")
      }
    }
  }

  private static let logControl = "/org/freedesktop/LogControl1"
  private static let logLevel = [Value.string("org.freedesktop.LogControl1"), .string("LogLevel")]

  /// Sets the log to its lowest level and then to debug for a moment, as an administrator.
  func tuneLog() {
    start()
    let begin = world.schedule.now
    ask(Self.logControl, Self.properties, "Get", Self.logLevel) { [weak self] reply in
      guard let self else { return }
      guard let usual = reply.values.first?.unwrapped.string else { return exit() }
      setLog("emerg")
      ask(Self.logControl, Self.properties, "Get", Self.logLevel) { [weak self] reply in
        guard let self, let level = reply.values.first?.unwrapped.string, level != "err" else { return }
        world.checks.broken("the log always contains errors", "its level is \(level)")
      }
      ask(Self.logControl, Self.properties, "Get", [Self.logLevel[0], .string("LogTarget")]) { [weak self] reply in
        guard let self, let target = reply.values.first else { return }
        // Only its present value is accepted.
        call(Self.service, Self.logControl, Self.properties, "Set", [Self.logLevel[0], .string("LogTarget"), target])
      }
      setLog("debug")
      ask(Self.path, Self.service, "RequestAuthorization", [.options([])]) { [weak self] reply in
        guard let self else { return }
        if reply.kind == .reply, world.checks.audit.explainedAt < begin {
          world.checks.broken("at the level debug, the log explains decisions", "\(reply.values)")
        }
        setLog(usual)
        exit()
      }
    }
  }

  private func setLog(_ level: String) {
    ask(Self.logControl, Self.properties, "Set", Self.logLevel + [.variant(.string(level))])
  }

  /// Reads the level of the log, which administrators may do.
  private func readLog() {
    ask(Self.logControl, Self.properties, "Get", Self.logLevel) { [weak self] reply in
      // While the bus stalls, the service cannot learn who has called.
      guard let self, world.sentSince == world.schedule.now,
        reply.errorName.hasSuffix("AccessDenied") || reply.errorName.hasSuffix("NotAuthorized")
      else {
        return
      }
      world.checks.broken("an administrator can read the log's level", "client \(number): \(reply.errorName)")
    }
  }

  /// Requests a location of the last 30 s. If the service has one, it must answer with it immediately.
  ///
  /// - Parameter time: How long the answer may take, in microseconds.
  func locateSoon(within time: Int64 = Checks.soon) {
    let begin = world.schedule.now
    let isRegular = world.geoclue.interval == 1_000_000 && world.geoclue.hasActiveClient
    let last = isRegular ? world.geoclue.lastReadAt : .min / 2
    let options: [(String, Value)] = [("accuracy", .string("exact")), ("timeout", .uint32(5_000))]
    ask(Self.path, Self.service, "GetLocation", [.options(options)]) {
      [weak self] reply in
      guard let self else { return }
      world.checks.answeredSoon(reply, to: self, calledAt: begin, within: time, hadLocationAt: last)
    }
  }

  /// Requests a location with the desktop-id that GeoClue disallows. The refusal must not affect calls without it.
  func locateAsNamed() {
    let options = [Self.named, ("timeout", .uint32(5_000))]
    ask(Self.path, Self.service, "GetLocation", [.options(options)]) { [weak self] reply in
      if reply.errorName.hasSuffix("NotAuthorized") { self?.locateSoon(within: 300_000) }
    }
  }

  /// Makes all calls whose answers are known in a quiet time.
  func askEverything() {
    guard isReading, connectedAt < world.schedule.now - 60_000_000 else { return }
    let expected = world.truth.authorization(of: self, asking: .exact)
    locateSoon()
    askForAuthorization()
    readService { [weak self] properties in
      guard let self else { return }
      world.checks.read(properties, by: self, expected: expected)
    }
    look()
    askForAlmanac()
    needAlmanac()
  }

  /// Reads some of its objects, whose properties it must have been told.
  func readObjects() {
    guard isConnected, isReading else { return }
    for subscription in subscriptions.suffix(8) {
      let changes = subscription.changes
      ask(subscription.path, Self.properties, "GetAll", [.string(Self.subscription)]) { [weak self] reply in
        guard let self, let properties = reply.values.first?.properties, changes == subscription.changes else { return }
        world.checks.read(properties, of: subscription, by: self)
      }
    }
    for region in regions.suffix(4) {
      let stops = region.stops
      ask(region.path, Self.properties, "GetAll", [.string(Self.region)]) { [weak self] reply in
        guard let self, let properties = reply.values.first?.properties, stops == region.stops else { return }
        world.checks.read(properties, of: region, by: self)
      }
    }
  }

  /// Requests its authorization, of which the service must know by now.
  func askForAuthorization() {
    let level = chance.pick([nil, nil, .exact, .street, .city, .country] as [AccuracyLevel?])
    let options = level.map { [("accuracy", Value.string("\($0)"))] } ?? []
    let expected = world.truth.authorization(of: self, asking: level ?? .exact)
    ask(Self.path, Self.service, "RequestAuthorization", [.options(options)]) { [weak self] reply in
      guard let self else { return }
      if reply.values.first?.string?.hasPrefix("authorized") == false { refusedCallAt = world.schedule.now }
      world.checks.answeredAuthorization(reply, to: self, asking: level ?? .exact, expected: expected)
    }
  }

  /// Reads its subscriptions while the service asks whether it still has access. What it was told meanwhile must not be
  /// followed by what was true before.
  func readDuringChange() {
    for subscription in subscriptions {
      let before = subscription.told
      ask(subscription.path, Self.properties, "GetAll", [.string(Self.subscription)]) { [weak self] reply in
        guard let self, let properties = reply.values.first?.properties, let told = subscription.told,
          told.status != before?.status, let status = properties["AuthorizationStatus"]?.string, status != told.status
        else { return }
        world.checks.broken("what is read is not older than what was told", "\(status) after \(told)")
      }
    }
  }

  /// Reads the properties of the service.
  func readService(_ handler: @escaping ([String: Value]) -> Void) {
    ask(Self.path, Self.properties, "GetAll", [.string(Self.service)]) { reply in
      if let properties = reply.values.first?.properties { handler(properties) }
    }
  }

  /// Reads the last event of a region. Its other properties contain the centre, which the client knows.
  func read(_ region: Region) {
    ask(region.path, Self.properties, "Get", [.string(Self.region), .string("LastEvent")]) { [weak self] reply in
      guard let self, let event = reply.values.first?.unwrapped.properties else { return }
      world.checks.read(event, at: region.path, by: self)
      world.checks.compare(event, of: region, of: self)
    }
  }
}
