// SPDX-License-Identifier: Apache-2.0
import DBus

// MARK: - Mistakes
extension Client {
  private static let circle: [(String, Value)] = [
    ("latitude", .double(50)), ("longitude", .double(10)), ("radius", .double(1_000)),
  ]

  /// Options that contradict the contract, by the method that must refuse them.
  private static let mistakes: [(method: String, options: [(String, Value)])] = [
    ("CreateSubscription", [("accuracy", .string("room"))]),
    ("CreateSubscription", [("acuracy", .string("city"))]),
    ("CreateSubscription", [(String(repeating: "a", count: 5_000), .string("city"))]),
    ("CreateSubscription", [("accuracy\u{1b}[2J", .string("city"))]),
    ("CreateSubscription", [("accuracy", .string("city\n" + String(repeating: "a", count: 5_000)))]),
    ("CreateSubscription", [("accuracy", .string("city")), ("accuracy", .string("exact"))]),
    ("CreateSubscription", [("distance-threshold", .double(-1))]),
    ("CreateSubscription", [("required-accuracy", .double(.nan))]),
    ("CreateSubscription", [("required-accuracy", .double(.infinity))]),
    ("CreateSubscription", [("time-threshold", .double(0.5))]),
    ("CreateSubscription", [("debounce", .int32(-1))]),
    ("CreateSubscription", [("max-updates", .string("2"))]),
    ("CreateSubscription", [("mode", .string("sometimes"))]),
    ("CreateSubscription", [("desktop-id", .string("org.example\nNamed"))]),
    ("CreateSubscription", [("desktop-id", .string(String(repeating: "a", count: 256)))]),
    ("CreateSubscription", [("desktop-id", .string(String(repeating: "ä", count: 128)))]),
    ("CreateSubscription", [("max-updates", .uint64(4_294_967_296))]),
    ("CreateSubscription", [("duration", .double(.infinity))]),
    ("CreateSubscription", [("time-threshold", .double(4_294_967_296))]),
    ("CreateSubscription", [("maximum-age", .uint32(1_000))]),
    ("GetLocation", [("accuracy", .uint32(8))]),
    ("GetLocation", [("max-updates", .uint32(1))]),
    ("GetLocation", [("timeout", .uint32(120_001))]),
    ("GetLocation", [("best-effort", .uint32(1))]),
    ("RequestAuthorization", [("timeout", .uint32(1_000))]),
    ("RequestAuthorization", [("desktop-id", .boolean(true))]),
    ("GetAlmanac", [("twilight", .string("dark"))]),
    ("GetAlmanac", [("timeout", .uint32(120_001))]),
    ("CreateAlmanac", [("timeout", .uint32(1_000))]),
    ("CreateAlmanac", [("night-offset", .int32(21_601))]),
    ("CreateAlmanac", [("day-offset", .double(0.5))]),
    ("CreateAlmanac", [("day-offset", .int32(1_000_000))]),
    ("CreateAlmanac", [("accuracy", .string("exact"))]),
    ("CreateRegion", [("latitude", .double(50)), ("longitude", .double(10))]),
    ("CreateRegion", circle + [("assumed", .string("near"))]),
    ("CreateRegion", circle + [("single-use", .string("true"))]),
    ("CreateRegion", circle + [("dwell", .int32(-1))]),
    ("CreateRegion", circle + [("debounce", .uint32(1))]),
    ("CreateRegion", circle + [("latitude", .double(50))]),
    ("CreateRegion", [("latitude", .double(90.1))] + circle.dropFirst()),
    ("CreateRegion", [("latitude", .double(.nan))] + circle.dropFirst()),
    ("CreateRegion", [("longitude", .double(-180.1))] + circle.dropFirst(2) + circle.prefix(1)),
    ("CreateRegion", circle.dropLast() + [("radius", .double(49))]),
    ("CreateRegion", circle.dropLast() + [("radius", .double(1_000_001))]),
  ]

  /// Options at the bounds of the contract, and with other types of the same values.
  private static let permitted: [(method: String, options: [(String, Value)])] = [
    ("CreateSubscription", [("time-threshold", .int64(1_000)), ("debounce", .double(300))]),
    ("CreateSubscription", [("max-updates", .int32(0)), ("duration", .uint32(0)), ("distance-threshold", .uint32(5))]),
    ("CreateSubscription", [("desktop-id", .string(String(repeating: "a", count: 255)))]),
    ("CreateSubscription", [("max-updates", .uint32(.max)), ("duration", .uint32(.max))]),
    ("CreateSubscription", [("required-accuracy", .int32(0))]),
    ("GetLocation", [("timeout", .uint32(120_000)), ("required-accuracy", .uint32(100_000))]),
    ("GetLocation", [("timeout", .int64(0)), ("maximum-age", .uint32(.max)), ("best-effort", .boolean(true))]),
    ("CreateAlmanac", [("day-offset", .int32(21_600)), ("night-offset", .int64(-21_600))]),
    ("CreateRegion", circle.dropLast() + [("radius", .int32(50))]),
    ("CreateRegion", circle + [("confirm", .uint32(0)), ("dwell", .uint32(.max)), ("unknown-after", .uint32(.max))]),
    ("CreateRegion", [("latitude", .double(-90)), ("longitude", .int32(180)), ("radius", .double(1_000_000))]),
  ]

  /// Makes calls with options at the bounds of the contract.
  func useBounds() {
    guard isConnected, isReading else { return }
    for (method, options) in Self.permitted {
      let deadline: Int64 = method == "GetLocation" ? 120_000_000 : 5_000_000
      ask(Self.path, Self.service, method, [.options(options)], within: deadline) { [weak self] reply in
        guard let self else { return }
        if ["InvalidOption", "InvalidArgs"].contains(where: reply.errorName.hasSuffix) {
          world.checks.broken("no permitted option is refused", "client \(number): \(method) \(options)")
        }
        guard let path = reply.values.first?.objectPath?.rawValue else { return }
        let kind = method.dropFirst("Create".count)
        call(Self.service, path, "\(Self.service).\(kind)", "Close", wantsReply: false)
      }
    }
  }

  /// Creates as many regions as the limit permits, and closes them.
  func exhaustRegions() {
    guard isConnected, isReading else { return }
    let (before, connections, limit) = (regions.count, connections, "regions-per-connection")
    var (paths, isLimited): ([String], Bool) = ([], false)
    for _ in 0..<max(0, World.regionsPerConnection + 2 - before) {
      ask(Self.path, Self.service, "CreateRegion", [.options(Self.circle)]) { reply in
        if let path = reply.values.first?.objectPath?.rawValue { paths.append(path) }
        if reply.values.first?.string?.contains(limit) == true { isLimited = true }
      }
    }
    world.schedule.after(3_000_000) { [self] in
      guard isConnected, connections == self.connections else { return }
      for path in paths { call(Self.service, path, Self.region, "Close", wantsReply: false) }
      let count = before + paths.count
      guard isReading, regions.count == before, !world.isBusFaulty else { return }
      if count > World.regionsPerConnection || isLimited && count < World.regionsPerConnection {
        world.checks.broken("a client may have as many regions as its limit", "client \(number) has \(count)")
      }
    }
  }

  /// Makes every mistake once.
  func mistake() {
    guard isConnected, isReading else { return }
    for (method, options) in Self.mistakes {
      ask(Self.path, Self.service, method, [.options(options)]) { [weak self] reply in
        self?.refused(reply, "\(method) \(options)")
      }
    }
    for call in Self.wrongCalls {
      ask(call.path, call.interface, call.member, call.values) { [weak self] reply in
        self?.refused(reply, "\(call)", as: [call.error])
      }
    }
    ask(Self.path, "org.freedesktop.DBus.Peer", "Ping") { [weak self] reply in
      guard let self, reply.kind == .error, !reply.isLost, !reply.errorName.hasSuffix("LimitsExceeded") else { return }
      world.checks.broken("the service answers a ping", "client \(number): \(reply.errorName)")
    }
    ask(Self.path, "org.freedesktop.DBus.Introspectable", "Introspect") { [weak self] reply in
      guard let self, reply.kind == .reply, let text = reply.values.first?.string else { return }
      // An argument of a method without a direction goes in.
      let own = text.split(separator: "<interface name=\"\(Self.service)\"").last ?? ""
      if own.split(separator: "</interface>").first?.contains("direction=\"out\"") != true {
        world.checks.broken("the service describes its methods", "client \(number)")
      }
    }
    let long = "/" + String(repeating: "a", count: 5_000)
    for interface in [Self.service, "org.freedesktop.DBus.Peer"] {
      ask(long, interface, "Ping") { [weak self] reply in
        guard let self, !reply.isLost, !reply.errorName.hasSuffix("LimitsExceeded") else { return }
        world.checks.broken("a path that is too long is refused", "client \(number): \(reply.errorName)")
      }
    }
    guard let subscription = subscriptions.first(where: \.isPlain) else { return }
    let errors = ["Active": "PropertyReadOnly", "Debounces": "UnknownProperty"]
    for (name, value) in [
      ("TimeThreshold", .double(0.5)), ("Accuracy", .string("room")), ("DistanceThreshold", .double(-1)),
      ("RequiredAccuracy", .string("8")), ("Active", .boolean(true)), ("Debounces", .uint32(1)),
    ] as [(String, Value)] {
      ask(subscription.path, Self.properties, "Set", [.string(Self.subscription), .string(name), .variant(value)]) {
        [weak self] reply in
        // The subscription may have ended.
        let expected = errors[name].map { [$0] } ?? ["InvalidOption", "InvalidArgs"]
        self?.refused(reply, "\(name)=\(value)", as: expected + ["UnknownObject"])
      }
    }
  }

  private static let wrongCalls: [(path: String, interface: String, member: String, values: [Value], error: String)] = [
    (path, service, "GetPlace", [], "UnknownMethod"),
    (path, "org.freedesktop.DBus.Peer", "Pong", [], "UnknownMethod"),
    (path, "\(service).Unknown", "GetLocation", [.options([])], "UnknownInterface"),
    ("\(path)/unknown", service, "GetLocation", [.options([])], "UnknownObject"),
    (path, service, "GetLocation", [], "InvalidArgs"),
    (path, properties, "Get", [.string(service), .string("Unknown")], "UnknownProperty"),
    (path, properties, "Get", [], "InvalidArgs"),
    (path, properties, "Get", [.string(service)], "InvalidArgs"),
    (path, properties, "Set", [.string(service), .string("State")], "InvalidArgs"),
    (path, properties, "GetAll", [], "InvalidArgs"),
    (path, "org.freedesktop.DBus.Introspectable", "Introspect", [.string("")], "InvalidArgs"),
  ]

  private func refused(
    _ reply: Parcel, _ mistake: String,
    as names: [String] = ["InvalidOption", "InvalidArgs"]
  ) {
    guard !reply.isLost, !reply.errorName.hasSuffix("LimitsExceeded"),
      reply.kind == .reply || !names.contains(where: reply.errorName.hasSuffix)
    else { return }
    world.checks.broken("a mistake is refused", "client \(number): \(mistake): \(reply.errorName)")
  }
}
