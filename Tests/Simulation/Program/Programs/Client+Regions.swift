// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistSimulatedKernel

extension Client {
  static let region = "org.geopublicist.Location1.Region"

  /// A client's view of one of its regions.
  final class Region {
    /// Shortly after the time at which the service gives up the last good location.
    static let shortUnknownAfter = FixArbiter.staleAfter.microseconds + 2_000_000

    let path: String
    let level: AccuracyLevel
    let latitude: Double
    let longitude: Double
    let radius: Double
    /// How long a change must persist, in microseconds.
    let confirm: Int64
    let isSingleUse: Bool
    var includesLocation = false
    /// Whether its desktop id is the one that GeoClue's configuration can disallow.
    var isNamed = false
    /// How long its state lasts without evidence, in microseconds.
    var unknownAfter: Int64 = 900_000_000
    /// How long it may be used after its first start, in microseconds of the boot clock, 0 for ever.
    var duration: Int64 = 0
    /// When `Start` was first called, and when the region must have ended, in microseconds of the boot clock.
    var firstStart: Int64?
    var endsAt: Int64?
    /// Whether it reports a stay, and whether it has done so since the machine came; nil if the client may have missed
    /// it.
    let dwells: Bool
    var hasDwelled: Bool? = false
    /// How many stays it has reported.
    var stays = 0
    /// When it reported a stay in a quiet time, if that was its last event, in microseconds of the boot clock.
    var dwelledAt: Int64?
    var isStarted = false
    /// The first call of `Start` without an answer, on the monotonic and on the boot clock.
    var startedSince: (time: Int64, boottime: Int64)?
    /// How often it was stopped, and whether the last answer to `Start` was to a call before that.
    var stops = 0
    var isUncertain = false
    /// Whether `Stop` was answered and `Start` has not been called since.
    var isStopped = false
    /// When it was last started or stopped, in microseconds of the monotonic and of the boot clock.
    var changedAt: Int64 = 0
    var changedAtBoottime: Int64 = 0
    var state = "unknown"
    /// The reason of the last event.
    var reason = ""
    /// The last value of the property with the reason, if it is known from signals.
    var signalledReason: Value?
    /// The last known state; nil if the client may have missed it.
    var known: String? = "unknown"
    /// The time of the event with which a known state began.
    var knownSince: Value?
    /// The number of suspends when the state was reported.
    var sleeps = 0
    var sequence: UInt64 = 0
    var toldAt: Int64 = .min / 2
    /// When the last event was committed, on the monotonic clock, or the region was created. It was not sent earlier.
    var committedAt: Int64 = .min / 2
    var isUsed = false
    /// How often its state was lost.
    var losses = 0
    var told: (status: String, reason: String)?
    var authorizationToldAt: Int64 = .min / 2
    /// Whether `Start` has been answered since the authorization was last told. It is then told again.
    var mayBeToldAgain = true

    init(
      _ path: String, _ level: AccuracyLevel, _ latitude: Double, _ longitude: Double, _ radius: Double,
      confirm: Int64, isSingleUse: Bool, dwells: Bool
    ) {
      (self.path, self.level, self.radius) = (path, level, radius)
      (self.latitude, self.longitude) = (latitude, longitude)
      (self.confirm, self.isSingleUse, self.dwells) = (confirm, isSingleUse, dwells)
    }
  }

  /// Creates a region at one of the two places between which the machine moves. A wide region can be evaluated with
  /// locations at the level `city`.
  ///
  /// - Parameters:
  ///   - isHere: Whether the machine is in the middle of the region.
  ///   - isLasting: Whether the region never ends.
  func monitor(isWide: Bool = false, isHere: Bool = false, isLasting: Bool = false) {
    guard isConnected else { return }
    let level: AccuracyLevel = isWide || isHere || chance.percent(80) ? .exact : .city
    let radius = isHere ? 1_000 : isWide ? 20_000 : Double(chance.pick([200, 1_000, 20_000]))
    let latitude = world.place(isOther: !isHere && chance.percent(50))
    let confirm = Int64(isHere ? 1_000 : chance.pick([1_000, 5_000, 20_000]))
    let isSingleUse = !isHere && chance.percent(15)
    let includesLocation = isWide || chance.percent(50)
    createRegion(
      level, latitude, radius, confirm: confirm, isSingleUse: isSingleUse, includesLocation: includesLocation,
      isLasting: isLasting, east: chance.pick([0, 0, 300]), isNamed: !isHere && !isWide && chance.percent(15))
  }

  /// Creates a wide region whose border is between the two places. The machine is inside.
  func monitorBorder() {
    guard isConnected else { return }
    let (here, there) = (world.place(isOther: false), world.place(isOther: true))
    let centre = (here + there) / 2 + (here < there ? -1 : 1) * 20_000 / Checks.metresPerDegree
    createRegion(.exact, centre, 20_000, confirm: 20_000, isSingleUse: false, includesLocation: false)
  }

  /// Creates a region whose border is 100 m to the north of the machine, which is inside.
  func monitorNearBorder() {
    guard isConnected else { return }
    let centre = world.place(isOther: false) - 900 / Checks.metresPerDegree
    createRegion(
      .exact, centre, 1_000, confirm: 20_000, isSingleUse: false, includesLocation: false, dwells: false,
      isLasting: true)
  }

  /// Creates a region around the machine that soon reports a stay. The machine is in the west of it.
  ///
  /// - Parameter isWide: Whether it can be evaluated with locations at the level `city`. The stay is then reported with
  ///   a location.
  func monitorStay(isWide: Bool = false) {
    guard isConnected, regions.count < 4 else { return }
    let here = world.place(isOther: false)
    createRegion(
      .exact, here, isWide ? 20_000 : 1_000, confirm: isWide ? 1_000 : 5_000, isSingleUse: false,
      includesLocation: isWide, dwells: true, east: 700)
  }

  /// Creates a small region around the machine that is lost shortly after the service has given up the last good
  /// location.
  func monitorClosely() {
    guard isConnected, regions.count < 4 else { return }
    createRegion(
      .exact, world.place(isOther: false), 200, confirm: 20_000, isSingleUse: false, includesLocation: false,
      unknownAfter: Region.shortUnknownAfter)
  }

  /// Creates a wide region around the machine that is evaluated with locations of a town.
  func monitorTown() {
    guard isConnected else { return }
    createRegion(
      .city, world.place(isOther: false), 45_000, confirm: 5_000, isSingleUse: false, includesLocation: false,
      dwells: false, unknownAfter: 60_000_000)
  }

  /// Creates a region and starts it.
  ///
  /// - Parameters:
  ///   - confirm: In milliseconds.
  ///   - unknownAfter: In microseconds.
  ///   - east: How far the centre is to the east of the machine's meridian, in metres.
  private func createRegion(
    _ level: AccuracyLevel, _ latitude: Double, _ radius: Double, confirm: Int64, isSingleUse: Bool,
    includesLocation: Bool, dwells: Bool? = nil, unknownAfter: Int64? = nil, isLasting: Bool = false, east: Double = 0,
    isNamed: Bool = false
  ) {
    let longitude = world.home.longitude(east: east)
    var options: [(String, Value)] = [
      ("latitude", .double(latitude)), ("longitude", .double(longitude)), ("radius", .double(radius)),
      ("accuracy", .string("\(level)")), ("confirm", .uint32(UInt32(confirm))), ("single-use", .boolean(isSingleUse)),
    ]
    if isNamed { options.append(Self.named) }
    let dwells = dwells ?? chance.percent(30)
    if dwells { options.append(("dwell", .uint32(10_000))) }
    if includesLocation { options.append(("include-location", .boolean(true))) }
    if let unknownAfter { options.append(("unknown-after", .uint32(UInt32(unknownAfter / 1_000)))) }
    let duration: Int64 = unknownAfter == nil && !isLasting && chance.percent(10) ? 50_000_000 : 0
    if duration > 0 { options.append(("duration", .uint32(UInt32(duration / 1_000)))) }
    // What the program remembers from its last run.
    let assumed = chance.pick(["unknown", "unknown", "inside", "outside"])
    options.append(("assumed", .string(assumed)))
    let connections = connections
    ask(Self.path, Self.service, "CreateRegion", [.options(options)]) { [weak self] reply in
      guard let self, self.connections == connections, reply.kind == .reply,
        let path = reply.values.first?.objectPath?.rawValue
      else { return }
      let region = Region(
        path, level, latitude, longitude, radius, confirm: confirm * 1_000, isSingleUse: isSingleUse, dwells: dwells)
      (region.known, region.duration, region.includesLocation) = (assumed, duration, includesLocation)
      // No event can be missed before the region exists.
      region.committedAt = world.schedule.now
      region.isNamed = isNamed
      region.unknownAfter = unknownAfter ?? region.unknownAfter
      regions.append(region)
      world.checks.created(path, by: self, isNamed: isNamed, radius: radius)
      start(region)
    }
  }

  func start(_ region: Region) {
    // The answer to an earlier call may be lost.
    let before = region.startedSince ?? (world.schedule.now, kernel_boottime())
    region.startedSince = before
    region.isStopped = false
    region.firstStart = region.firstStart ?? before.boottime
    ask(region.path, Self.region, "Start") { [stops = region.stops] reply in
      region.mayBeToldAgain = true
      region.isUncertain = stops != region.stops
      if !reply.isLost { region.startedSince = nil }
      guard reply.kind == .reply, !region.isStarted else { return }
      if region.duration > 0, region.endsAt == nil { region.endsAt = kernel_boottime() + region.duration }
      (region.isStarted, region.changedAt, region.changedAtBoottime) = (true, before.time, before.boottime)
    }
  }

  func close(_ region: Region) {
    closing.insert(region.path)
    ask(region.path, Self.region, "Close") { [weak self] reply in
      guard !reply.errorName.hasSuffix("LimitsExceeded") else {
        self?.closing.remove(region.path)
        return
      }
      if !reply.isLost { self?.regions.removeAll { $0 === region } }
      if reply.kind == .reply { self?.checkEnd(of: region.path) }
    }
  }

  func change(_ region: Region) {
    guard region.isStarted else { return start(region) }
    chance.percent(30) ? close(region) : stop(region)
  }

  func stopRegions() { for region in regions where region.isStarted { stop(region) } }

  func startRegions() { for region in regions where !region.isStarted { start(region) } }

  private func stop(_ region: Region) {
    region.stops += 1
    region.startedSince = nil
    ask(region.path, Self.region, "Stop") { reply in
      guard reply.kind == .reply else { return }
      (region.isStarted, region.state, region.reason, region.told) = (false, "unknown", "", nil)
      region.isStopped = true
    }
  }

  func signalled(_ signal: Parcel, of region: Region) {
    let changed = signal.member == "PropertiesChanged" ? signal.values.dropFirst().first?.properties : nil
    region.signalledReason = changed?["StateReason"] ?? region.signalledReason
    switch signal.member {
    case "StateChanged":
      if region.isStopped { world.checks.broken("a stopped region sends nothing", region.path) }
      world.checks.changed(region, of: self, signal.values.first?.properties ?? [:])
    case "AuthorizationChanged":
      if let status = signal.values.first?.string, let reason = signal.values.last?.string {
        if region.isStarted, region.state != "unknown" {
          world.checks.told(self, status, before: region.told?.status)
        }
        world.checks.told(
          self, (status, reason), before: region.mayBeToldAgain ? nil : region.told, since: region.authorizationToldAt,
          at: region.path)
        region.mayBeToldAgain = false
        (region.told, region.authorizationToldAt) = ((status, reason), world.schedule.now)
      }
    // Events that the bus had not read are lost with the connection. Afterwards, the service sends the properties again.
    case "PropertiesChanged" where world.settledAt > region.committedAt:
      region.state = changed?["State"]?.string ?? region.state
      region.reason = changed?["StateReason"]?.string ?? region.reason
      (region.known, region.hasDwelled) = (nil, nil)
    case "Closed":
      world.checks.closed(region, signal.values.first?.string ?? "", to: self)
      regions.removeAll { $0 === region }
    default: break
    }
  }
}
