// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistSimulatedKernel
import Glibc

/// Checks the signals of subscriptions and regions.
extension Checks {
  /// How far two latitudes of the world are apart, in metres.
  static func distance(_ one: Double, _ other: Double) -> Double { abs(one - other) * metresPerDegree }
  /// How far a latitude of the machine's meridian is from the centre of a region, in metres.
  func distance(_ latitude: Double, _ region: Client.Region) -> Double {
    let degrees = (region.longitude - world.home.longitude).remainder(dividingBy: 360)
    let east = degrees * cos(world.home.latitude * .pi / 180) * Self.metresPerDegree
    return hypot(Self.distance(latitude, region.latitude), east)
  }

  /// How far a longitude is from that of the machine, in metres.
  func eastWestDistance(_ longitude: Double) -> Double {
    let degrees = abs((longitude - world.longitude).remainder(dividingBy: 360))
    return degrees * cos(world.home.latitude * .pi / 180) * Self.metresPerDegree
  }

  /// The length of a degree of latitude.
  static let metresPerDegree = 111_195.0

  func delivered(_ subscription: Client.Subscription, to client: Client, _ location: [String: Value]) {
    let thresholds = subscription.thresholds
    if subscription.count > thresholds.maximum {
      broken("a subscription ends with its last update", subscription.path)
    }
    let new = (
      latitude: location["Latitude"]?.double ?? .nan, longitude: location["Longitude"]?.double ?? .nan,
      accuracy: location["Accuracy"]?.double ?? .infinity, sequence: location["Sequence"]?.uint64 ?? 0,
      level: location["Level"]?.string ?? ""
    )
    defer { subscription.last = new }
    if thresholds.accuracy > 0, new.accuracy > thresholds.accuracy, subscription.thresholdsAt < .max {
      broken("a location is as accurate as its subscription requires", "\(new.accuracy) m at \(subscription.path)")
    }
    if precedesRefusal(of: subscription, client, new.latitude) {
      broken("no location from before the end of a reported refusal is sent", subscription.path)
    }
    if client.isReading, client.readSince < world.schedule.now - 1_000_000, thresholds.accuracy == 0,
      // A location that waited for the bus was sent earlier.
      world.sentSince == world.schedule.now, !world.polkit.isInDoubt, let fix = world.fixes[new.latitude.bitPattern],
      world.geoclue.hasLeft(fix)
    {
      broken("no location is sent that the machine has left", subscription.path)
    }
    // A compass makes GeoClue announce its last location again.
    if world.geoclue.isStatic, subscription.isPlain, client.isReading, client.readSince < subscription.lastLocationAt,
      subscription.last?.latitude == new.latitude, world.isQuiet(at: subscription.lastLocationAt),
      subscription.lastLocationAt > max(subscription.startedAt, subscription.toldAt, world.geoclue.heldAt + 1_000_000),
      // A short loss of access may end before it is reported, and begins a new chain.
      subscription.lastLocationAt > client.entitlement.since
    {
      broken("a location is sent once for each time that it is asserted", subscription.path)
    }
    world.geoclue.noteRelease()
    let rests = thresholds.time >= Client.rest && subscription.lastLocationAt > subscription.thresholdsAt
    if rests || subscription.hasChangedInterval, subscription.last != nil,
      subscription.lastLocationAt > max(subscription.startedAt, subscription.toldAt), client.isReading,
      let fix = world.fixes[new.latitude.bitPattern],
      let read = world.geoclue.lastReads[fix.number], read < world.geoclue.releasedAt
    {
      broken("a location that waited is not sent after GeoClue was released", subscription.path)
    }
    let (now, last) = (world.schedule.now, subscription.lastLocationAt)
    if thresholds.time == Client.rest, thresholds.distance == 0, thresholds.debounce == 0, thresholds.accuracy == 0,
      !thresholds.isSignificant, !subscription.hasChangedInterval, !world.isRestBlind, !world.geoclue.isStatic,
      client.isReading, world.healedAt.map({ last > $0 }) ?? false,
      last >= max(subscription.startedAt, subscription.toldAt), last > max(client.entitlement.since, world.wokeAt),
      world.geoclue.worksSince < now - 40_000_000, now > last + Client.rest + 3_000_000
    {
      broken("a resting source wakes in time", "\((now - last) / 1_000) ms at \(subscription.path)")
    }
    guard client.isReading, last > client.readSince, last > client.entitlement.since,
      last > max(subscription.startedAt, subscription.thresholdsAt),
      // The service may have sent one when it had not noticed yet that the machine had slept.
      last > world.wokeAt + 100_000, last > world.settledAt, last > subscription.toldAt, let before = subscription.last,
      // A change of the level begins a new chain, which may not yet have changed what the client was last told.
      before.level == new.level
    else { return }
    // The quiet time begins when the interval has passed.
    if thresholds.time > 0, now - last < thresholds.time + thresholds.debounce - 50_000 {
      broken("updates respect the time threshold", "\((now - last) / 1_000) ms at \(subscription.path)")
    }
    // An agent may reduce the accuracy, even in a quiet time. Reduced locations are sent when their cell may change.
    let isExact = subscription.level == .exact && client.entitlement.level == .exact
    if thresholds.time > 0, thresholds.debounce == 0, thresholds.distance == 0, thresholds.accuracy == 0,
      !thresholds.isSignificant, isExact, world.isQuiet(at: last), !world.polkit.isInDoubt,
      !world.hasDoubt(last...now),
      world.geoclue.heldAt < last, now > last + thresholds.time + 300_000,
      // The first location after a move waits for its confirmation.
      max(world.movedAt, world.outlierAt) < last - 20_000_000
    {
      // A coarser location does not replace one that has just arrived.
      let time = last + 100_000..<last + thresholds.time - 100_000
      if world.geoclue.hasBeenRead(in: time), world.geoclue.hasRead(time, { $0.accuracy <= before.accuracy }) {
        broken("an update arrives when its interval ends", "\((now - last) / 1_000) ms at \(subscription.path)")
      }
    }
    // An authority that does not answer interrupts access, which need not be reported to the client.
    guard world.isQuiet(at: last), subscription.level == .exact || new.sequence != before.sequence else {
      if world.isQuiet(at: last) { broken("a reduced location is sent once in its interval", subscription.path) }
      return
    }
    if subscription.level == .exact, new.sequence <= before.sequence {
      broken("no location is delivered twice", "\(new.sequence) after \(before.sequence) at \(subscription.path)")
    }
    let moved = Self.distance(new.latitude, before.latitude)
    let radii = [new, before].map(\.accuracy).filter(\.isFinite).reduce(0, +)
    if thresholds.isSignificant,
      now - last < 299_000_000 || moved < max(499, radii - 1)
    {
      broken(
        "a significant change is rare and large", "\(moved) m, \((now - last) / 1_000) ms at \(subscription.path)")
    }
    let isBetter = new.accuracy <= before.accuracy / 2 && before.accuracy - new.accuracy >= 10
    if thresholds.distance > 0, !isBetter, subscription.level == .exact,
      Self.distance(new.latitude, before.latitude) < thresholds.distance - 0.5
    {
      broken("updates respect the distance threshold", "\(subscription.path)")
    }
    let age = kernel_boottime() - Int64(location["MonotonicUSec"]?.uint64 ?? 0)
    guard thresholds.debounce > 0, subscription.level == .exact else { return }
    if age < thresholds.debounce - 50_000 {
      broken("an update waits for its debounce", "\(age / 1_000) ms at \(subscription.path)")
    }
    // A jump that no other fix confirms is accepted only later, and a coarser fix when the finer one is too old.
    let patience = new.accuracy > before.accuracy ? FixArbiter.staleAfter : FixArbiter.jumpPatience
    let longest = thresholds.debounce + patience.microseconds
    if thresholds.time == 0, !thresholds.isSignificant, isExact, age > longest + 500_000, !world.polkit.isInDoubt {
      broken("an update arrives when its debounce ends", "\(age / 1_000) ms at \(subscription.path)")
    }
  }

  /// Checks that no location has contradicted a crossing since its first evidence.
  ///
  /// - Parameter time: When it was committed.
  private func checkContradiction(
    of kind: String, _ region: Client.Region, _ client: Client, at time: Int64, _ story: String
  ) {
    guard kind == "entered" || kind == "exited", region.level == .exact, client.entitlement.level == .exact,
      !world.geoclue.isStatic, client.isReading,
      // Regions of a program that does not read are evaluated later.
      max(client.entitlement.since, client.readSince, client.flood.begin, world.wokeAt, world.settledAt)
        < time - region.confirm - 30_000_000
    else { return }
    let isContradicted = world.fixes.values.contains { fix in
      guard let read = world.geoclue.lastReads[fix.number], !fix.isOutlier, isCertain(fix, about: region) else {
        return false
      }
      let isInside = distance(fix.latitude, region) < region.radius
      return (time - region.confirm + 500_000..<time - 500_000).contains(read) && read - fix.measuredAt < 2_000_000
        && isInside == (kind == "exited")
    }
    if isContradicted { broken("a crossing is not contradicted before it is confirmed", story) }
  }

  /// Whether a fix shows on which side of a region's border the machine is.
  private func isCertain(_ fix: Fix, about region: Client.Region) -> Bool {
    fix.accuracy < 100 && abs(distance(fix.latitude, region) - region.radius) > 150
  }

  /// Whether an exact location was read before the end of a refusal that a client was told.
  func precedesRefusal(of subscription: Client.Subscription, _ client: Client, _ latitude: Double) -> Bool {
    guard client.isReading, !world.geoclue.isStatic, let number = world.fixes[latitude.bitPattern]?.number,
      let read = world.geoclue.lastReads[number]
    else { return false }
    // A location that is read for other clients during a refusal is not for this one.
    let refusedUntil = client.entitlement.refusal.flatMap { $0.contains(subscription.refusedAt) ? $0.upperBound : nil }
    return read < min(refusedUntil ?? subscription.refusedAt, subscription.refusalEnd)
  }

  func changed(_ region: Client.Region, of client: Client, _ event: [String: Value]) {
    let (kind, state) = (event["Event"]?.string ?? "", event["State"]?.string ?? "")
    let (previous, sequence) = (event["Previous"]?.string ?? "", event["Sequence"]?.uint64 ?? 0)
    let story = "\(kind): \(previous) → \(state) at \(region.path)"
    world.tell(story)
    // The service drops the location that shows a stay if access was lost meanwhile.
    let hasLocation = event["Location"]?.properties?["Latitude"] != nil
    if hasLocation != (region.includesLocation && state != "unknown"), hasLocation || kind != "dwelled" {
      broken("an event of a region contains a location if that is wanted", story)
    }
    if region.isUsed { broken("a single-use region ends with its first event", story) }
    if state != "unknown", let reason = event["Reason"]?.string, !reason.isEmpty {
      broken("a known state has no reason", "\(reason): \(story)")
    }
    // Signals that the bus has not read are lost when the service leaves the bus.
    let mayMiss = world.schedule.now < world.settledAt || world.settledAt > region.committedAt
    if sequence != region.sequence + 1, !mayMiss || sequence <= region.sequence {
      broken("the events of a region are numbered without gaps", "\(sequence) after \(region.sequence): \(story)")
    }
    let isConsistent =
      switch kind {
      case "entered": state == "inside"
      case "exited": state == "outside"
      case "dwelled": state == "inside" && previous == "inside"
      case "lost": state == "unknown"
      default: kind == "determined"
      }
    if kind == "dwelled" {
      if !region.dwells || region.hasDwelled == true, !mayMiss {
        broken("a region reports each stay once, if that is wanted", story)
      }
      region.hasDwelled = true
      region.stays += 1
    } else if state == "outside" || kind == "entered" {
      region.hasDwelled = false
    }
    if world.isQuiet(at: world.schedule.now - 40_000_000), kind != "dwelled", state != "unknown",
      region.confirm == 20_000_000, region.level == .exact, client.entitlement.level == .exact,
      // A client that does not read receives the event later.
      world.schedule.now - max(world.movedAt, world.wokeAt, client.readSince) > 100_000_000,
      world.geoclue.interval == 1_000_000, world.newestRead?.isOutlier == false
    {
      // If GeoClue reports nothing after it, a wrong one counts in the end.
      let distance = distance(world.place(isOther: false), region)
      if abs(distance - region.radius) > 150, (distance < region.radius) != (state == "inside") {
        broken("a single wrong location crosses no border", story)
      }
    }
    if !isConsistent { broken("an event of a region agrees with its state", story) }
    // The first known state after others that the client has missed may be any.
    if mayMiss, sequence != region.sequence + 1 { region.known = nil }
    if kind != "dwelled", state != "unknown" {
      if let known = region.known {
        let isCrossing = known != "unknown" && known != state
        let expected = !isCrossing ? "determined" : state == "inside" ? "entered" : "exited"
        if kind != expected || event["Gap"]?.boolean != (isCrossing && previous == "unknown") {
          broken("a region reports each crossing once", "last known \(known): \(story)")
        }
      }
      region.known = state
    }
    let committedAt = Int64(event["MonotonicUSec"]?.uint64 ?? 0)
    if kind == "entered" || kind == "exited" || (kind == "determined" && state != "unknown"),
      region.changedAtBoottime > 0,
      committedAt < region.changedAtBoottime + region.confirm
    {
      broken("a change of a region is confirmed", story)
    }
    let time = committedAt - (kernel_boottime() - world.schedule.now)
    if previous != "unknown" { checkContradiction(of: kind, region, client, at: time, story) }
    // The time of an event is that of its first evidence, not that of the location that commits it.
    let measuredAt = Int64(event["Timestamp"]?.structure?.first?.uint64 ?? 0) * 1_000_000
    let duration = kernel_realtime() - (kernel_boottime() - committedAt) - measuredAt
    // A reduced location may be from before a change of the clock for as long as its interval.
    let mayBeReduced =
      min(region.level, client.entitlement.level) < .exact
      || world.schedule.now - client.entitlement.since < 100_000_000
      // GeoClue may have reduced locations for an agent that the service does not know yet.
      || world.isSession && world.agents.contains { world.schedule.now - $0.changedAt < 100_000_000 }
    if kind == "entered" || kind == "exited", region.confirm >= 5_000_000, duration < region.confirm - 100_000,
      world.schedule.now - world.wokeAt > 100_000_000,
      world.schedule.now - world.clockSetAt > (mayBeReduced ? 1_000_000_000 : 100_000_000)
    {
      broken("a change of a region has the time of its first evidence", "\(duration / 1_000) ms: \(story)")
    }
    if kind == "lost", ["accuracy-insufficient", "no-fix"].contains(event["Reason"]?.string), region.level == .exact,
      client.entitlement.level == .exact, world.isQuiet(at: world.schedule.now - 20_000_000), !world.geoclue.isStatic,
      client.isReading, world.schedule.now - max(client.readSince, client.entitlement.since) > 20_000_000,
      world.schedule.now - max(world.movedAt, world.clockSetAt, world.wokeAt, world.settledAt) > 20_000_000,
      let newest = world.newestRead, !newest.isOutlier,
      isCertain(newest, about: region),
      // A location that GeoClue reports again is no new evidence.
      newest.measuredAt > world.schedule.now - region.unknownAfter + 8_000_000
    {
      broken("a region loses its state for the reported reason", story)
    }
    if kind == "lost", event["Reason"]?.string == "accuracy-insufficient", region.level == .exact,
      client.entitlement.level == .exact, !world.geoclue.isStatic,
      world.schedule.now - max(client.entitlement.since, client.readSince) > region.unknownAfter + 5_000_000
    {
      // A state far from the border is kept until the next check has ended, which lasts for at most a minute.
      let since = world.sentSince - region.unknownAfter - 60_000_000
      let isReason = world.fixes.values.contains {
        (world.geoclue.lastReads[$0.number] ?? .min) > since && !isCertain($0, about: region)
      }
      if !isReason { broken("a region loses its state for the reported reason", "no location: \(story)") }
    }
    // A reduced location shows where the machine was at the beginning of its interval.
    if kind == "exited", let dwelledAt = region.dwelledAt, committedAt - duration < dwelledAt - 1_100_000,
      world.schedule.now - max(world.clockSetAt, world.wokeAt, world.settledAt) > 100_000_000,
      world.schedule.now - max(client.entitlement.since, world.geoclue.heldAt) > 60_000_000,
      min(region.level, client.entitlement.level) == .exact, !world.geoclue.isStatic
    {
      broken("a stay is not reported while an exit is being considered", story)
    }
    // In a storm, a location may be delayed for seconds.
    region.dwelledAt = kind == "dwelled" && world.isQuiet(at: world.schedule.now - 40_000_000) ? committedAt : nil
    // Finer locations from before a reduction, of which the service learns soon, must not confirm a crossing.
    if kind == "entered" || kind == "exited", region.level == .exact, let reducedAt = client.entitlement.reducedAt,
      world.isQuiet(at: reducedAt)
    {
      let since = time - reducedAt
      if (1_000_000..<max(1_000_000, region.confirm - 50_000)).contains(since) {
        broken("a change of a region is confirmed by locations of its client's level", story)
      }
    }
    if kind != "lost", previous != "unknown", region.state == previous, region.sleeps != world.sleeps, !mayMiss,
      committedAt > world.wokeAtBoottime + Entitlement.tolerance
    {
      broken("a region loses its state when the machine sleeps", story)
    }
    if kind == "lost" { region.losses += 1 }
    (region.state, region.sequence, region.sleeps, region.toldAt) = (state, sequence, world.sleeps, world.schedule.now)
    if state != previous { region.knownSince = event["Timestamp"] ?? .structure([.uint64(0), .uint64(0)]) }
    region.committedAt = time
    region.reason = event["Reason"]?.string ?? ""
    region.isUsed = region.isSingleUse && (kind == "entered" || kind == "exited")
  }

  /// Checks that the last reported state of a region is true if the machine has not moved for long.
  func truth(_ client: Client, _ region: Client.Region) {
    let now = world.schedule.now
    // The report of the end of an object may be lost with the service's connection.
    if let end = region.endsAt, client.isReading, !world.isBusFaulty, kernel_boottime() > end + 2_000_000,
      now - max(client.readSince, world.wokeAt) > 2_000_000
    {
      broken("a region ends when its duration is over", region.path)
    }
    let level = min(region.level, client.entitlement.level)
    guard !region.isUncertain else { return }
    let isSettled =
      region.isStarted && !region.isNamed && client.isReading
      && now - max(region.changedAt, client.entitlement.since, client.readSince) > 20_000_000
    if isSettled, !world.isBusFaulty {
      if level == .none, !region.isUsed, region.state != "unknown" {
        broken("a region without access has no state", "\(region.state): \(region.path)")
      }
      if region.isUsed, now - region.toldAt > 2_000_000 {
        broken("a region for one crossing ends with it", region.path)
      }
    }
    // The answer to `Stop` may be lost with the service's connection.
    if isSettled, !world.isBusFaulty, let cell = Self.cells[level], cell > region.radius,
      region.reason != "accuracy-limited"
    {
      broken("a region says that its client's level is too coarse", "\(region.reason): \(region.path)")
    }
    let since = max(region.changedAt, client.entitlement.since, world.movedAt, world.wokeAt, world.clockSetAt)
    guard region.isStarted, !region.isUsed, !region.isNamed, region.level == .exact, client.entitlement.level == .exact,
      now - since > 85_000_000, world.geoclue.interval == 1_000_000, client.isReading,
      now - max(world.geoclue.silentAt, world.geoclue.startedAt) > 85_000_000
    else { return }
    let distance = distance(world.place(isOther: false), region)
    guard abs(distance - region.radius) > 150 else { return }
    let expected = distance < region.radius ? "inside" : "outside"
    if region.state == "inside", expected == "inside", region.dwells, region.hasDwelled == false,
      now - max(region.toldAt, world.outlierAt) > 45_000_000
    {
      broken("a region reports each stay once, if that is wanted", "not at \(region.path)")
    }
    if region.state != expected {
      broken("the last reported state of a region is true", "\(region.state) instead of \(expected): \(region.path)")
    }
  }

  /// Whether a client that came at a time must have received every location since then.
  private func hasFollowed(_ client: Client, since begin: Int64) -> Bool {
    world.isQuiet(at: world.schedule.now) && !world.isRestBlind && world.geoclue.interval == 1_000_000
      && client.isConnected && client.entitlement.level == .exact && !world.geoclue.isStatic && world.wokeAt < begin
      && world.clockSetAt < begin - 60_000_000
      && max(world.geoclue.worksSince, client.entitlement.since) < begin + 2_000_000
      && world.fixes.values.contains { (begin + 2_000_000..<begin + 8_000_000).contains($0.measuredAt) }
  }

  /// Checks that a region in which the machine has stayed twice has reported both stays.
  func stayed(_ client: Client, since begin: Int64) {
    guard hasFollowed(client, since: begin) else { return }
    for region in client.regions where region.isStarted && region.stays < 2 {
      broken("a region reports each stay once, if that is wanted", "\(region.stays) of 2 at \(region.path)")
    }
  }

  /// Checks that a region below the exact level has not been lost while the source worked.
  func kept(_ client: Client, since begin: Int64) {
    guard client.isReading, !world.isRestBlind, world.geoclue.isStatic || world.geoclue.interval == 1_000_000,
      world.geoclue.worksSince < .max, max(world.geoclue.sourceAt, world.geoclue.silentAt) < begin,
      max(world.wokeAt, world.clockSetAt, world.movedAt, client.entitlement.since) < begin + 1_000_000,
      client.entitlement.level >= .city
    else { return }
    for region in client.regions where region.isStarted && (region.state != "inside" || region.losses > 0) {
      broken("below exact, a region is not lost while the source works", "\(region.losses) times: \(region.path)")
    }
  }

  /// Checks that a client's regions, in whose middle the machine was until a time, have reported that it has left.
  func hasLeft(_ client: Client, since begin: Int64) {
    guard client.isConnected, client.isReading, client.entitlement.level == .exact,
      client.entitlement.since < begin - 10_000_000, !world.geoclue.isStatic, world.geoclue.interval == 1_000_000,
      max(world.geoclue.worksSince, world.wokeAt) < begin - 10_000_000, !world.isRestBlind,
      // The first location at another place is a jump until the next one confirms it.
      world.geoclue.hasBeenRead(in: begin + 3_000_000..<begin + 8_000_000)
    else { return }
    for region in client.regions where region.isStarted && region.known == "inside" {
      guard distance(world.place(isOther: false), region) > region.radius + 500 else { continue }
      broken("a region reports soon that the machine has left, whatever the clock shows", region.path)
    }
  }

  /// Checks that reduced locations have remained in their cell, of which the machine was less than a tenth outside.
  func remains(_ client: Client, in cell: (latitude: Double, longitude: Double), since begin: Int64) {
    guard client.isConnected, client.isReading, max(world.movedAt, world.outlierAt, world.wokeAt) < begin else {
      return
    }
    for subscription in client.subscriptions where subscription.level == .street {
      guard let last = subscription.last, last.level == "street", (last.latitude, last.longitude) != cell else {
        continue
      }
      broken("a cell changes only when the machine is clearly outside", "\(last), not \(cell)")
    }
  }

  /// Checks that locations near the border of a region have prevented an event.
  func checkInside(_ client: Client, since begin: Int64) {
    guard hasFollowed(client, since: begin), world.movedAt < begin else { return }
    // It may have exited and entered again.
    for region in client.regions
    where region.isStarted && (region.state != "inside" || region.toldAt > begin + 29_000_000) {
      broken("locations near a border contradict a crossing", "\(region.state) at \(region.path)")
    }
  }

  /// Checks that a client's almanac needs GeoClue no longer, once it had a location after the machine woke.
  func checkAlmanacRests(_ client: Client, since begin: Int64) {
    guard world.isQuiet(at: world.schedule.now), world.wokeAt > begin, client.isConnected, client.almanac != nil,
      client.entitlement.level == .exact, world.geoclue.lastFixAt > world.wokeAt, world.geoclue.hasActiveClient,
      world.schedule.now - world.wokeAt > 15_000_000
    else { return }
    broken("the check of an almanac ends with a location", "client \(client.number)")
  }

  // MARK: - Objects

  /// Checks the reason for which an object was refused.
  func refused(_ reply: Parcel, mayCreate: Bool, to client: Client) {
    guard mayCreate, reply.kind == .error, reply.values.first?.string?.contains("subscriptions-per-") == true else {
      return
    }
    broken("no client below the limits is refused", "client \(client.number): \(reply.values.first?.string ?? "")")
  }

  // MARK: - Fairness

  func asksInTurn(_ client: Client) { turns[client.number] = (world.schedule.now, 0) }

  func hadTurn(_ client: Client) {
    // The service knows the account of a client that has objects.
    guard let turn = turns.removeValue(forKey: client.number), max(client.readSince, client.connectedAt) < turn.since,
      world.floodedAt[client.user].map({ $0 < turn.since - 10_000_000 }) ?? true, !client.subscriptions.isEmpty,
      !world.mayShareAccount(client, at: turn.since)
    else { return }
    longestTurn = max(longestTurn, turn.answers)
    if turn.answers > Self.mostTurns {
      broken("one user's calls do not delay another's", "client \(client.number) waited for \(turn.answers) answers")
    }
  }
}
