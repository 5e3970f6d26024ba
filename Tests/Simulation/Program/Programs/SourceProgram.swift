// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel

/// Follows the location and a region through a source of locations.
final class SourceProgram: LibraryProgram {
  private var source: ServiceSource?
  private var isFollowing = false
  private var followsSince: Int64 = 0
  private var told: (status: String, reason: String)?
  private var status: SourceStatus?
  private var lastLocationAt: Int64 = .min / 2
  private var lastLatitude: Double?
  private var last: (fix: Int, sequence: UInt64) = (0, 0)
  /// What the service has sent and the library has not reported: the newest location, a failure, and an authorization.
  private var awaited:
    (
      location: (latitude: Double, at: Int64)?, failedAt: Int64?,
      authorization: (status: String, reason: String, at: Int64)?
    )
  /// The state of its region that the present service has sent last.
  private var sentState: (state: String, at: Int64)?
  /// When the service last decided about this program's authorization, as far as that was sent.
  private var decidedAt: Int64 = .min / 2
  /// When the library last called to create the region.
  private var createdAt: Int64 = .min / 2
  /// The objects that the library has called to close. The service may have refused that, so that it is repeated.
  private var released: Set<String> = []
  /// Whether it makes a request on its next turn.
  var isRequestDue = false
  /// When a request must have been answered.
  private var deadline: Int64?
  private var requests = 0
  /// The region that it monitors while it follows the location, and what it was told of it.
  private var region: AnyObject?
  private var centre = 0.0
  private var lastEventAt: Int64 = .min / 2
  private var lastEvent:
    (
      state: RegionState, reason: RegionReason, known: RegionState, sequence: UInt64, hasDwelled: Bool
    ) = (.unknown, .none, .unknown, 0, false)

  init(_ world: World, user: UInt32) { super.init(world, user: user, "library") }

  override func turn() {
    switch task {
    case .exit: exit()
    case .follow: follow(true)
    case .act:
      switch chance.number(in: 0...400) {
      case 0: exit()
      case 1: follow(false)
      case 2...9: follow(true)
      case 10...14: request()
      // It requests something else instead.
      case 15...18 where deadline != nil:
        source?.cancelRequest()
        deadline = nil
        request()
      default: break
      }
    }
    if isRequestDue, task == .act { request() }
    isRequestDue = false
    if isUndisturbed, let time = [awaited.location?.at, awaited.failedAt].compactMap(\.self).min(),
      world.schedule.now - time > 2_000_000
    {
      broken("the client library reports what the service sends", "\(awaited)")
    }
    checkAuthorization()
    checkMonitoring()
    if isUndisturbed, let deadline, world.schedule.now > deadline {
      broken("the client library answers each request", "")
    }
  }

  /// Checks that the library reports an authorization immediately, unless the service has just started.
  private func checkAuthorization() {
    guard isUndisturbed, isFollowing, let new = awaited.authorization, let begin = world.servingSince else { return }
    let isSettled = new.at - max(begin, connectedAt, followsSince) > 12_000_000
    guard isSettled || new.reason != "undecided", world.schedule.now - new.at > 1_000_000 else { return }
    broken("the client library reports each authorization immediately", "\(new)")
  }

  /// Checks that its region is monitored on this connection.
  private func checkMonitoring() {
    let since = max(connectedAt, followsSince)
    guard isUndisturbed, isConnected, region != nil, createdAt < since,
      world.schedule.now - max(since, world.servingSince ?? .max) > 12_000_000
    else { return }
    broken("the client library monitors its regions on each connection", "since \(since)")
  }

  override func wasSent(_ signal: Parcel) {
    super.wasSent(signal)
    let properties = signal.values.first?.properties
    let reason =
      signal.member == "AuthorizationChanged"
      ? signal.values.last?.string : properties?["AuthorizationReason"]?.string
    if let reason, reason != "undecided" { decidedAt = world.schedule.now }
    if signal.path.contains("/region/"), signal.member == "StateChanged" {
      sentState = (signal.values.first?.properties?["State"]?.string ?? "", world.schedule.now)
    }
    // An object from which a message waited for the bus may have been replaced.
    guard world.sentSince == world.schedule.now, isFollowing, signal.path.contains("/subscription/"),
      !released.contains(signal.path)
    else { return }
    switch signal.member {
    case "LocationUpdated":
      guard let latitude = signal.values.first?.properties?["Latitude"]?.double else { return }
      // The library does not report it again to its program after a restart.
      awaited.location = latitude == lastLatitude ? nil : (latitude, awaited.location?.at ?? world.schedule.now)
    case "AuthorizationChanged":
      guard let status = signal.values.first?.string, let reason = signal.values.last?.string else { return }
      awaited.authorization =
        told.map { $0 == (status, reason) } ?? false ? nil : (status, reason, world.schedule.now)
    case "ErrorOccurred": awaited.failedAt = awaited.failedAt ?? world.schedule.now
    default: break
    }
  }

  private func exit() {
    (awaited, sentState) = ((nil, nil, nil), nil)
    (source, isFollowing, deadline, told, status, last, region) = (nil, false, nil, nil, nil, (0, 0), nil)
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
    let before = status
    awaited = (nil, nil, nil)
    (isFollowing, followsSince, told, status, last) = (isWanted, world.schedule.now, nil, nil, (0, 0))
    begin().require(isWanted ? .exact : nil)
    if !isWanted, before.map({ $0.state != .idle }) ?? false, status?.state != .idle {
      broken("the client library's source is idle when it follows nothing", "\(before as Any)")
    }
    region = nil
    if isWanted { monitor() }
  }

  /// Monitors a region at one of the two places.
  private func monitor() {
    centre = world.place(isOther: chance.percent(50))
    // The machine is in the west of it, or far away.
    let east = world.home.longitude(east: 700)
    guard let circle = CircularRegion(latitude: centre, longitude: east, radius: Self.radius) else { return }
    var configuration = RegionConfiguration(circle)
    (configuration.confirm, configuration.dwell) = (.seconds(5), .seconds(10))
    configuration.unknownAfter = .seconds(40)
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
    lastEventAt = world.schedule.now
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
    if event.kind == .lost, isUndisturbed, let begin = world.servingSince, let sentState, sentState.at > begin,
      sentState.state != "unknown"
    {
      broken("the client library loses no region that the service knows", "\(event), \(sentState)")
    }
  }

  /// Checks that a stay in its region was reported.
  private func checkStay() {
    let since = max(
      lastEventAt, world.movedAt, world.wokeAt, world.clockSetAt, world.geoclue.worksSince, entitlement.since,
      world.settledAt, connectedAt)
    // A jump may be the end of the stay.
    guard lastEvent.state == .inside, !lastEvent.hasDwelled, world.geoclue.interval == 1_000_000,
      !world.geoclue.isStatic, world.schedule.now - since > 40_000_000,
      world.schedule.now - world.outlierAt > 25_000_000
    else { return }
    broken("the client library reports each stay in a region", "\(lastEvent)")
  }

  /// Checks that it knows no state of its region any more, because there has been no service for a time.
  func checkLoss(since begin: Int64) {
    guard isFollowing, isConnected, max(followsSince, connectedAt) < begin, lastEvent.state != .unknown else { return }
    broken("the client library reports the loss of a region", "\(lastEvent)")
  }

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

  override func didSend(_ parcel: Parcel) {
    super.didSend(parcel)
    if parcel.member == "Close" { released.insert(parcel.path) }
    if parcel.member == "CreateRegion" { (sentState, createdAt) = (nil, world.schedule.now) }
    guard parcel.member == "GetLocation", let deadline else { return }
    // The default is not sent.
    let timeout = parcel.values.first?.properties?["timeout"]?.uint32 ?? 20_000
    // A second is the shortest timeout of a repeated call.
    let end = world.schedule.now + Int64(timeout) * 1_000
    let isOnTime = world.bus.stall == .none && world.schedule.now - world.stalled.upperBound > 100_000
    if timeout > 1_000, end > deadline - 11_000_000 + 100_000, isOnTime {
      broken("the client library repeats a request with the time that is left", "\(timeout) ms")
    }
  }

  /// Requests a new location.
  private func request() {
    guard deadline == nil else { return }
    var options = ClientOptions()
    (options.timeout, options.maximumAge) = (.seconds(20), .zero)
    // After the timeout, the library waits 10 s for the service's own answer.
    deadline = world.schedule.now + 31_000_000
    requests += 1
    begin().requestLocation(options) { [weak self, number = requests] _ in
      guard let self else { return }
      if number != requests { broken("the client library answers no request that was cancelled", "\(number)") }
      deadline = nil
    }
  }

  private func handle(_ event: LocationSourceEvent) {
    world.tell("the library reports \(event)")
    switch event {
    case .location(let location):
      let isSameAccess = entitlement.since < lastLocationAt
      lastLocationAt = world.schedule.now
      lastLatitude = location.latitude
      if lastLatitude == awaited.location?.latitude { awaited.location = nil }
      let fix = world.fixes[location.latitude.bitPattern]
      defer { last = (fix?.number ?? 0, location.sequence) }
      // With a compass, GeoClue repeats a location with another heading. After a short loss of access, which may not be
      // reported, the service sends it again.
      if isSameAccess, let fix, (fix.number, location.sequence) == last {
        broken("the client library delivers no location twice", "\(fix)")
      }
    case .authorization(let new):
      // A new service has not decided yet.
      if !world.isBusFaulty, let told, told.reason != "undecided", new.reason == .undecided,
        let begin = world.servingSince, begin > followsSince, decidedAt < begin, world.schedule.now - begin < 9_900_000
      {
        broken("the client library reports no doubt just after a restart", "\(new) after \(told)")
      }
      told = (new.status.rawValue, new.reason.rawValue)
      if let sent = awaited.authorization, told.map({ $0 == (sent.status, sent.reason) }) ?? false {
        awaited.authorization = nil
      }
      // With access or more accuracy, the service reports the current location again.
      last = (0, 0)
    case .status(let new):
      if new == status { broken("the client library reports no status twice", "\(new)") }
      status = new
    case .failure: awaited.failedAt = nil
    }
  }

  override func quiet() {
    guard isFollowing, isConnected, world.schedule.now - followsSince > 60_000_000 else {
      return broken("the client library connects again", "to \(address)")
    }
    // At its user's limit, it waits until there is room.
    guard hasRoom else { return }
    checkTruth(of: told, "the client library reports the true authorization")
    checkRegion()
    checkStay()
    let isInUse = world.geoclue.hasActiveClient && world.geoclue.worksSince < world.schedule.now - 20_000_000
    if entitlement.level == .exact, entitlement.since < world.schedule.now - 20_000_000, isInUse,
      world.schedule.now - world.geoclue.lastFixAt < 2_000_000, status?.state != .running
    {
      broken("the client library reports the true state of the source", "\(status as Any)")
    }
    checkDelivery(since: lastLocationAt, "the client library continues to deliver locations")
  }
}
