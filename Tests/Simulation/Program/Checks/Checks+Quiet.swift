// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistSimulatedKernel

/// Conditions that must hold after a quiet time.
extension Checks {
  /// Checks everything at the end of a quiet time.
  func quiet(rests: Bool) {
    let now = world.schedule.now
    if world.geoclue.clientCount > 1 {
      broken("the service has one client of GeoClue", "\(world.geoclue.clientCount)")
    }
    guard !rests else { return rested() }
    for library in world.libraries { library.quiet() }
    var isNeeded = false
    for client in world.clients where client.isConnected {
      // The report of the end of an object may be lost when the service leaves a bus that hangs.
      for subscription in client.subscriptions
      where subscription.isStarted && subscription.toldAt >= world.stalled.lowerBound {
        truth(client, subscription)
        properties(subscription)
        inTime(client, subscription)
        received(client, subscription)
        guard subscription.isPlain, subscription.level == .exact, client.entitlement.level == .exact else { continue }
        isNeeded = true
        guard world.geoclue.hasActiveClient, now - world.geoclue.lastFixAt < 2_000_000 else { continue }
        let silence = now - max(subscription.lastLocationAt, subscription.startedAt)
        // One that is much coarser than the one before is held back, and one of unknown accuracy, too.
        lazy var isUnknown = world.fixes.values.contains { $0.accuracy == .infinity && $0.measuredAt > now - silence }
        let late = silence - 2 * world.geoclue.interval - 1_000_000
        if late > 0, late > world.geoclue.interval || !isUnknown {
          broken(
            "the next fix reaches a permitted client within a second",
            "client \(client.number) has waited for \(silence / 1_000) ms at \(subscription.path)")
        }
        if let accuracy = subscription.last?.accuracy, accuracy > 100, accuracy.isFinite, silence < 2_000_000 {
          broken("a client that requests exact locations receives them", "\(accuracy) m at \(subscription.path)")
        }
      }
      if client.flood.open > 0, client.isReading, !world.isBusFaulty,
        max(client.flood.begin, client.readSince, world.settledAt) < now - 2 * world.burstTime
      {
        broken("every call is answered within its deadline", "\(client.flood.open) of client \(client.number)")
      }
      for region in client.regions {
        truth(client, region)
        guard region.isStarted, !region.isUncertain, client.isReading, !world.isBusFaulty,
          region.changedAt > world.stalled.lowerBound, region.changedAt < now - 20_000_000
        else { continue }
        truth(client, told: region.told, asking: region.level, isNamed: region.isNamed, region.path)
      }
      if let path = client.almanacPath, client.isReading, !world.isBusFaulty,
        client.almanacStartedAt > world.stalled.lowerBound, client.almanacStartedAt < now - 20_000_000
      {
        truth(client, told: client.almanacTold, asking: .city, isNamed: client.isAlmanacNamed, path)
      }
      checkAlmanac(of: client)
    }
    let silentSince = max(world.geoclue.lastFixAt, world.geoclue.silentAt, world.geoclue.startedAt)
    guard !isNeeded || world.geoclue.isStatic || now - silentSince < 45_000_000 else {
      return broken("a source that has fallen silent is asked again", "")
    }
    if isNeeded, !world.geoclue.hasActiveClient {
      broken("GeoClue is held while a permitted client waits", "it has \(world.geoclue.clientCount) clients")
    }
  }

  /// When the present interval of the level `city` began. There is no location of an interval for a client that had no
  /// access at its beginning, or if the machine has slept since.
  var townsSince: Int64 { world.schedule.now - kernel_boottime() % 300_000_000 }

  /// Checks that a client's almanac has been sent since it was started.
  private func checkAlmanac(of client: Client) {
    let now = world.schedule.now
    let since = max(
      client.almanacStartedAt, client.almanacToldAt, client.entitlement.since, client.readSince, world.wokeAt,
      world.settledAt, world.geoclue.worksSince)
    guard client.almanacPath != nil, !client.isAlmanacNamed, client.almanac == nil, client.isReading,
      client.entitlement.level >= .city, since < min(now - 10_000_000, townsSince), townsSince < now - 3_000_000,
      !world.isBusFaulty, world.geoclue.interval == 1_000_000, !world.geoclue.isStatic,
      world.geoclue.hasBeenRead(in: since + 1_000_000..<now - 2_000_000)
    else { return }
    broken("a started almanac is sent", "client \(client.number)")
  }

  /// Checks that GeoClue's client is not replaced until a time while a client waits.
  func remainsHeld(until end: Int64, by client: Client) {
    let (begin, calls) = (world.geoclue.heldAt, calls)
    guard world.geoclue.hasActiveClient, !world.geoclue.isStatic, !world.isBusFaulty else { return }
    world.schedule.at(end) { [self] in
      guard calls == self.calls, client.entitlement.level == .exact, client.entitlement.since < begin + 1_000_000,
        world.geoclue.heldAt > begin
      else { return }
      broken("a source that measures rarely is not replaced", "")
    }
  }

  /// Checks that a client that has not read for more than a minute was sent a location after the first seconds.
  ///
  /// - Parameter begin: When the service has known for some seconds that the client does not read.
  func sentRarely(_ client: Client, since begin: Int64) {
    guard !client.isReading, (Self.muchUnread..<800_000).contains(client.unread), !world.isBusFaulty,
      client.entitlement.level == .exact, client.entitlement.since < begin - 10_000_000,
      client.subscriptions.contains(where: { $0.isPlain && $0.isStarted && $0.level == .exact }),
      world.geoclue.hasBeenRead(in: begin..<begin + 2_000_000), client.sentLocationAt < begin
    else { return }
    broken("a client that does not read is sent a location once a minute", "client \(client.number)")
  }

  /// Checks that regions are lost when no location has been evidence for their state for as long as their programs allow.
  func lostWithoutEvidence() {
    // A coarse location soon after the last good one is no evidence.
    let begin = world.schedule.now - Client.Region.shortUnknownAfter - 300_000
    guard !world.isBusFaulty,
      !world.fixes.values.contains(where: {
        $0.accuracy < 100 && !$0.isOutlier && (world.geoclue.lastReads[$0.number] ?? .min) > begin
      })
    else { return }
    for client in world.clients where client.isReading && client.entitlement.level == .exact {
      for region in client.regions
      where region.unknownAfter == Client.Region.shortUnknownAfter && region.isStarted && region.state == "inside" {
        broken("a region without evidence is lost", region.path)
      }
    }
  }

  /// Returns the started subscriptions of clients that have been entitled to exact locations since before a time.
  private func startedSubscriptions(entitledBefore time: Int64) -> [Client.Subscription] {
    world.clients.filter { $0.isConnected && $0.entitlement.level == .exact && $0.entitlement.since < time }
      .flatMap(\.subscriptions).filter(\.isStarted)
  }

  /// Checks that the service has tried to use GeoClue again soon after subscriptions were started during a failure.
  func triedAgain(since begin: Int64) {
    let isNeeded = startedSubscriptions(entitledBefore: begin - 10_000_000).contains {
      ($0.startedAt - begin).magnitude < 500_000 && $0.told?.status.hasPrefix("authorized") == true
    }
    // After an attempt in the second before, the next one is made only after this check.
    guard isNeeded, world.geoclueFails, !world.geoclue.isRunning, !world.isBusFaulty,
      world.geoclueFailedAt < begin - 1_000_000
    else { return }
    broken("a new subscription during a failure makes the service try again", "\(world.geoclueFailedAt)")
  }

  /// GeoClue has been started by another program, while the service waits before its next attempt.
  func reappears() {
    let begin = world.schedule.now
    let isNeeded = startedSubscriptions(entitledBefore: begin - 10_000_000).contains {
      $0.isPlain && $0.startedAt < begin - 10_000_000 && $0.told?.status.hasPrefix("authorized") == true
    }
    guard isNeeded, world.geoclueFailedAt > begin - 20_000_000 else { return }
    world.schedule.after(1_500_000) { [self] in
      guard world.geoclue.answersSoon, world.geoclue.startedAt < begin + 200_000, !world.geoclue.hasActiveClient,
        !world.geoclue.isForbidden
      else { return }
      broken("GeoClue is used as soon as it returns", "")
    }
  }

  /// Checks that GeoClue is used some time after it was unable to create a client.
  func held() {
    let begin = world.schedule.now - 25_000_000
    // A service that has used GeoClue for less than half a minute waits for longer.
    guard world.geoclue.failedToCreateAt > world.schedule.now - 35_000_000,
      world.servingSince.map({ $0 < world.schedule.now - 100_000_000 }) ?? false
    else { return }
    let isNeeded = startedSubscriptions(entitledBefore: begin).contains { $0.isPlain && $0.startedAt < begin }
    if isNeeded, !world.geoclue.hasActiveClient, !world.geoclue.isForbidden {
      broken("GeoClue is asked again for a client", "")
    }
  }

  /// Checks that an agent whose level counts now, and which answers no more questions, is not reported as missing.
  func remainsKnown(_ agent: Agent) {
    let (service, connections) = (world.serviceName, agent.connections)
    let clients = world.clients.filter {
      $0.user == agent.user && $0.isReading && $0.readSince < world.schedule.now - 1_000_000
    }
    let subscriptions = clients.flatMap(\.subscriptions).filter {
      $0.isStarted && $0.told?.status == "authorized-when-in-use"
    }
    world.schedule.after(20_000_000) { [self] in
      guard !agent.answers, agent.isConnected, agent.connections == connections, service == world.serviceName,
        !world.isBusFaulty
      else { return }
      for subscription in subscriptions where subscription.told?.reason == "no-agent" {
        broken("an agent that does not answer is not missing", subscription.path)
      }
    }
  }

  private func truth(_ client: Client, _ subscription: Client.Subscription) {
    truth(
      client, told: subscription.told, asking: subscription.level, isNamed: subscription.isNamed, subscription.path)
  }

  private func truth(
    _ client: Client, told: (status: String, reason: String)?, asking level: AccuracyLevel, isNamed: Bool = false,
    _ path: String
  ) {
    let expected = world.truth.authorization(of: client, asking: level, isNamed: isNamed)
    guard let told else {
      return broken("each started object receives its authorization", "\(path) of client \(client.number)")
    }
    // In the session deployment GeoClue decides. The service pauses for at most 75 s between attempts to use it.
    let triedAt = max(world.geoclue.calledAt, world.geoclueFailedAt)
    let isUndecided =
      world.isSession && told.reason == "undecided" && !world.geoclue.hasActiveClient
      && world.schedule.now - triedAt < 80_000_000
    if !Truth.agrees(told, with: expected), told != Client.refused || expected.status != "restricted", !isUndecided {
      broken(
        "the last authorization sent to a client is true",
        "client \(client.number) of \(client.user) received \(told) at \(path) instead of \(expected)")
    }
  }

  /// Checks that properties had the same values as the other signals of an object.
  private func properties(_ subscription: Client.Subscription) {
    guard let told = subscription.told, told != Client.refused else { return }
    let (status, reason) = (
      subscription.properties["AuthorizationStatus"]?.string ?? told.status,
      subscription.properties["AuthorizationReason"]?.string ?? told.reason
    )
    if (status, reason) != told {
      broken("the signalled properties of an object are true", "\((status, reason)), not \(told): \(subscription.path)")
    }
    let isActive = subscription.isStarted && told.status.hasPrefix("authorized")
    let threshold = Value.uint32(UInt32(subscription.thresholds.time / 1_000))
    let level = Value.string("\(subscription.level)")
    for (name, value) in [("Accuracy", level), ("Active", .boolean(isActive)), ("TimeThreshold", threshold)] {
      guard let signalled = subscription.properties[name], signalled != value else { continue }
      broken("the signalled properties of an object are true", "\(name) is not \(signalled): \(subscription.path)")
    }
  }

  /// Checks that a client receives the locations that are due.
  private func inTime(_ client: Client, _ subscription: Client.Subscription) {
    let (now, thresholds) = (world.schedule.now, subscription.thresholds)
    if let end = subscription.endsAt, kernel_boottime() > end + 2_000_000, client.isReading {
      broken("a subscription ends when its duration is over", subscription.path)
    }
    // The source measures each second, so a longer debounce might never end.
    let isDebounced = thresholds.debounce > 0 && thresholds.debounce < 500_000
    guard thresholds.time > 0 || isDebounced, thresholds.time < 50_000_000, thresholds.debounce == 0 || isDebounced,
      thresholds.distance == 0, thresholds.accuracy == 0, !thresholds.isSignificant, subscription.level == .exact,
      !subscription.isNamed, client.entitlement.level == .exact
    else { return }
    let since = max(
      subscription.lastLocationAt, subscription.startedAt, subscription.thresholdsAt, client.entitlement.since)
    let begin = now - thresholds.time - thresholds.debounce - world.geoclue.interval - 1_500_000
    // After a move, a location may wait for its confirmation.
    if since < begin, now - world.geoclue.lastFixAt < 2_000_000, max(world.movedAt, world.geoclue.defectAt) < begin {
      broken("an update arrives when its interval ends", "\((now - since) / 1_000) ms at \(subscription.path)")
    }
  }

  /// Checks that a client has received the last location, which was held back for less than 30 s.
  func receivedHeldBack(_ client: Client) {
    guard let fix = world.fixes.values.max(by: { $0.number < $1.number }), fix.accuracy == 3_000,
      fix.measuredAt < world.schedule.now - 25_000_000, world.geoclue.lastReads[fix.number] != nil, client.isReading,
      client.entitlement.level == .exact, client.entitlement.since < fix.measuredAt - 10_000_000,
      max(world.wokeAt, world.clockSetAt, world.geoclue.startedAt) < fix.measuredAt - 10_000_000,
      client.receivedFixes[fix.number] == nil
    else { return }
    broken("a location that was held back is delivered", "\(fix) to client \(client.number)")
  }

  /// Checks that each client has received the newest location, and that no newer one waits anywhere.
  ///
  /// - Parameters:
  ///   - user: Whose clients are checked, nil for all.
  ///   - isJustPermitted: Whether it was measured as soon as these had access.
  func newest(of user: UInt32? = nil, isJustPermitted: Bool = false) {
    let before = world.schedule.now - 10_000_000
    // After a clock change and a sleep, the first locations of a new client may be old ones.
    guard let newest = world.geoclue.newest, world.geoclue.startedAt < before,
      let fix = world.fixes[newest.bitPattern], !world.recurs(fix)
    else { return }
    // One that is read before the agent's answer is not for the client yet.
    let read = world.geoclue.lastReads[fix.number] ?? .max
    // A change of the clock ends the use of earlier ones, unless they are asserted again, and GeoClue reports none while it
    // has no source.
    let isAsserted = world.geoclue.isStatic || world.geoclue.isByAddress
    guard isAsserted ? read > world.clockSetAt : fix.measuredAt > world.clockSetAt else { return }
    if isJustPermitted, world.agents.contains(where: { $0.user == user && $0.lastTold.at > read - 500 }) { return }
    // One that was measured while a client had no access is not for that client.
    let latest = isJustPermitted ? fix.measuredAt : min(before, fix.measuredAt - 1_000_000)
    for client in world.clients
    where client.isReading && client.entitlement.level == .exact && client.entitlement.since < latest
      && client.user == user ?? client.user
    {
      for subscription in client.subscriptions
      where subscription.isStarted && subscription.isPlain && subscription.level == .exact
        && subscription.startedAt < before && subscription.last?.latitude != newest
      {
        broken("the newest location reaches each permitted client", subscription.path)
      }
    }
  }

  /// Checks that a client that came just after the clock had been set has received a location.
  func begun(_ client: Client, since begin: Int64) {
    let now = world.schedule.now
    guard client.isReading, client.isConnected, client.entitlement.level == .exact,
      client.entitlement.since < begin - 10_000_000, world.wokeAt < begin - 10_000_000,
      // Old locations are dropped for 5 s from the first one after a sleep.
      world.geoclue.hasBeenRead(in: world.wokeAt..<begin - 6_000_000),
      world.geoclue.hasBeenRead(in: begin + 500_000..<now - 300_000)
    else { return }
    for subscription in client.subscriptions
    where subscription.isStarted && subscription.beganAt >= begin && subscription.level == .street
      && subscription.count == 0
    {
      broken("a client that comes after a change of the clock receives a location", subscription.path)
    }
  }

  /// Checks that GeoClue is not used all the time while all clients rarely need locations, and that they still receive
  /// locations.
  private func rested() {
    let now = world.schedule.now
    // A client that has made too many calls may not have closed its objects.
    let needsAll = world.clients.contains { client in
      !client.regions.isEmpty
        || client.subscriptions.contains {
          $0.isStarted && $0.thresholds.time < Client.rest && !$0.thresholds.isSignificant
        }
    }
    if !hasRested, !needsAll { broken("GeoClue rests while locations are due rarely", "") }
    guard !world.isRestBlind, !world.geoclue.isStatic else { return }
    for client in world.clients where client.isConnected && client.entitlement.level == .exact {
      for subscription in client.subscriptions
      where subscription.isStarted && subscription.thresholds.time == Client.rest && subscription.level == .exact
        && subscription.thresholds.distance == 0
      {
        let silence = now - max(subscription.lastLocationAt, subscription.startedAt)
        if silence > Client.rest + 10_000_000 {
          broken("a resting source wakes in time", "\(silence / 1_000) ms at \(subscription.path)")
        }
      }
    }
  }

  /// Checks that a client that rests and has started again some time ago has received a location.
  func startedAgain() {
    guard !world.isRestBlind, !world.geoclue.isStatic else { return }
    let before = world.schedule.now - 15_000_000
    for client in world.clients where client.entitlement.level == .exact && client.entitlement.since < before {
      for subscription in client.subscriptions
      where subscription.isStarted && subscription.thresholds.time == Client.rest && subscription.level == .exact
        && subscription.beganAt < before && subscription.lastLocationAt < subscription.beganAt
      {
        broken("a subscription that starts again soon receives a location", subscription.path)
      }
    }
  }

  /// Checks that a subscription whose level was changed to one that its client may receive has received a location since.
  func receivedAfterLevelChange(_ subscription: Client.Subscription, of client: Client, since begin: Int64) {
    guard client.isReading, client.entitlement.level == .city, client.entitlement.since < begin - 20_000_000,
      subscription.isStarted, subscription.level == .city, subscription.lastLocationAt < begin,
      world.geoclue.hasBeenRead(in: begin + 100_000..<world.schedule.now - 300_000), !world.polkit.isInDoubt,
      world.wokeAt < begin - 20_000_000
    else { return }
    broken("a change of the level is followed by a location", subscription.path)
  }

  /// Checks that a client has been sent a location after the service's connection was lost, although it does not read.
  func sentAfterLoss(_ client: Client, since begin: Int64) {
    guard client.isConnected, !client.isReading, (Self.muchUnread..<800_000).contains(client.unread),
      client.entitlement.level == .exact, client.entitlement.since < begin - 10_000_000,
      world.servingSince.map({ $0 < begin }) ?? false, client.sentLocationAt < begin,
      world.geoclue.hasBeenRead(in: world.schedule.now - 10_000_000..<world.schedule.now)
    else { return }
    broken("a client that does not read is sent a location once a minute", "client \(client.number)")
  }

  /// Checks that a client has received the location that was dropped when the source was released.
  func receivedDropped(_ client: Client, since begin: Int64) {
    guard client.isReading, client.entitlement.level == .exact, client.entitlement.since < begin - 100_000_000,
      !world.geoclue.isStatic, world.geoclue.hasBeenRead(in: begin..<world.schedule.now - 10_000_000)
    else { return }
    for subscription in client.subscriptions where subscription.isStarted && subscription.lastLocationAt < begin {
      broken("a reduced location is sent although it was dropped with the source", subscription.path)
    }
  }

  /// Checks that a client has received no location that waited when the source was released.
  func receivedNoDropped(_ client: Client, since begin: Int64) {
    for subscription in client.subscriptions where subscription.lastLocationAt > begin {
      guard let fix = subscription.last.flatMap({ world.fixes[$0.latitude.bitPattern] }),
        let read = world.geoclue.lastReads[fix.number], read < begin
      else { continue }
      broken("a location that waits is dropped with the source", subscription.path)
    }
  }

  /// Checks that resting subscriptions have received a location since their interval was shortened.
  func receivedAfterShorterInterval(since begin: Int64) {
    guard !world.isRestBlind, !world.geoclue.isStatic else { return }
    for client in world.clients where client.entitlement.level == .exact && client.entitlement.since < begin {
      for subscription in client.subscriptions
      where subscription.isStarted && subscription.hasChangedInterval && subscription.lastLocationAt < begin {
        // A client that has made too many calls may not have closed an object with other thresholds.
        let thresholds = subscription.thresholds
        guard thresholds.distance == 0, thresholds.accuracy == 0, thresholds.debounce == 0 else { continue }
        broken("a resting source wakes for a shorter interval", subscription.path)
      }
    }
  }

  /// Checks that each subscription of a client, whose intervals all ended in a long sleep, has received a location since.
  func receivedAfterSleep(_ client: Client) {
    guard client.isReading, client.entitlement.level == .exact, client.entitlement.since < world.wokeAt - 1_000_000,
      world.geoclue.hasBeenRead(in: world.wokeAt + 2_000_000..<world.schedule.now - 500_000)
    else { return }
    for subscription in client.subscriptions
    where subscription.isStarted && max(subscription.startedAt, subscription.lastLocationAt) < world.wokeAt {
      broken("a sleep counts in the interval of a subscription", subscription.path)
    }
  }

  /// Checks that a client whose interval ended in the last sleep, before which the source rested, has received a location.
  func servedAfterSleep(_ client: Client) {
    guard client.isReading, client.entitlement.level == .exact, client.entitlement.since < world.wokeAt - 20_000_000,
      (0..<20_000_000).contains(world.schedule.now - world.wokeAt), world.geoclue.worksSince < world.wokeAt - 1_000_000,
      !world.geoclue.isStatic, world.geoclue.interval == 1_000_000, !world.isBusFaulty
    else { return }
    for subscription in client.subscriptions
    where subscription.isStarted && subscription.count > 0 && subscription.lastLocationAt < world.wokeAt {
      broken("a sleep counts in the interval of a subscription", "\(subscription.path), which rested")
    }
  }

  /// Checks that each subscription of a program that started during the interval of an earlier town has received that of
  /// the next one.
  func receivedTown(_ client: Client, since begin: Int64) {
    guard client.isReading, client.entitlement.level == .exact, client.entitlement.since < begin + 10_000_000,
      world.clockSetAt < begin, !world.isRestBlind, !world.geoclue.isStatic
    else { return }
    for subscription in client.subscriptions where subscription.isStarted && subscription.lastLocationAt < begin {
      broken("a town follows when its interval ends", subscription.path)
    }
  }

  /// Checks that an update that was due before the machine moved has arrived since.
  func receivedAfterMove(since begin: Int64) {
    guard !world.isRestBlind, !world.geoclue.isStatic, world.geoclue.worksSince < begin - 10_000_000 else { return }
    for client in world.clients where client.entitlement.level == .exact && client.entitlement.since < begin {
      for subscription in client.subscriptions
      where subscription.isStarted && subscription.thresholds.time == Client.rest
        && subscription.thresholds.distance > 0
        && max(subscription.lastLocationAt, subscription.startedAt) + Client.rest < begin
      {
        broken("an update that is due arrives when its distance is passed", subscription.path)
      }
    }
  }

  /// Checks that a client has received a reduced location from where the machine is since a time.
  func hasTravelled(_ client: Client, since begin: Int64) {
    guard client.isConnected, client.entitlement.level >= .neighborhood, client.entitlement.since < begin,
      world.geoclue.worksSince < begin
    else { return }
    for subscription in client.subscriptions
    where subscription.isStarted && eastWestDistance(subscription.last?.longitude ?? .infinity) > 3_000 {
      broken("a reduced location follows the machine", "\(subscription.path)")
    }
  }

  /// Checks that GeoClue is asked for no more than what the agent permits of the only user who needs it. In the session
  /// deployment, GeoClue itself limits what it sends.
  func requestsNoMore(than level: AccuracyLevel, for client: Client) {
    if world.isSession { return }
    let begin = world.schedule.now - 5_000_000
    guard client.isConnected, client.entitlement.level == level, client.entitlement.since < begin else { return }
    if world.geoclue.requestedLevel > level.rawValue {
      broken("GeoClue is asked for no more than an agent permits", "\(world.geoclue.requestedLevel)")
    }
  }

  /// Checks that GeoClue is asked for no more than its clients need, which have just come.
  func requestsNoMoreThanNeeded(_ level: AccuracyLevel) {
    guard !world.isBusFaulty, world.geoclue.requestedLevel > level.rawValue else { return }
    broken("GeoClue is asked for no more than is needed", "\(world.geoclue.requestedLevel)")
  }

  /// Checks that a client that has begun to read again five seconds ago receives locations again.
  func catchesUp(_ client: Client) {
    let (now, begin) = (world.schedule.now, client.readSince)
    guard client.isReading, client.isConnected, begin < now - 4_000_000, client.entitlement.level == .exact,
      client.entitlement.since < begin - 5_000_000, world.geoclue.hasActiveClient, !world.isBusFaulty,
      world.geoclue.interval == 1_000_000, world.geoclue.worksSince < begin - 5_000_000, world.isQuiet(at: begin),
      now - world.geoclue.lastFixAt < 1_500_000, max(world.movedAt, world.outlierAt) < begin - 20_000_000,
      // Locations of unknown accuracy may be held back.
      !world.fixes.values.contains(where: { $0.accuracy == .infinity && $0.measuredAt > begin })
    else { return }
    for subscription in client.subscriptions
    where subscription.isStarted && subscription.isPlain && subscription.level == .exact
      && subscription.lastLocationAt < begin + 1_500_000
    {
      broken("a client that reads again receives locations", subscription.path)
    }
  }

  /// Checks that each object of a client receives locations after those that had waited for a bus that stalled.
  func receivesAfterStall(_ client: Client, since begin: Int64) {
    let (now, stalled) = (world.schedule.now, world.stalled)
    guard client.isReading, client.isConnected, client.entitlement.level == .exact,
      client.entitlement.since < begin + 4_000_000, begin < stalled.lowerBound, stalled.upperBound < now - 10_000_000,
      world.lastOwner?.since ?? .max < begin + 4_000_000,
      world.geoclue.hasBeenRead(in: stalled.upperBound + 5_000_000..<now - 2_000_000)
    else { return }
    for subscription in client.subscriptions
    where subscription.isStarted && subscription.isPlain && subscription.level == .exact
      && subscription.startedAt < stalled.lowerBound && subscription.lastLocationAt < stalled.upperBound + 4_000_000
    {
      broken("each object receives locations after the bus has stalled", subscription.path)
    }
  }

  /// Checks that GeoClue is asked for as much as a permitted client needs.
  func requestsAsMuchAsNeeded(_ level: AccuracyLevel, for client: Client) {
    guard client.isConnected, client.entitlement.level >= level, world.geoclue.hasActiveClient, !world.isBusFaulty,
      client.entitlement.since < world.schedule.now - 5_000_000
    else { return }
    if world.geoclue.requestedLevel < level.rawValue {
      broken("GeoClue is asked for as much as is needed", "\(world.geoclue.requestedLevel)")
    }
  }

  /// Checks that nothing remains in GeoClue some time after the last client has left.
  func unneeded() {
    if world.geoclue.isRunning, world.geoclue.clientCount > 0 {
      broken("GeoClue is not held when no client needs it", "\(world.geoclue.clientCount) clients")
    }
  }

  /// Checks that GeoClue's client is the one from before a time at which less was needed for a moment.
  func kept(before time: Int64, for client: Client) {
    guard world.geoclue.hasActiveClient, world.geoclue.worksSince < time - 2_000_000, world.wokeAt < time,
      world.geoclue.startedAt < time - 2_000_000, client.isConnected, client.entitlement.level == .exact,
      client.entitlement.since < time - 2_000_000,
      // A source that is silent is asked again with another client.
      world.geoclue.hasBeenRead(in: time - 3_000_000..<time)
    else { return }
    if !world.geoclue.hasClient(from: time) { broken("GeoClue's client is kept if less is needed for a moment", "") }
  }

  /// The agent of the session leaves for a moment. GeoClue's client, which would obey it, must be replaced.
  func replaced(since begin: Int64) {
    guard world.geoclue.hasActiveClient, world.geoclue.heldAt < begin - 5_000_000, !world.isBusFaulty else { return }
    world.schedule.after(20_000_000) { [self] in
      guard world.geoclue.hasClient(from: begin) else { return }
      broken("GeoClue's client does not outlive its agent", "")
    }
  }

  /// Checks that GeoClue's client has been kept for a moment after a use that began while it was still held.
  func lingers(since end: Int64) {
    // While access is in doubt, the answer comes later than the location, after which the source is not needed.
    guard world.geoclue.worksSince < end - 100_000, world.geoclue.startedAt < end - 100_000, !world.isRestBlind,
      world.geoclue.hasBeenRead(in: end - 100_000..<end + 1)
    else { return }
    if !world.geoclue.hasActiveClient { broken("GeoClue's client is kept for a moment after its last use", "") }
  }

  /// Checks that what an agent allowed before nobody watched it no longer counts.
  func allowed(_ client: Client) {
    guard client.entitlement.level == .exact, client.entitlement.since < world.schedule.now - 1_000_000 else { return }
    for subscription in client.subscriptions where subscription.told?.reason == "reduced-accuracy" {
      broken("an agent counts only while it is watched", subscription.path)
    }
  }

  /// Checks that nothing remains some time after every client has left.
  func left() {
    unneeded()
    let sockets = world.bus.socketPeers.filter(\.isService)
    let names = Set(sockets.map(\.name))
    let agents = Set((world.agents + world.seconds).filter(\.hasLostCalls).map(\.name))
    let calls = world.bus.pending.filter { names.contains($0.key.caller) && !agents.contains($0.value) }
    if !calls.isEmpty { broken("no call is left", "\(calls.sorted { $0.key < $1.key }.map { "\($0)" })") }
    if let session = world.session, world.servingSince != nil {
      let remains = Inventory(of: session)
        .remains(with: world.bus.pending.count { names.contains($0.key.caller) })
      if !remains.isEmpty { broken("nothing is held for clients that have left", remains.joined(separator: ", ")) }
    }
    let matches = sockets.reduce(0) { $0 + $1.matches.count }
    let remains = Remains(matches: matches, connections: sockets.count)
    if let before = remainsBefore, world.servingSince != nil, remains.matches > before.matches + 2 {
      broken("no match rule is left", "\(remains.matches), before \(before.matches)")
    }
    if world.servingSince != nil { remainsBefore = remainsBefore ?? remains }
  }

  /// Checks that the service hardly wakes while nobody uses it.
  ///
  /// - Parameter before: The number of wake-ups 20 s ago.
  func hardlyWakes(since before: Int) {
    let count = world.wakeUps - before
    // The programs with the client library have a turn each 250 ms.
    if count > (world.hasLibraries ? 110 : 20) {
      broken("a service that nobody uses hardly wakes", "\(count) wake-ups")
    }
  }

  /// Checks that the service has exited. Called when its idle time has passed. If the bus fails, the service may not have
  /// noticed yet that a client has left.
  func exited() {
    if let name = world.serviceName, !world.isBusFaulty { broken("the service exits when nobody uses it", name) }
  }

  nonisolated struct Remains {
    let matches: Int
    let connections: Int
  }

  /// Checks what clients were told through some of their subscriptions.
  func truths(where isConcerned: (Client, Client.Subscription) -> Bool) {
    for client in world.clients where client.isConnected {
      for subscription in client.subscriptions where subscription.isStarted && isConcerned(client, subscription) {
        truth(client, subscription)
      }
    }
  }

  /// Checks that doubts that were resolved in time did not end the access of any client.
  func doubted(since begin: Int64) {
    guard world.truth.changedAt < begin, world.logind.answersSoon, world.logind.slowAt < begin - 3_000_000,
      !world.isBusFaulty
    else { return }
    for client in world.clients
    where client.isReading && client.readSince < begin && client.entitlement.level == .exact
      && client.entitlement.since < begin - 5_000_000 && client.undecidedAt > begin
    {
      broken("doubts that are resolved in time do not end access", "client \(client.number)")
    }
  }

  /// Checks what the programs of a user were told.
  func truths(of user: UInt32) { truths { client, _ in client.user == user && client.isReading } }

  /// Checks that the service has asked about a change 35 s ago, whose announcement was lost.
  func learned(_ client: Client, _ hasAsked: Bool) {
    guard client.isConnected else { return }
    if !hasAsked { broken("a change whose announcement was lost counts after 35 s", "client \(client.number)") }
    truths(of: client.user)
  }

  /// Makes every client request a location.
  func probe() {
    // No client is undecided without a cause, before a call makes the service ask all programs again.
    truths { $1.isUndecided }
    for client in world.clients
    where client.isConnected && client.isReading && world.schedule.now - client.entitlement.since > 10_000_000 {
      client.locateNow()
      client.askInTurn()
      client.askEverything()
    }
  }
}
