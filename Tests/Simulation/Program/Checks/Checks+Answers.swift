// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistSimulatedKernel

/// Checks what clients are told and answered in a quiet time.
extension Checks {
  /// The time within which a call that waits for nothing is answered, in microseconds.
  static let soon: Int64 = 1_000_000

  /// A call of `GetLocation` was refused because the client has no access.
  func refusedLocation(_ client: Client, calledAt begin: Int64) {
    let expected = world.truth.authorization(of: client, asking: .exact)
    // An agent may still start, or be found because of the call, unless its absence has been told.
    let isAbsent =
      expected.reason == "no-agent" && world.truth.changedAt < begin
      && reasons(toldTo: client, before: begin - 1_000_000).contains("no-agent")
    let isFinal =
      ["denied", "restricted"].contains(expected.status) || expected.reason == "authorization-required" || isAbsent
    // A program that does not answer may delay the decision, and a client may read the answer late.
    guard isFinal, client.readSince < world.schedule.now, world.isQuiet(at: begin),
      world.schedule.now - begin > Self.soon, world.polkit.answersSoon, world.logind.answersSoon,
      !(world.agents + world.seconds).contains(where: \.isSilent)
    else { return }
    broken(
      "a refusal that will not change is immediate",
      "client \(client.number) waited for \((world.schedule.now - begin) / 1_000) ms: \(expected)")
  }

  /// A call of `GetLocation` was refused before its timeout, although it may still be permitted.
  func refusedEarly(_ client: Client, calledAt begin: Int64) {
    guard world.truth.authorization(of: client, asking: .exact).reason == "undecided", !world.isBusFaulty,
      world.isQuiet(at: begin - 2_000_000), world.truth.changedAt < begin,
      reasons(toldTo: client, before: begin - 1_000_000).contains("undecided")
    else { return }
    broken("an undecided call waits for its timeout", "client \(client.number)")
  }

  private func reasons(toldTo client: Client, before time: Int64) -> [String] {
    client.subscriptions.filter { $0.isStarted && $0.toldAt < time }.compactMap(\.told?.reason)
  }

  /// A call that accepts a location of the last 30 s was answered.
  func answeredSoon(
    _ reply: Parcel, to client: Client, calledAt begin: Int64, within time: Int64, hadLocationAt last: Int64
  ) {
    guard last > begin - 5_000_000, client.entitlement.level == .exact, client.entitlement.since < begin - 10_000_000,
      world.wokeAt < begin - 10_000_000, client.isReading, world.polkit.denied[client.user] == nil,
      // Without objects, the service learns of the end of a refusal only with the next call, also if polkit announces a
      // change when the user agrees in a dialog.
      client.refusedCallAt < begin - 60_000_000,
      !world.clients.contains(where: { $0.user == client.user && $0.interactedAt > begin - 60_000_000 }),
      reply.kind != .reply || world.schedule.now - begin > time,
      time >= Self.soon
        || world.polkit.answersSoon && world.logind.answersSoon
          && !world.hasDoubt(begin - 3_000_000...world.schedule.now)
    else { return }
    broken("a young location answers at once", "client \(client.number): \(reply.errorName)")
  }

  /// A client has asked for its authorization.
  func answeredAuthorization(
    _ reply: Parcel, to client: Client, asking level: AccuracyLevel, expected: (status: String, reason: String)
  ) {
    guard !world.isSession, client.isReading,
      expected == world.truth.authorization(of: client, asking: level), !reply.errorName.hasSuffix("LimitsExceeded")
    else { return }
    guard reply.kind == .reply else {
      if expected.reason != "authorization-required" || !reply.errorName.hasSuffix("InteractiveAuthorizationRequired") {
        broken("a client is answered its true authorization", "client \(client.number): \(reply.errorName)")
      }
      return
    }
    if expected.reason == "authorization-required" {
      broken("consent is asked for only in a call that permits a dialog", "client \(client.number): \(reply.values)")
    }
    let told = (reply.values.first?.string ?? "", reply.values.last?.string ?? "")
    if !Truth.agrees(told, with: expected) {
      broken("a client is answered its true authorization", "client \(client.number): \(told), not \(expected)")
    }
  }

  /// A client has read the properties of the service.
  func read(_ properties: [String: Value], by client: Client, expected: (status: String, reason: String)) {
    let told = (
      properties["AuthorizationStatus"]?.string ?? "", properties["AuthorizationReason"]?.string ?? ""
    )
    // Nothing is wrong while the source rests.
    for (reason, message) in [("AuthorizationReason", "AuthorizationMessage"), ("StateReason", "StateMessage")]
    where properties[reason] != .string("resting")
      && properties[reason]?.string?.isEmpty != properties[message]?.string?.isEmpty
    {
      broken("each problem has a message", "\(properties[reason] as Any): \(properties[message] as Any)")
    }
    if !world.isSession, expected == world.truth.authorization(of: client, asking: .exact),
      !Truth.agrees(told, with: expected)
    {
      broken("a client reads its true authorization", "client \(client.number): \(told), not \(expected)")
    }
    guard world.geoclue.hasActiveClient, world.schedule.now - world.geoclue.lastFixAt < 2_000_000,
      world.schedule.now - world.geoclue.heldAt > 10_000_000, !world.geoclue.isStatic
    else { return }
    let state = sourceState(properties)
    if state != ["running", "", "exact"] || properties["InUse"]?.boolean != true {
      broken("the reported state of the source is true", "\(state), in use: \(properties["InUse"]?.boolean as Any)")
    }
  }

  /// Checks the state of the service that a program reads when no other uses it.
  func unused(by client: Client) {
    // A service that has lost its connection does not learn that its clients have left.
    guard !world.isBusFaulty else { return }
    client.start()
    client.readService { [self] properties in
      let state = [properties["State"]?.string ?? "", properties["StateReason"]?.string ?? ""]
      guard state != ["idle", ""] || properties["InUse"]?.boolean != false else { return }
      broken("a source without clients is idle", "\(state), in use: \(properties["InUse"]?.boolean as Any)")
    }
  }

  /// Checks that the only client, which has an almanac, is not said to use a source that is not held.
  func unusedBetweenChecks(by client: Client) {
    guard client.isConnected, client.almanac != nil, !world.geoclue.hasActiveClient else { return }
    client.readService { [self] properties in
      guard properties["InUse"]?.boolean != false, properties["State"]?.string == "idle" else { return }
      broken("an almanac uses the source only while it is held", "client \(client.number)")
    }
  }

  /// Checks that a client's almanac, which it had before its user turned location off, has begun again.
  ///
  /// - Parameter begin: When the user has turned location on.
  func hasAlmanacAgain(_ client: Client, since begin: Int64) {
    guard client.isConnected, client.isReading, client.entitlement.level >= .city,
      client.entitlement.since < begin + 1_000_000, client.almanac == nil,
      world.geoclue.interval == 1_000_000, world.geoclue.worksSince < begin + 10_000_000
    else { return }
    broken("an almanac begins again when access returns", "client \(client.number)")
  }

  /// Checks that a user's programs are told nothing new for a moment.
  func unshaken(_ user: UInt32, _ rule: String) {
    let begin = world.schedule.now
    let subscriptions = world.clients.filter { $0.user == user }.flatMap(\.subscriptions)
      .filter { $0.isStarted && $0.told?.status.hasPrefix("authorized") == true }
    world.schedule.after(1_200_000) { [self] in
      for subscription in subscriptions where subscription.isStarted && subscription.toldAt > begin {
        broken(rule, subscription.path)
      }
    }
  }

  /// A user's agent changes its mind many times in the next 10.8 s.
  func wavers(_ user: UInt32) {
    let begin = world.schedule.now
    let clients = world.clients.filter { $0.user == user && $0.isReading && $0.readSince < begin - 1_000_000 }
    let all = clients.flatMap { client in client.subscriptions.map { (client, $0) } }.filter {
      $0.1.isStarted && $0.1.told?.status == "authorized-when-in-use" && $0.1.startedAt < begin - 1_000_000
    }
    let (subscriptions, grants) = (all.map(\.1), all.map(\.1.grants))
    world.schedule.after(3_400_000) { [self] in
      for (client, subscription) in all
      where client.isReading && client.readSince < begin && subscription.isStarted && subscription.toldAt < begin {
        broken("a refusal that does not last is reported after some time", subscription.path)
      }
    }
    world.schedule.after(17_000_000) { [self] in areGranted(all) }
    world.schedule.after(7_500_000) { [self] in
      // The first one counts at once. The next one waits for 0.1 s, and each later one twice as long, so at most seven are
      // possible, and one may have been on its way.
      for (subscription, before) in zip(subscriptions, grants) where subscription.grants - before > 8 {
        broken("access that changes often is reported less and less often", subscription.path)
      }
    }
  }

  /// Checks that access that has not changed for longer than the longest pause has been reported.
  private func areGranted(_ all: [(Client, Client.Subscription)]) {
    let since = world.schedule.now - 5_500_000
    for (client, subscription) in all
    where client.isReading && client.isConnected && client.entitlement.level == .exact && subscription.isStarted
      && client.subscriptions.contains(where: { $0 === subscription }) && client.entitlement.since < since
      && !world.polkit.isInDoubt
      && subscription.told?.status.hasPrefix("authorized") == false
    {
      broken("access that changes often is reported in the end", subscription.path)
    }
  }

  /// A user's agent permits locations again, after a moment in which it did not.
  func permitted(to user: UInt32) {
    let subscriptions = world.clients.filter { $0.user == user && $0.isReading }.flatMap(\.subscriptions)
    world.schedule.after(400_000) { [self] in
      for subscription in subscriptions
      where subscription.isStarted && subscription.told?.reason == "disabled-by-user" {
        broken("the first increase of access after a quiet time counts at once", subscription.path)
      }
    }
  }

  /// The session of a user has just returned, and polkit has perhaps not answered yet.
  func returned(_ client: Client) {
    for subscription in client.subscriptions { showed(subscription.told?.reason ?? "", to: client, subscription.path) }
  }

  /// Checks the service's state while GeoClue is not held although a client waits for its next location.
  func resting() {
    let client = world.clients[0]
    let isAtRest = { [world] in
      world.isQuiet(at: world.schedule.now - 20_000_000) && !world.geoclue.hasActiveClient
        && world.geoclue.clientCount == 0 && client.isConnected
        && client.entitlement.level == .exact && client.subscriptions.contains { $0.isStarted && $0.count > 0 }
    }
    let begin = world.schedule.now
    // The service may still wait after a failure, before it tries GeoClue again.
    guard isAtRest(), !world.isRestBlind, world.geoclue.worksSince < begin - 80_000_000 else { return }
    world.schedule.after(2_000_000) { [self] in
      guard isAtRest(), world.geoclue.heldAt < begin else { return }
      client.readService { [self] properties in
        guard isAtRest() else { return }
        let state = [properties["State"]?.string ?? "", properties["StateReason"]?.string ?? ""]
        // It may just begin to be used.
        if !["idle", "starting"].contains(state[0]) || state[0] == "idle" && state[1] != "resting"
          || properties["InUse"]?.boolean != true
        {
          broken("a source that rests is reported so", "\(state), in use: \(properties["InUse"]?.boolean as Any)")
        }
      }
    }
  }

  /// Some seconds after a user has begun a session without an agent, it is not certain that there will be none; after
  /// half a minute it is.
  ///
  /// - Parameter hasAsked: Whether the service has had the time to ask a program that does not answer often enough.
  func awaitsAgent(_ user: UInt32, isNew: Bool, hasAsked: Bool = false) {
    let programs = world.clients.filter { $0.user == user && $0.isConnected }
    // One that does not answer may be an agent.
    guard !world.truth.isPolkitSilent, world.polkit.denied[user] == nil,
      programs.allSatisfy({
        hasAsked
          ? $0.connectedAt < world.schedule.now - 45_000_000
          : $0.isReading && $0.readSince < world.schedule.now - 40_000_000
      })
    else { return }
    // One that has not read for long is told later.
    let reading = programs.filter { $0.isReading && $0.readSince < world.schedule.now - 10_000_000 }
    let subscriptions = reading.filter { !$0.isSandboxed }.flatMap(\.subscriptions)
      .filter { $0.isStarted && !$0.isNamed }
    // The service asks a program that does not answer again only while a client waits.
    let hasWaited = !hasAsked || subscriptions.contains { $0.startedAt < world.schedule.now - 40_000_000 }
    let told = subscriptions.compactMap(\.told)
    if isNew, told.contains(where: { $0.reason == "no-agent" }) {
      broken("an agent may still start in a new session", "\(user)")
    }
    if !isNew, hasWaited, told.contains(where: { $0.reason == "undecided" }) {
      broken("an agent that has not started is absent", "\(user)")
    }
  }

  // MARK: - Lists

  /// In a quiet time, a list contains each object of its reader.
  func complete(_ rows: [Value], of client: Client) {
    // What the bus has not read is lost with the service's connection.
    guard world.isQuiet(at: world.schedule.now), !world.isBusFaulty, client.isReading,
      client.readSince < world.schedule.now - 1_000_000
    else { return }
    let found = Dictionary(
      rows.compactMap { row in row.properties.flatMap { row in row["Path"]?.objectPath.map { ($0.rawValue, row) } } }
    ) { $1 }
    // Root sees the objects of all users.
    for other in world.clients
    where other === client
      || other.isConnected && other.isReading && other.readSince < world.schedule.now - 10_000_000
        && [0, other.user].contains(client.user)
    {
      checkRows(found, of: other)
    }
    for subscription in client.subscriptions {
      guard let row = found[subscription.path] else { continue }
      let level = min(subscription.level, client.entitlement.level)
      let isAuthorized = subscription.told?.status.hasPrefix("authorized") == true
      let expected = isAuthorized ? "\(level)" : "none"
      if subscription.told.map({ $0 != Client.refused }) ?? false, !subscription.isNamed,
        max(client.entitlement.since, subscription.toldAt) < world.schedule.now - 10_000_000,
        row["Level"]?.string != expected
      {
        broken("the list is true", "\(row) of client \(client.number), permitted \(level)")
      }
      if let told = subscription.told, told != Client.refused,
        max(subscription.toldAt, subscription.startedAt) < world.schedule.now - 10_000_000,
        row["Active"]?.boolean != (subscription.isStarted && told.status.hasPrefix("authorized"))
      {
        broken("the list is true", "\(row) of client \(client.number), \(told)")
      }
      // A location may be on its way.
      let delivered = Int(row["Delivered"]?.uint64 ?? 0)
      if client.readSince < client.connectedAt, abs(delivered - subscription.count) > 2 {
        broken("the list is true", "\(delivered) locations, not \(subscription.count): \(subscription.path)")
      }
    }
  }

  /// A list must contain each object of a client, with what the bus tells of it.
  private func checkRows(_ rows: [String: [String: Value]], of client: Client) {
    let almanacs = [client.almanacPath].compactMap(\.self).map { ($0, "almanac", client.isAlmanacNamed) }
    let objects =
      client.subscriptions.map { ($0.path, "subscription", $0.isNamed) }
      + client.regions.map { ($0.path, "region", $0.isNamed) } + almanacs
    for (path, kind, isNamed) in objects {
      guard let row = rows[path] else {
        broken("the list contains each object", "not \(path) of client \(client.number)")
        continue
      }
      if row["Sender"]?.string != client.name || row["UserId"]?.uint32 != client.user || row["Kind"]?.string != kind
        || row["ProcessId"]?.uint32 != client.process || isNamed && row["DesktopId"] != Client.named.1
        || !path.hasPrefix("\(Client.path)/\(kind)/")
      {
        broken("the list is true", "\(row) of client \(client.number)")
      }
      if let time = creationTime(of: path, client), let since = row["Since"]?.structure?.first?.uint64,
        !(time - 5...time + 1).contains(Int64(since))
      {
        broken("the list is true", "since \(since), not \(time): \(path)")
      }
    }
  }

  // MARK: - Signals

  /// A client has been told its authorization.
  func told(
    _ client: Client, _ new: (status: String, reason: String), before: (status: String, reason: String)?,
    since lastTime: Int64, at path: String
  ) {
    guard let before, client.isReading, !world.isBusFaulty else { return }
    if before == new { broken("an authorization is told once", "\(new) at \(path)") }
    if world.isSession, before == ("denied", "disabled-by-user"), new.reason == "undecided",
      world.schedule.now < refusedUntil
    {
      broken("a restart of GeoClue is not a change of authorization", "\(new) at \(path)")
    }
    // In the session deployment, GeoClue decides.
    if !world.isSession, before.status.hasPrefix("authorized"), before.status != new.status,
      world.isQuiet(at: lastTime), max(world.truth.changedAt, client.readSince) < lastTime - 1_000_000,
      !world.truth.mayBeForbidden(client.user), world.polkit.answersSoon, world.logind.answersSoon,
      max(world.polkit.slowAt, world.logind.slowAt) < lastTime - 1_000_000,
      !(world.agents + world.seconds).contains(where: \.isSilent)
    {
      broken("access ends only if something has changed", "\(before), then \(new) at \(path)")
    }
  }

  /// Checks that a change of a threshold at a time has been signalled.
  func changed(
    _ name: String, to value: Value, of subscription: Client.Subscription, _ client: Client, at time: Int64
  ) {
    guard client.isReading, client.readSince < time, client.subscriptions.contains(where: { $0 === subscription }),
      !world.isBusFaulty, world.servingSince.map({ $0 < time }) ?? false,
      world.floodedAt[client.user] ?? .min / 2 < time - 20_000_000, subscription.properties[name] != value
    else { return }
    broken("the last change of an object is signalled", "\(name), \(value): \(subscription.path)")
  }

  /// Some time after a client has changed a property often, the last value must have been signalled.
  func changes(of subscription: Client.Subscription, of client: Client) {
    guard let (accuracy, time) = subscription.requiredAccuracy, client.isReading, client.isConnected,
      client.subscriptions.contains(where: { $0 === subscription })
    else { return }
    // A user who makes too many calls is answered late, and told of a change within a second.
    guard world.schedule.now - time > 1_500_000 else {
      return world.schedule.after(2_000_000) { [weak self] in self?.changes(of: subscription, of: client) }
    }
    if subscription.properties["RequiredAccuracy"] != .double(accuracy) {
      broken("the last change of an object is signalled", "not \(accuracy) m: \(subscription.path)")
    }
  }

  /// A client has been told that the source has failed. That is forgotten when nobody needs the source any more.
  func failed(_ path: String) {
    let failedAt = max(world.geoclue.worksSince, world.geoclue.failedToCreateAt)
    if failedAt < world.emptyAt - 3_000_000 { broken("no failure is reported that has ended", path) }
  }

  /// Checks that clients are told of no failure for a moment, because GeoClue has just announced locations of which only
  /// the newest can be read.
  func unfailed() {
    let begin = world.schedule.now
    world.schedule.after(200_000) { [self] in
      for client in world.clients {
        for subscription in client.subscriptions where subscription.failedAt ?? .min > begin {
          broken("a location that a newer one replaces is no failure", subscription.path)
        }
      }
    }
  }

  /// A client has been told through its subscription that the source has failed.
  func failed(_ subscription: Client.Subscription, of client: Client) {
    failed(subscription.path)
    // In a storm, a failure may have ended because no client needed the source for a moment.
    guard let last = subscription.failedAt, last > max(subscription.startedAt, client.readSince),
      world.isQuiet(at: last), world.geoclue.lastReadAt < last - 1_000_000,
      // Without a user of the source, a failure ends, and each new client of GeoClue may cause this one.
      world.geoclue.unmeasuredAt < world.schedule.now - 1_000_000, idleAt < last
    else { return }
    broken("a failure is told once until locations arrive again", subscription.path)
  }

  /// The service has closed an object of a client.
  func closed(_ subscription: Client.Subscription, _ reason: String, to client: Client) {
    if reason == "completed", let end = subscription.endsAt, client.isReading,
      subscription.count < subscription.thresholds.maximum
    {
      let late = min(kernel_boottime() - end, world.schedule.now - max(world.wokeAt, client.readSince, world.settledAt))
      if late > 2_000_000 {
        broken("a subscription ends when its duration is over", "\(late / 1_000) ms late: \(subscription.path)")
      }
    }
    let isOver =
      subscription.count >= subscription.thresholds.maximum
      || subscription.firstStart.map {
        subscription.thresholds.duration > 0 && kernel_boottime() >= $0 + subscription.thresholds.duration
      } ?? false
    let isTrue =
      switch reason {
      case "completed": isOver || !client.isReading || world.isBusFaulty
      case "by-consumer": client.closing.contains(subscription.path)
      default: reason == "shutdown" && endsService(client, subscription.path)
      }
    if !isTrue { broken("an object is closed for the reason that it reports", "\(reason): \(subscription.path)") }
    if subscription.count >= subscription.thresholds.maximum { shared(subscription) }
  }

  /// A subscription has ended with a location. All others that may have each location receive it, too.
  private func shared(_ subscription: Client.Subscription) {
    let time = subscription.lastLocationAt
    // One that has waited may have been sent to the others before.
    guard let latitude = subscription.last?.latitude, let fix = world.fixes[latitude.bitPattern],
      world.geoclue.lastReads[fix.number] ?? .min > time - 50_000, subscription.startedAt < time - 2_000_000
    else { return }
    world.schedule.after(300_000) { [self] in
      guard world.isQuiet(at: time - 5_000_000), !world.polkit.isInDoubt, !world.hasDoubt(time - 3_000_000...time),
        max(world.settledAt, world.truth.changedAt) < time - 3_000_000
      else { return }
      for client in world.clients
      where client.isReading && client.entitlement.level == .exact
        && max(client.entitlement.since, client.readSince) < time - 5_000_000
      {
        for other in client.subscriptions
        where other.isPlain && other.isStarted && other.level == .exact && !other.isLevelChanging
          && max(other.startedAt, other.toldAt, other.thresholdsAt) < time - 2_000_000
          && other.told?.status.hasPrefix("authorized") == true
          // Changes of its thresholds may wait for their turn.
          && (time - 3_000_000..<time - 50_000).contains(other.lastLocationAt)
        {
          broken("a location reaches each client that may have it", other.path)
        }
      }
    }
  }

  /// The service has closed a region of a client.
  func closed(_ region: Client.Region, _ reason: String, to client: Client) {
    let isTrue =
      switch reason {
      case "used": region.isUsed || world.isBusFaulty
      case "expired":
        region.duration > 0 && region.firstStart.map { kernel_boottime() >= $0 + region.duration } ?? false
      case "by-consumer": client.closing.contains(region.path)
      default: reason == "shutdown" && endsService(client, region.path)
      }
    if !isTrue { broken("an object is closed for the reason that it reports", "\(reason): \(region.path)") }
  }

  /// The service has closed an almanac of a client.
  func closed(almanac path: String, _ reason: String, to client: Client) {
    let isTrue =
      reason == "by-consumer" ? client.closing.contains(path) : reason == "shutdown" && endsService(client, path)
    if !isTrue { broken("an object is closed for the reason that it reports", "\(reason): \(path)") }
  }

  /// An object was closed because the service ends, so that its name must be free soon.
  private func endsService(_ client: Client, _ path: String) -> Bool {
    guard !world.isBusFaulty, client.isReading, client.readSince < world.schedule.now - 1_000_000,
      let name = world.serviceName
    else { return true }
    world.schedule.after(3_000_000) { [self] in
      if world.serviceName == name { broken("an object is closed for the reason that it reports", "shutdown: \(path)") }
    }
    return true
  }

  /// At the end of a quiet time, a client must have received what its subscription promises.
  func received(_ client: Client, _ subscription: Client.Subscription) {
    let (now, thresholds) = (world.schedule.now, subscription.thresholds)
    if subscription.count >= thresholds.maximum, client.isReading {
      broken("a subscription ends with its last update", subscription.path)
    }
    // A source that reports nothing new has reported its location at first, and again after a sleep.
    let begin = max(subscription.beganAt, subscription.authorizedAt)
    let asserted = subscription.isPlain ? max(begin, world.wokeAt) : begin
    if world.geoclue.isStatic, client.isReading, thresholds.accuracy == 0, client.entitlement.level == .exact,
      subscription.level == .exact, subscription.lastLocationAt < asserted,
      subscription.told?.status.hasPrefix("authorized") == true,
      now - max(begin, client.entitlement.since, world.wokeAt, world.geoclue.worksSince) > 20_000_000
    {
      broken("a permitted client receives a first location", "\(subscription.path) of client \(client.number)")
    }
    guard client.isReading, world.geoclue.interval == 1_000_000, now - world.geoclue.lastFixAt < 2_000_000,
      now - world.wokeAt > 75_000_000, subscription.told?.status.hasPrefix("authorized") == true
    else { return }
    // After a suspend, the reduced location of the present interval no longer counts.
    if thresholds.accuracy == 0, min(subscription.level, client.entitlement.level) >= .neighborhood,
      subscription.lastLocationAt < begin, now - max(begin, client.entitlement.since) > 75_000_000
    {
      broken(
        "a permitted client receives a first location",
        "\(subscription.level), \(thresholds): \(subscription.path) of client \(client.number)")
    }
    if thresholds.distance > 0, thresholds.time == 0, thresholds.debounce == 0, thresholds.accuracy == 0,
      !thresholds.isSignificant, subscription.level == .exact, client.entitlement.level == .exact,
      now - world.movedAt > 20_000_000, now - begin > 20_000_000, let last = subscription.last,
      Self.distance(last.latitude, world.place(isOther: false)) > thresholds.distance + 10
    {
      broken("an update arrives when its distance is passed", subscription.path)
    }
    passed(client, subscription)
  }

  /// Checks that accurate locations have passed the thresholds of a subscription. Of several in a second, only the last one
  /// counts, so that three are required.
  func passed(_ client: Client, _ subscription: Client.Subscription) {
    let (now, thresholds) = (world.schedule.now, subscription.thresholds)
    guard client.isReading, world.geoclue.interval == 1_000_000, now - world.geoclue.lastFixAt < 2_000_000,
      subscription.told?.status.hasPrefix("authorized") == true, thresholds.time == 0, thresholds.debounce == 0,
      !thresholds.isSignificant, subscription.level == .exact,
      client.entitlement.level == .exact, subscription.thresholdsAt < now
    else { return }
    let times = [
      subscription.beganAt, subscription.authorizedAt, client.entitlement.since, client.readSince, world.wokeAt,
      world.movedAt, world.outlierAt, world.clockSetAt, subscription.thresholdsAt, subscription.startedAt,
    ]
    let begin = (times.max() ?? 0) + 6_000_000
    func hasRead(since begin: Int64, _ isSuch: (Fix) -> Bool) -> Bool {
      guard begin < now - 2_000_000 else { return false }
      return world.fixes.values.count { fix in
        isSuch(fix) && !fix.isOutlier && fix.defect == nil
          && world.geoclue.lastReads[fix.number].map { (begin..<now - 2_000_000).contains($0) } ?? false
      } >= 3
    }
    let since = max(begin, subscription.lastLocationAt + 1_000_000)
    if thresholds.accuracy > 0, thresholds.distance == 0, hasRead(since: since, { $0.accuracy <= thresholds.accuracy })
    {
      broken("a location that is accurate enough is sent", "\(thresholds.accuracy) m: \(subscription.path)")
    }
    if thresholds.distance > 0, thresholds.accuracy == 0, let last = subscription.last, last.level == "exact",
      last.accuracy.isFinite,
      hasRead(since: since, { $0.accuracy <= last.accuracy / 2 - 0.01 && last.accuracy - $0.accuracy >= 10.01 })
    {
      broken("a much more accurate location passes a distance threshold", subscription.path)
    }
  }

  // MARK: - Contents

  /// Compares an exact location with the measurement.
  func same(_ location: [String: Value], as fix: Fix) {
    let received = Int64(location["MonotonicUSec"]?.uint64 ?? 0)
    // By a clock that has been set since, it may have been measured in the future, which the service does not report. By one
    // that has been set twice, the time that it reports instead may be in the future, too.
    let time = location["Timestamp"]?.structure?.first?.uint64 ?? 0
    let present = UInt64(kernel_realtime() / 1_000_000) + UInt64(LocationValidator.clockSkew.seconds)
    let isInTime =
      time == fix.timestamp || fix.isAhead && (fix.timestamp...present).contains(time)
      || world.clockSetBefore >= fix.measuredAt
      || world.clockSetAt >= fix.measuredAt && (time <= present || world.clockSetAt > world.schedule.now - 1_000_000)
    // The service drops the speed of a location that is less accurate than any receiver's.
    let hasSpeed = fix.accuracy <= LocationValidator.coarsestSatelliteAccuracy || fix.accuracy == .infinity
    let text = location["Description"]?.string ?? ""
    if !text.unicodeScalars.allSatisfy(\.isPrintable) || text.utf8.count > 255 {
      broken("a description is short and printable", text)
    }
    let (source, description) = world.geoclue.source(of: fix)
    if location["Source"]?.string != source || fix.defect == nil && text != description {
      broken("a location names its source", "\(location)")
    }
    let altitude = [.altitude, .nanAltitude].contains(fix.defect) ? nil : world.home.altitude
    let isSame =
      location["Accuracy"]?.double ?? .infinity == fix.accuracy && location["Longitude"]?.double == fix.longitude
      && isInTime && (fix.measuredAtBoottime...kernel_boottime()).contains(received)
      && location["Altitude"]?.double == altitude && fix.defect?.isInvalid != true
      && location["Speed"]?.double == (hasSpeed && fix.defect != .speed ? world.home.speed : nil)
      && location["Simulated"]?.boolean == false
    // The machine moves only along a meridian.
    let heading = location["Heading"]?.double ?? 0
    if !isSame || min(abs(heading), abs(heading - 180), abs(heading - 360)) > 1 {
      broken("an exact location is as it was measured", "\(fix): \(location)")
    }
  }

  /// A reduced location is near the place where the machine was.
  func contains(_ location: [String: Value], _ level: AccuracyLevel, _ parcel: Parcel) {
    let asleep = kernel_boottime() - kernel_monotonic()
    let received = Int64(location["MonotonicUSec"]?.uint64 ?? 0) - asleep
    guard let latitude = location["Latitude"]?.double, let cell = Self.cells[level], received > world.wokeAt,
      received > max(world.movedAt, world.outlierAt) + 60_000_000
    else { return }
    let distance = max(
      Self.distance(latitude, world.place(isOther: false)), eastWestDistance(location["Longitude"]?.double ?? .infinity)
    )
    // Cells of a country are up to 2 % longer than that.
    if distance > cell * 0.612 + 50 {
      broken("a reduced location is where the machine is", "\(distance) m: \(parcel.story)")
    }
  }

  // MARK: - Almanacs

  /// Some time after a resume or on a network at another place, while GeoClue rested, changes must have been reported.
  ///
  /// - Parameter isEarly: Whether that was so soon after an update that the next one had to wait.
  func resumed(soonAfterUpdate isEarly: Bool = false) {
    let client = world.clients[0]
    guard client.isConnected, client.entitlement.level == .exact, !world.isRestBlind, world.healedAt != nil else {
      return
    }
    for subscription in client.subscriptions where subscription.isStarted && subscription.thresholds.isSignificant {
      // Five minutes, and time to measure.
      let before = isEarly ? world.schedule.now - 335_000_000 : world.wokeAt - 300_000_000
      guard let last = subscription.last, subscription.lastLocationAt < before,
        // The place must be outside of the accuracy of both locations.
        Self.distance(last.latitude, world.place(isOther: false)) > max(1_000, last.accuracy + 50)
      else { continue }
      broken("a significant change is reported after a resume", subscription.path)
    }
    // An address is located once, which is not enough to leave a region.
    for region in client.regions
    where region.isStarted && region.known == "inside" && region.radius == 1_000 && !world.geoclue.isByAddress {
      let distance = distance(world.place(isOther: false), region)
      if distance > 2_000 { broken("leaving a region is reported after a resume or on another network", region.path) }
    }
  }

  /// A minute after an almanac has been started, it is one of the present place.
  func renewed(_ client: Client) {
    guard let almanac = client.almanac?.values, client.entitlement.level == .exact, world.geoclue.hasSource else {
      return
    }
    if almanac["Remembered"] != nil { broken("a remembered almanac is replaced", "client \(client.number)") }
  }

  /// Checks that an almanac that has begun again without a location makes the service try the source at once, and that
  /// the town that is then found replaces a remembered one.
  func triedForAlmanac(_ client: Client, since begin: Int64) {
    guard client.isConnected, client.isReading, client.almanacPath != nil, client.almanacStartedAt < begin + 2_000_000,
      client.entitlement.level == .exact, client.entitlement.since < begin - 20_000_000,
      world.geoclue.worksSince < begin + 1_000_000, world.settledAt < begin - 20_000_000
    else { return }
    guard world.geoclue.heldAt >= begin else {
      return broken("an almanac that begins again needs a location at once", "client \(client.number)")
    }
    let isFound = world.geoclue.hasRead(begin..<world.schedule.now - 5_000_000) {
      $0.measuredAt > begin && $0.accuracy.isFinite && !$0.isOutlier
    }
    if isFound { renewed(client) }
  }

  /// The clock was set to just before the next phase of an almanac, which must then be signalled.
  func foretold(_ client: Client, since begin: Int64) {
    guard client.isReading, client.readSince < begin - 10_000_000, client.entitlement.level != .none,
      client.entitlement.since < begin - 10_000_000, world.sentSince == world.schedule.now, let next = client.nextPhase,
      client.almanac.map({ $0.at >= client.almanacToldAt }) ?? false
    else { return }
    let late = kernel_realtime() / 1_000_000 - next
    if late > 3 { broken("an almanac signals each change of phase", "\(late) s late, client \(client.number)") }
  }

  /// An almanac names what is near the machine.
  func names(_ almanac: [String: Value], of client: Client) {
    guard !almanac.isEmpty, client.readSince < world.schedule.now else { return }
    let level = finestLevel(of: client)
    if almanac["Place"] != nil, level < .city {
      broken("an almanac names a town only to a client that may know it", "\(almanac)")
    }
    guard level >= .city, !world.truth.mayKnowOnlyCountry(client.user) else { return }
    let towns = [false, true].flatMap { Town.nearest(to: world.place(isOther: $0), world.home.longitude) }
    let zones = Set(towns.map(\.clock)).count > 1 ? [] : towns.map(\.zone)
    let (place, country, zone) = (almanac["Place"]?.string, almanac["Country"]?.string, almanac["TimeZone"]?.string)
    let story = "client \(client.number): \(place ?? "-"), \(country ?? "-"), \(zone ?? "-")"
    // Nothing is near a wrong measurement.
    let isNear = place.map { place in towns.contains { $0.name == place && $0.country == country } } ?? (country == nil)
    if !isNear { broken("an almanac names the nearest town", story) }
    if zones.isEmpty ? zone != nil : !zones.contains(zone ?? "") { broken("an almanac names the time zone", story) }
    approximate(almanac)
  }

  /// An almanac is approximate if its location is from a network address, of unknown accuracy or less accurate than
  /// 10 km.
  private func approximate(_ almanac: [String: Value]) {
    let time = almanac["Timestamp"]?.structure?.first?.uint64
    let coarseness = Set(world.fixes.values.filter { $0.timestamp == time }.map { $0.accuracy > 10_000 })
    guard almanac["Remembered"] == nil, coarseness.count == 1, let isCoarse = coarseness.first else { return }
    if almanac["Approximate"]?.boolean != (isCoarse || world.geoclue.isByAddress) {
      broken("an almanac says whether its place is approximate", "\(almanac)")
    }
  }

  /// A client has received an almanac that it asked for. The one that it follows must name the same town within 3 s.
  func sameTown(_ values: [String: Value], asFollowedBy client: Client) {
    let begin = world.schedule.now
    guard values["Remembered"] == nil, client.almanac != nil, client.isReading, world.isQuiet(at: begin),
      client.entitlement.level >= .city, client.entitlement.since < begin - 10_000_000,
      max(world.movedAt, world.wokeAt, client.readSince) < begin - 10_000_000,
      !world.truth.mayKnowOnlyCountry(client.user)
    else { return }
    world.schedule.after(3_000_000) { [self] in
      guard let followed = client.almanac, followed.at < begin, client.isReading, client.entitlement.since < begin,
        max(world.movedAt, world.wokeAt) < begin, followed.values["Place"] != values["Place"]
      else { return }
      broken("an almanac is signalled when it changes", "\(values), not \(followed.values)")
    }
  }

  /// A client has read the property of its almanac.
  func compare(_ values: [String: Value], of client: Client) {
    let now = world.schedule.now
    guard client.isReading, client.readSince < now - 1_000_000, world.sentSince == now, let last = client.almanac,
      now - max(last.at, world.clockSetAt) > 3_000_000, !values.isEmpty
    else { return }
    for key in ["Phase", "NextPhase", "TimeZone", "Place", "Country"] where values[key] != last.values[key] {
      broken("an almanac is signalled when it changes", "\(key): \(values[key] as Any), not \(last.values)")
    }
  }
}
