// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import MainLoop

/// Follows an almanac, and regions and subscriptions that end by themselves, on a connection that it opens itself, and
/// again when it is lost.
final class AlmanacProgram: LibraryProgram {
  private var service: ServiceConnection?
  private var object: ServiceAlmanac?
  /// What it knows; nil from a loss of access on.
  private var almanac: Almanac?
  private var isAuthorized = false
  /// Whether the service has exited since it last served the almanac.
  private var isInterrupted = false
  /// Whether the library has reported that it cannot serve the almanac.
  private var hasFailed = false
  /// Since when changes of properties are refused, which the library repeats.
  private var refusals = Refusals()
  /// What the service has sent and the library has not reported.
  private var sent: (almanac: Almanac, at: Int64)?
  private var region: LimitedObject?
  private var subscription: LimitedObject?
  /// The objects that it has at the service, and since when they are more than it needs.
  private var objects: Set<String> = []
  /// The objects that it has closed. The service still has those whose `Close` was lost.
  private var closed: Set<String> = []
  private var unneededSince: Int64?
  private var limitedAt: Int64 = .min / 2
  /// What it releases while the service accepts no further calls.
  private var abandoned: [LimitedObject?] = []
  /// Whether its next turn creates many objects, which it soon releases.
  var isAbandonDue = false
  /// Whether its next turn creates objects that end after some seconds.
  var isBriefDue = false
  private var requests = 0
  /// When each request was made, and when it must have been answered.
  private var requestTimes: [Int: (begin: Int64, end: Int64)] = [:]

  init(_ world: World, user: UInt32) { super.init(world, user: user, "almanac") }

  override func turn() {
    guard task != .exit, task == .follow || service == nil || chance.number(in: 0...400) > 0 else { return exit() }
    guard let service = service ?? connect() else { return }
    if object == nil { object = ServiceAlmanac(on: service, ClientOptions()) { [weak self] in self?.handle($0) } }
    switch chance.number(in: 0...60) {
    case 0...2 where region?.hasEnded ?? true: region = monitor(on: service)
    case 3...5 where subscription?.hasEnded ?? true: subscription = subscribe(to: service)
    case 6: request(from: service)
    case 9 where requestTimes.isEmpty && chance.percent(20): request(from: service, isPatient: true, within: 30)
    case 7: subscription.map(change)
    // It no longer needs what it has just requested.
    case 8: _ = (monitor(on: service), subscribe(to: service))
    default: break
    }
    if isAbandonDue { abandon(on: service) }
    if isBriefDue {
      isBriefDue = false
      (region, subscription) = (monitor(on: service, for: 8), subscribe(to: service, for: 8))
    }
    checkObjects()
    guard isUndisturbed else { return }
    let begin = max(world.stalled.upperBound, world.busStartedAt)
    if requestTimes.values.contains(where: { $0.end < world.schedule.now && $0.begin > begin }) {
      broken("the client library answers each request", "")
    }
    region?.checkEnd()
    subscription?.checkEnd()
    if let (property, since) = refusals.first, max(since, world.wokeAt) < world.schedule.now - 11_000_000 {
      broken("the client library repeats a refused change", property)
    }
    if let sent, world.schedule.now - sent.at > 2_000_000 {
      broken("the client library reports each almanac of the service", "\(sent.almanac)")
    }
  }

  /// Releases many objects, and changes one, while the service accepts no further calls of this program.
  private func abandon(on service: ServiceConnection) {
    isAbandonDue = false
    guard hasRoom else { return }
    for _ in 0..<3 { abandoned += [monitor(on: service, isLimited: false), subscribe(to: service, isLimited: false)] }
    MainLoop.main.after(.milliseconds(1_000)) { [weak self] in
      guard let self, self.service === service else { return }
      for _ in 0...World.callsPerConnection { request(from: service, isPatient: true) }
      MainLoop.main.after(.milliseconds(250)) { [weak self] in
        guard let self else { return }
        abandoned = []
        subscription.map(change)
      }.keep()
    }.keep()
  }

  /// Checks that the service has no objects that this program no longer needs.
  private func checkObjects() {
    let needed = [object == nil, region?.hasEnded ?? true, subscription?.hasEnded ?? true].count { !$0 }
    unneededSince = objects.count > needed ? unneededSince ?? world.schedule.now : nil
    // Calls that were refused, or that came while there was no service, are repeated.
    guard isUndisturbed, let begin = unneededSince, world.schedule.now - max(begin, limitedAt) > 20_000_000
    else { return }
    broken("the client library closes what its program no longer needs", "\(objects.sorted()), \(needed) needed")
  }

  override func didSend(_ parcel: Parcel) {
    super.didSend(parcel)
    refusals.didSend(parcel)
    guard parcel.member == "Close" else { return }
    closed.insert(parcel.path)
    if world.bus.owners[Client.service] != nil { objects.remove(parcel.path) }
  }

  /// The service has released its name.
  func serviceExited() {
    refusals = Refusals()
    // Otherwise it has lost its connection, since it does not exit while it has objects.
    if !world.isBusFaulty { objects = [] }
  }

  private func exit() {
    (objects, unneededSince, abandoned, refusals) = ([], nil, [], Refusals())
    (region, subscription, object, service) = (nil, nil, nil, nil)
    (almanac, isAuthorized, isInterrupted, hasFailed, sent, requestTimes) = (nil, false, false, false, nil, [:])
  }

  private func connect() -> ServiceConnection? {
    service = try? ServiceConnection(to: .address(address))
    service?.connection.onDisconnected = { [weak self] in self?.exit() }
    return service
  }

  /// - Parameters:
  ///   - isPatient: Whether no location is good enough.
  ///   - timeout: In seconds.
  private func request(from service: ServiceConnection, isPatient: Bool = false, within timeout: Int64 = 5) {
    requests += 1
    let begin = world.schedule.now
    let answered: (Result<Void, CallFailure>) -> Void = { [weak self, number = requests] result in
      self?.requestTimes[number] = nil
      if case .failure(let failure) = result { self?.checkSource(of: failure, since: begin) }
    }
    var options = ClientOptions()
    options.timeout = .seconds(timeout)
    if isPatient { (options.requiredAccuracy, options.maximumAge) = (0.5, .zero) }
    // After the timeout, the library waits 10 s for the service's own answer.
    requestTimes[requests] = (begin, begin + timeout * 1_000_000 + 11_000_000)
    if !isPatient, chance.percent(50) {
      service.almanac(options) { answered($0.map { _ in }) }
    } else {
      service.location(options) { answered($0.map { _ in }) }
    }
  }

  /// Checks that a request fails with the service's own error if the service was there all the time.
  private func checkSource(of failure: CallFailure, since begin: Int64) {
    guard case .lost(let error) = failure, error.message.hasPrefix("No reply within"), isUndisturbed,
      let since = world.servingSince,
      max(since, world.stalled.upperBound, world.busStartedAt, world.wokeAt, connectedAt) < begin
    else { return }
    broken("the client library waits for the service's own error", "\(error)")
  }

  // MARK: - The almanac

  private func handle(_ event: ServiceAlmanac.Event) {
    switch event {
    case .update(let new):
      world.tell("the library reports an almanac of \(new.timestamp)")
      if !isNew(new) { broken("the client library reports no almanac twice", "\(new)") }
      almanac = new
      if new == sent?.almanac { sent = nil }
    case .authorization(let new):
      world.tell("the library reports \(new) of its almanac")
      isAuthorized = new.isAuthorized
      if !isAuthorized { almanac = nil }
    case .closed(let reason): broken("the client library's almanac does not end", reason)
    case .interrupted:
      (isInterrupted, sent) = (true, nil)
      // It follows another one instead. The service may return with the first.
      guard chance.percent(50) else { return }
      object = nil
      (almanac, isAuthorized, isInterrupted, hasFailed) = (nil, false, false, false)
    case .resumed: (isInterrupted, hasFailed) = (false, false)
    case .failed(let error, false):
      if hasFailed { broken("the client library reports an outage once", "\(error)") }
      hasFailed = true
    case .failure, .refused, .failed: break
    }
  }

  /// Whether an almanac differs from the one that is known in more than its measurement, or is more certain.
  private func isNew(_ new: Almanac) -> Bool {
    guard let almanac else { return true }
    let told = [almanac, new].map {
      "\($0.phase) \($0.forecast) \(($0.sunrise, $0.sunset)) \($0.timeZone ?? "") \($0.place ?? "") \($0.country ?? "")"
    }
    return told[0] != told[1] || almanac.isRemembered && !new.isRemembered
      || almanac.isApproximate && !new.isApproximate
  }

  override func wasSent(_ parcel: Parcel) {
    super.wasSent(parcel)
    refusals.wasSent(parcel, at: world.schedule.now)
    if parcel.errorName.hasSuffix("LimitsExceeded") {
      limitedAt = world.schedule.now
      subscription?.limitedAt = world.schedule.now
    }
    if parcel.kind == .reply, let path = parcel.values.first?.objectPath { objects.insert(path.rawValue) }
    if parcel.member == "Closed" { objects.remove(parcel.path) }
    guard world.sentSince == world.schedule.now, parcel.member == "AlmanacChanged", !isInterrupted,
      !closed.contains(parcel.path), let new = parcel.values.first.flatMap(Almanac.init), isNew(new)
    else {
      return
    }
    sent = (new, world.schedule.now)
  }

  override func quiet() {
    guard isConnected, hasRoom, entitlement.level == .exact,
      world.schedule.now - max(entitlement.since, connectedAt) > 60_000_000
    else { return }
    if !isAuthorized { broken("the client library reports the authorization of an almanac", "") }
    if isInterrupted { broken("the client library continues an almanac after a restart", "") }
  }

  // MARK: - Objects that end by themselves

  /// - Parameter duration: In seconds.
  private func monitor(on service: ServiceConnection, isLimited: Bool = true, for duration: Int? = nil)
    -> LimitedObject?
  {
    let centre = world.place(isOther: chance.percent(50))
    guard let circle = CircularRegion(latitude: centre, longitude: world.home.longitude, radius: 1_000) else {
      return nil
    }
    var options = ClientOptions()
    options.region = RegionOptions(RegionConfiguration(circle))
    if isLimited { options.duration = .seconds(duration ?? chance.number(in: 5...60)) }
    let new = LimitedObject(world, options)
    new.object = ServiceRegion(on: service, options) { [weak new] in new?.handle($0) }
    return new
  }

  /// - Parameter duration: In seconds.
  private func subscribe(to service: ServiceConnection, isLimited: Bool = true, for duration: Int? = nil)
    -> LimitedObject
  {
    var options = ClientOptions()
    if isLimited {
      options.maximumUpdates = duration == nil ? UInt32(chance.number(in: 3...12)) : 0
      options.duration = .seconds(duration ?? chance.number(in: 10...60))
    }
    options.distanceThreshold = chance.pick([0, 0, 20])
    let new = LimitedObject(world, options)
    new.object = ServiceSubscription(on: service, options) { [weak new] in new?.handle($0) }
    // Before it has been created.
    if isLimited, chance.percent(40) { change(new) }
    return new
  }

  /// Changes the level and the threshold of a subscription.
  private func change(_ subscription: LimitedObject) {
    var options = subscription.options
    options.accuracy = chance.pick([.exact, .city])
    options.distanceThreshold = chance.pick([0, 20])
    subscription.change(to: options)
  }
}
