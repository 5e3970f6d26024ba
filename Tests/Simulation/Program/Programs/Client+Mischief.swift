// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

// MARK: - Mischief
extension Client {
  /// Starts one of its objects again. The report of its authorization must not wait for the reports to other users.
  func startInTurn() {
    // Users without a session share one account.
    guard isConnected, isReading, user < 1_000 || world.truth.session(of: user) != .none,
      let subscription = subscriptions.first(where: { $0.isStarted && $0.isPlain })
    else { return }
    stop(subscription)
    start(subscription)
    let begin = world.schedule.now
    // Each object of the other user may have one report that waits, and 64 are sent each second.
    world.schedule.after(300_000) { [self] in
      guard isConnected, isReading, subscription.isStarted, subscription.toldAt < begin else { return }
      world.checks.broken("one user's reports do not delay another's", subscription.path)
    }
  }

  /// Stops and starts its only object.
  func startAgain() {
    guard isConnected, let subscription = subscriptions.first, subscription.isStarted else { return }
    stop(subscription)
    start(subscription)
  }

  /// Uses the location for a limited time, during which it stops and starts again.
  func subscribeBriefly() {
    guard isConnected, world.mayCreate(for: self) else { return }
    subscribe(isPlain: false, at: .exact, for: 40_000_000) { [weak self] new in
      self?.later(15_000_000, with: new) {
        $0.stop(new)
        $0.start(new)
      }
    }
  }

  /// Requires an accuracy that no location has while a location waits for its interval.
  func demandMore() {
    guard isConnected, world.mayCreate(for: self) else { return }
    subscribe(isPlain: false, at: .exact, every: 20_000_000) { [weak self] new in
      self?.later(15_000_000, with: new) {
        $0.set("RequiredAccuracy", .double(2), of: new) { new.thresholds.accuracy = 2 }
      }
      self?.later(35_000_000, with: new) { $0.close(new) }
    }
  }

  /// Shortens the interval at whose end a location is due. It must then be sent immediately.
  func shortenWait() {
    guard isConnected, isReading, world.mayCreate(for: self) else { return }
    subscribe(isPlain: false, at: .exact, every: 40_000_000) { [weak self] new in
      self?.later(25_000_000, with: new) { client in
        let (begin, last) = (client.world.schedule.now, new.lastLocationAt)
        client.set("TimeThreshold", .uint32(1_000), of: new) { new.thresholds.time = 1_000_000 }
        client.later(400_000, with: new) { client in
          client.close(new)
          let world = client.world
          guard client.isReading, new.count > 0, new.lastLocationAt == last, new.thresholdsAt < begin + 200_000,
            new.thresholds.time == 1_000_000, world.geoclue.heldAt < last,
            client.entitlement.level == .exact, client.entitlement.since < last, world.outlierAt < last - 60_000_000,
            max(world.clockSetAt, world.wokeAt) < last - 10_000_000,
            // A fix soon after a better one may be held back.
            last + 4_000_000 < begin - 200_000,
            world.geoclue.hasBeenRead(in: last + 4_000_000..<begin - 200_000)
          else { return }
          world.checks.broken("a location that waits is sent when its interval is shortened", new.path)
        }
      }
    }
  }

  /// Does something with a subscription later, if it still exists.
  private func later(_ time: Int64, with subscription: Subscription, _ action: @escaping (Client) -> Void) {
    world.schedule.after(time) { [weak self] in
      guard let self, subscriptions.contains(where: { $0 === subscription }) else { return }
      action(self)
    }
  }

  /// Starts an object and stops it at once.
  func startAndStop() {
    guard isConnected, let subscription = subscriptions.last, subscription.hasStopped else { return }
    start(subscription)
    stop(subscription)
  }

  /// Starts an object that it has created some time ago.
  func startAnother() {
    if isConnected, let subscription = subscriptions.first(where: { $0.hasStopped }) { start(subscription) }
  }

  /// Makes a call that needs no other program and must not wait for another user's calls.
  func askInTurn() {
    guard isConnected, isReading else { return }
    let asked = world.schedule.now
    world.checks.asksInTurn(self)
    ask(Self.path, Self.properties, "Get", [.string(Self.service), .string("Limits")]) { [weak self] reply in
      guard let self else { return }
      world.checks.hadTurn(self)
      guard reply.kind == .reply, case .dictionary(_, _, let limits)? = reply.values.first?.unwrapped else { return }
      var expected = World.limits.mapValues { UInt32($0) }
      expected["subscriptions-per-user"] = world.limit
      let found = Dictionary(limits.map { ($0.key.string ?? "", $0.value.uint32 ?? 0) }) { $1 }
      if world.isQuiet(at: asked), found != expected {
        world.checks.broken("the service has read its configuration", "\(found), not \(expected)")
      }
    }
  }

  /// Sends many calls without waiting.
  ///
  /// - Parameter areLong: Whether they have long answers.
  func flood(_ count: Int, areShort: Bool = false, areLong: Bool = false) {
    guard isConnected else { return }
    world.floodedAt[user] = world.schedule.now
    if flood.open == 0 { flood.begin = world.schedule.now }
    flood.open += count
    var handled = 0
    let (begin, most) = (world.schedule.now, World.callsBurst + World.callsPerConnection + 20)
    let answered: (Parcel) -> Void = { [weak self] reply in
      guard let self else { return }
      flood.open -= 1
      flood.answeredAt = world.schedule.now
      if !reply.isLost, !reply.errorName.hasSuffix("LimitsExceeded") { handled += 1 }
      let seconds = Int((world.schedule.now - begin) / 1_000_000)
      if handled > most + World.callsPerSecond * min(seconds, 60), !world.isBusFaulty {
        world.checks.broken("a client has no more calls than its limit", "client \(number) had \(handled)")
      }
    }
    for index in 0..<count {
      guard !areLong else {
        call(Self.service, Self.path, Self.introspectable, "Introspect", [], answered)
        continue
      }
      guard !areShort else {
        call(Self.service, Self.path, Self.properties, "Get", [.string(Self.service), .string("Version")], answered)
        continue
      }
      call(
        Self.service, Self.path, index.isMultiple(of: 2) ? Self.properties : Self.service,
        index.isMultiple(of: 2) ? "GetAll" : "CreateSubscription",
        index.isMultiple(of: 2) ? [.string(Self.service)] : [.options([("accuracy", .string("nonsense"))])], answered)
    }
  }

  /// Makes many calls that wait for a location that never arrives.
  func pile() {
    guard isConnected, isReading else { return }
    var open = 40
    let options: [(String, Value)] = [
      ("timeout", .uint32(10_000)), ("maximum-age", .uint32(0)), ("required-accuracy", .double(0.5)),
    ]
    for _ in 0..<open {
      call(Self.service, Self.path, Self.service, "GetLocation", [.options(options)]) { _ in open -= 1 }
    }
    world.schedule.after(4_000_000) { [self] in
      guard isConnected, isReading, open > World.callsPerConnection else { return }
      world.checks.broken("a client has no more calls than its limit", "client \(number) has \(open)")
    }
  }

  /// Sends a message that is just too long, and one that is not.
  func exceedLength() {
    guard isConnected, isReading else { return }
    let (begin, longest) = (world.schedule.now, World.messageBytes)
    for length in [longest + 100, longest - 300] {
      let value: Value = chance.pick([
        .bytes(Array(repeating: 1, count: length)), .array("d", Array(repeating: .double(1), count: length / 8)),
        .array("s", Array(repeating: .string("123"), count: length / 8)),
        .string(String(repeating: "a", count: length)),
        .array("v", Array(repeating: .variant(.uint32(1)), count: length / 8)),
      ])
      ask(Self.path, Self.service, "GetLocation", [.options([("accuracy", value)])]) { [weak self] reply in
        guard let self, !reply.isLost, connectedAt < begin else { return }
        // Another limit may be reached.
        let isTooLong = reply.values.first?.string?.contains("message-bytes") ?? false
        let isLimited = reply.errorName.hasSuffix("LimitsExceeded")
        guard length > longest ? !isLimited : isTooLong else { return }
        world.checks.broken(
          "only a message that is too long is refused for its length", "client \(number): \(length), \(reply.errorName)"
        )
      }
    }
  }

  /// Makes as many long calls as it may. After some seconds, it may call again.
  ///
  /// Those that wait may have 256 KiB together.
  func burden() {
    guard isConnected, isReading, flood.open == 0 else { return }
    // The refusals after an earlier burden, perhaps of the same account, may wait for their rate.
    let isFirst = world.floodedAt.values.max() ?? .min / 2 < world.schedule.now - 30_000_000
    world.floodedAt[user] = world.schedule.now
    let options: Value = .options([("accuracy", .string(String(repeating: "a", count: World.messageBytes - 1_000)))])
    let (begin, connections) = (world.schedule.now, connections)
    var refused = 0
    for _ in 0..<120 {
      call(Self.service, Self.path, Self.service, "GetLocation", [options]) { reply in
        if reply.errorName.hasSuffix("LimitsExceeded") { refused += 1 }
      }
    }
    // If answers wait when they arrive, all refusals wait for the rate, which long calls use up for 12.5 s.
    world.schedule.after(14_000_000) { [self] in
      guard isConnected, self.connections == connections, world.settledAt < begin - 1_000_000,
        world.servingSince.map({ $0 < begin }) ?? false
      else { return }
      if refused < Self.leastRefused, isFirst {
        world.checks.broken("a user's calls wait only up to a total length", "\(refused) were refused")
      }
      call(Self.service, Self.path, Self.properties, "Get", [.string(Self.service), .string("Version")]) {
        [weak self] reply in
        guard let self, isReading, reply.errorName.hasSuffix("LimitsExceeded") else { return }
        world.checks.broken("a client that has called too much may soon call again", "client \(number)")
      }
    }
  }

  private static let leastRefused = 30

  /// Makes many calls that need no answer. They must not count for ever.
  func callWithoutReply() {
    guard isConnected, isReading, flood.open == 0 else { return }
    let options: [(String, Value)] = [("timeout", .uint32(100)), ("maximum-age", .uint32(0))]
    for _ in 0..<World.callsPerConnection + 2 {
      call(Self.service, Self.path, Self.service, "GetLocation", [.options(options)], wantsReply: false)
    }
    let (begin, connections) = (world.schedule.now, connections)
    burstAt = begin
    world.schedule.after(7_000_000) { [self] in
      guard burstAt == begin, world.settledAt < begin, world.servingSince.map({ $0 < begin }) ?? false else { return }
      guard flood.open == 0, self.connections == connections else { return }
      callOnce()
    }
  }

  /// Makes a call while it has few others.
  func callOnce() {
    guard isConnected, isReading, world.checks.openCalls(of: self) < World.callsPerConnection / 2 else { return }
    ask(Self.path, Self.properties, "Get", [.string(Self.service), .string("Version")]) { [weak self] reply in
      guard let self, reply.kind == .error, reply.values.first?.string?.contains("calls-per-connection") == true
      else { return }
      world.checks.broken("a call without an answer is over", "client \(number)")
    }
  }

  /// Uses the location under many names, one after the other, so that the log has something to say about each.
  func introduce(_ count: Int) {
    guard count > 0, isConnected else { return }
    world.schedule.after(200_000) { [weak self] in self?.introduce(count - 1) }
    guard world.mayCreate(for: self) else { return }
    hasManyNames = true
    let connections = connections
    creations += 1
    ask(Self.path, Self.service, "CreateSubscription", [.options([("desktop-id", .string("org.example.N\(count)"))])]) {
      [weak self] reply in
      guard let self, self.connections == connections, !reply.isLost else { return }
      creationEnded()
      guard let path = reply.values.first?.objectPath?.rawValue else { return }
      let subscription = Subscription(path, .exact, Thresholds(), isPlain: false, isNamed: false)
      adopt(subscription)
      start(subscription)
      world.schedule.after(1_000_000) { [weak self] in self?.close(subscription) }
    }
  }

  /// Changes the thresholds of many objects, each so often that it always has something to report.
  func fidget() {
    guard isConnected else { return }
    for _ in objects..<max(objects, 15) where world.mayCreate(for: self) { subscribe(isPlain: true, at: .exact) }
    for count in 1...350 {
      world.schedule.after(1_000_000 + Int64(count) * 10_000) { [self] in
        let plain = subscriptions.filter(\.isPlain)
        guard isConnected, !plain.isEmpty else { return }
        let (subscription, accuracy) = (plain[count % plain.count], Double(9_000 + count))
        let values: [Value] = [
          .string(Self.subscription), .string("RequiredAccuracy"), .variant(.double(accuracy)),
        ]
        call(Self.service, subscription.path, Self.properties, "Set", values) { [world] reply in
          if reply.kind == .reply { subscription.requiredAccuracy = (accuracy, world.schedule.now) }
        }
      }
    }
    world.schedule.after(6_000_000) { [self] in
      for subscription in subscriptions { world.checks.changes(of: subscription, of: self) }
      for subscription in subscriptions.dropFirst(3) { close(subscription) }
    }
  }

  /// Starts and stops its only use of the location again and again, before it leaves.
  func flap(_ count: Int) {
    guard count > 0, isConnected, let subscription = subscriptions.last else { return exit() }
    if count.isMultiple(of: 2) { start(subscription) } else { stop(subscription) }
    world.schedule.after(50_000) { [self] in flap(count - 1) }
  }

  /// Comes for one call that does not wait for a location.
  func callBriefly() {
    start()
    let options: [(String, Value)] = [("timeout", .uint32(100)), ("maximum-age", .uint32(0))]
    ask(Self.path, Self.service, "GetLocation", [.options(options)])
    world.schedule.after(1_000_000) { [self] in exit() }
  }

  /// Comes for two calls, the second of which uses the source that is still held after the first.
  func callTwice() {
    start()
    let options: [(String, Value)] = [("timeout", .uint32(8_000)), ("maximum-age", .uint32(0))]
    ask(Self.path, Self.service, "GetLocation", [.options(options)], within: 8_000_000) { [self] reply in
      guard reply.kind == .reply else { return exit() }
      ask(Self.path, Self.service, "GetLocation", [.options(options)], within: 8_000_000) { [self] reply in
        guard reply.kind == .reply else { return exit() }
        let end = world.schedule.now
        world.schedule.after(1_500_000) { [self] in
          world.checks.lingers(since: end)
          exit()
        }
      }
    }
  }

  /// Creates an object while the service releases its name. The service must refuse or close it.
  ///
  /// - Parameter areLastCallsLong: Whether it also makes a call that lasts longer than the service.
  func callLate(areLastCallsLong: Bool) {
    guard isConnected else { return }
    subscribe(isPlain: true, at: .exact)
    // The service does not know this program yet, and learns its session late.
    world.logind.latency = 80_000...80_000
    ask(
      Self.path, Self.service, "RequestAuthorization", [.options([("accuracy", .string("exact"))])]
    ) { [world] reply in
      if reply.isLost { world.checks.broken("a call to a service that is about to exit is answered", reply.errorName) }
    }
    world.schedule.after(2_000_000) { [self] in
      world.logind.latency = 50...4_000
      for subscription in subscriptions {
        world.checks.broken("an object ends with the service's name", subscription.path)
      }
      if !areLastCallsLong { exit() }
    }
    guard areLastCallsLong else { return }
    world.checks.lastCallsTime = 10_000_000
    // No location is as accurate, so that the call waits for its timeout, or for the end of the service.
    let options: [(String, Value)] = [
      ("timeout", .uint32(120_000)), ("maximum-age", .uint32(0)), ("required-accuracy", .double(0.5)),
    ]
    let (begin, connections) = (world.schedule.now, connections)
    var isAnswered = false
    ask(Self.path, Self.service, "GetLocation", [.options(options)], within: 120_000_000) { [world] reply in
      isAnswered = true
      if reply.isLost { world.checks.broken("a call to a service that is about to exit is answered", reply.errorName) }
    }
    world.schedule.after(11_500_000) { [self] in
      if isConnected, self.connections == connections, !isAnswered, !world.isBusFaulty, world.settledAt < begin {
        world.checks.broken("the last calls of a service end soon", "client \(number)")
      }
      world.checks.lastCallsTime = 0
      exit()
    }
  }

  /// Comes, makes calls and leaves before the service can know whose program it is.
  func callAndLeave() {
    start()
    flood(12, areShort: true)
    let options = [("accuracy", Value.string(String(repeating: "a", count: 60_000)))]
    for _ in 0..<4 { call(Self.service, Self.path, Self.service, "GetLocation", [.options(options)]) }
    exit()
  }

  /// Comes and makes some calls at once, for which there must be room.
  func callAtOnce() {
    start()
    for _ in 0..<8 {
      ask(Self.path, Self.properties, "Get", [.string(Self.service), .string("Version")]) { [weak self] reply in
        guard let self, reply.values.first?.string?.contains("limit calls is reached") == true else { return }
        world.checks.broken("there is room for the calls of a new program", "client \(number)")
      }
    }
    world.schedule.after(300_000) { [self] in exit() }
  }

  /// Requests much and then neither reads nor calls.
  func hoard(_ count: Int) {
    guard isConnected else { return }
    isReading = false
    for _ in 0..<count { call(Self.service, Self.path, Self.introspectable, "Introspect") }
  }

  /// Calls as often as it may, but reads nothing.
  func callWithoutReading(_ count: Int = 100) {
    (isReading, onlyCalls) = (count == 0, count > 0)
    guard isConnected, count > 0 else { return }
    onlyCalledAt = world.schedule.now
    flood(19, areLong: true)
    world.schedule.after(400_000) { [self, connections] in
      if self.connections == connections { callWithoutReading(count - 1) }
    }
  }

  /// Creates as many objects as it may, for which each location is sent.
  func createManyObjects() {
    guard isConnected, isReading else { return }
    for _ in 0..<World.subscriptionsPerConnection where world.mayCreate(for: self) {
      subscribe(isPlain: true, at: .exact, starts: true)
    }
    world.schedule.after(20_000_000) { [self] in
      for subscription in subscriptions.dropFirst(3) { close(subscription) }
    }
  }

  /// Makes a call without reading. It must then be sent locations again.
  func showLife() {
    guard isConnected, !isReading else { return }
    call(Self.service, Self.path, Self.properties, "Get", [.string(Self.service), .string("Version")])
    let begin = world.schedule.now
    world.schedule.after(5_000_000) { [self] in
      guard isConnected, !isReading, entitlement.level == .exact, entitlement.since < begin - 10_000_000,
        subscriptions.contains(where: { $0.isPlain && $0.isStarted && $0.level == .exact }), !world.isBusFaulty,
        world.geoclue.hasBeenRead(in: begin + 1_000_000..<world.schedule.now - 200_000), sentLocationAt < begin,
        // After a wrong location that was believed, the right one may be wrong.
        world.outlierAt < begin - 60_000_000,
        // The first locations after a sleep may be from before it, and those after a move wrong.
        [world.wokeAt, world.movedAt].allSatisfy({
          $0 < begin - 6_000_000 && world.geoclue.hasBeenRead(in: $0..<begin - 6_000_000)
        })
      else { return }
      world.checks.broken("a client that calls is sent locations", "client \(number)")
    }
  }

  /// Forges signals of other programs.
  func forge(_ variant: Int) {
    guard isConnected else { return }
    switch variant % 4 {
    case 0:
      signal(
        Agent.path, Self.properties, "PropertiesChanged",
        [.string(Agent.interface), .options([("MaxAccuracyLevel", .uint32(8))]), .strings([])])
    case 1:
      guard let (path, owner) = world.geoclue.newestClient else { return }
      signal(
        path, "org.freedesktop.GeoClue2.Client", "LocationUpdated",
        [.objectPath("/"), .objectPath(ObjectPath(unchecked: GeoClue.forgedLocation))], to: owner)
    case 2:
      signal(
        "/org/freedesktop/DBus", SimulatedBus.name, "NameOwnerChanged",
        [.string(Polkit.service), .string(""), .string(name)])
    default: signal("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(false)])
    }
  }

  /// Sends the service signals of others. The bus delivers them, because they have a destination.
  func forgeAsServices() {
    guard isConnected else { return }
    for name in Set([world.serviceName, world.geoclue.newestClient?.owner].compactMap(\.self)).sorted() {
      signal(
        "/org/freedesktop/GeoClue2/Manager", Self.properties, "PropertiesChanged",
        [.string(GeoClue.manager), .options([("AvailableAccuracyLevel", .uint32(0))]), .strings([])], to: name)
      signal(
        "/org/freedesktop/DBus", SimulatedBus.name, "NameOwnerChanged",
        [.string(GeoClue.service), .string(world.geoclue.name), .string("")], to: name)
    }
  }
}

// MARK: - Quiet times
extension Client {
  /// The interval between locations of a client that rests, in microseconds.
  static let rest: Int64 = 200_000_000

  func closeSubscriptions(at level: AccuracyLevel? = nil) {
    for subscription in subscriptions where subscription.level == level ?? subscription.level { close(subscription) }
  }

  /// Ensures that it follows the location. If it `rests`, it has one subscription, which lets GeoClue rest.
  func settle(rests: Bool) {
    guard !rests else {
      closeSubscriptions()
      for region in regions { close(region) }
      subscribe(isPlain: false, at: .exact, every: world.isRestRare ? 0 : Self.rest)
      // The source is needed until the quiet time of a change has passed.
      guard world.isRestRare else { return }
      return subscribe(isPlain: false, at: .exact, with: Thresholds(debounce: 300_000, isSignificant: true))
    }
    for subscription in subscriptions where !subscription.isStarted { start(subscription) }
    for region in regions where !region.isStarted { start(region) }
    if !subscriptions.contains(where: { $0.isPlain && $0.level == .exact && !$0.isNamed }) {
      subscribe(isPlain: true, at: .exact)
    }
  }
}
