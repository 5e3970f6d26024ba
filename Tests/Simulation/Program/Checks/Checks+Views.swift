// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistSimulatedKernel

/// Checks what clients read of the service's objects.
extension Checks {
  private static let signalled = ["State", "StateReason", "AvailableAccuracy", "InUse"]

  /// The service has sent a broadcast.
  func told(_ broadcast: Parcel) {
    guard broadcast.member == "PropertiesChanged", let changed = broadcast.values.dropFirst().first?.properties else {
      return
    }
    if shown.sender != broadcast.sender { shown = (broadcast.sender, [:], 0) }
    shown.values.merge(changed) { $1 }
    shown.at = world.schedule.now
    if changed["State"]?.string == "idle" { idleAt = world.schedule.now }
    let reason = changed["StateReason"]?.string ?? ""
    if ["rejected-by-agent", "disallowed-by-configuration"].contains(reason), let acceptedAt = world.geoclue.acceptedAt,
      acceptedAt < world.sentSince - Entitlement.tolerance
    {
      broken("a refusal that is over is not reported", reason)
    }
  }

  /// Checks that GeoClue, which has refused the service once for a moment, is used again soon.
  func acceptedAgain(_ client: Client) {
    let begin = world.schedule.now - 7_000_000
    guard world.geoclue.refusedAt > begin, world.geoclue.refusedAt < begin + 1_500_000, world.geoclue.answersSoon,
      world.geoclue.isRunning, world.geoclue.slowAt < begin, !world.geoclue.isForbidden, client.isConnected,
      !world.isBusFaulty
    else { return }
    if !world.geoclue.hasActiveClient { broken("GeoClue is asked again soon after a single refusal", "") }
  }

  /// The service must have announced this limit, which the configuration has had for a while.
  func announced(_ limit: UInt32) {
    guard case .dictionary(_, _, let limits)? = shown.values["Limits"]?.unwrapped, shown.sender == world.serviceName,
      limits.contains(where: { $0.key.string == "subscriptions-per-user" && $0.value.uint32 == limit })
    else { return broken("changed limits are announced", "\(limit)") }
  }

  /// Reads the properties of the service twice. One that has not changed in between must have the signalled value.
  func properties() {
    guard let client = world.clients.first(where: { $0.isConnected && $0.isReading }) else { return }
    client.readService { [self] first in
      world.schedule.after(3_000_000) { [self] in
        client.readService { [self] second in
          guard shown.sender == world.serviceName, world.schedule.now - shown.at > 2_000_000 else { return }
          for name in Self.signalled where first[name] == second[name] {
            guard let value = shown.values[name], value != second[name] else { continue }
            broken("the signalled properties of the service are true", "\(name) is not \(value)")
          }
        }
      }
    }
  }

  /// The state of the source, its reason and the available accuracy among the properties of the service.
  func sourceState(_ properties: [String: Value]) -> [String] {
    ["State", "StateReason", "AvailableAccuracy"].map { properties[$0]?.string ?? "" }
  }

  /// Checks what the service reports of GeoClue, which has exited and cannot be started since a time.
  func failing(since time: Int64) {
    guard world.geoclueFails, !world.geoclue.isRunning else { return }
    // After many failures, the service does not try again for up to a minute.
    let isTried = (time..<world.schedule.now - 1_000_000).contains(world.geoclueFailedAt)
    let subscriptions = world.clients.filter { $0.isConnected && $0.isReading && $0.readSince < time }.flatMap(
      \.subscriptions)
    let toldAt = subscriptions.compactMap(\.failedAt).filter { $0 > time }.min() ?? .max
    for subscription in subscriptions
    where subscription.isStarted && subscription.startedAt > toldAt
      && subscription.startedAt < world.schedule.now - 1_000_000
      && subscription.told.map({ $0.status != "restricted" }) ?? false && (subscription.failedAt ?? .min) < time
    {
      broken("a subscription that starts during a failure is told of it", subscription.path)
    }
    for client in world.clients where isTried && client.isConnected && client.isReading && client.readSince < time {
      for subscription in client.subscriptions
      where subscription.isStarted && subscription.startedAt < time
        // See ``quiet(rests:)``.
        && subscription.toldAt >= world.stalled.lowerBound
        // A failure is told once until locations arrive again.
        && subscription.failedAt.map({ $0 < time && world.geoclue.hasBeenRead(in: $0..<time) }) ?? true
        && subscription.told.map({ $0.status != "restricted" }) ?? false
      {
        broken("each subscription receives a failure of the source", subscription.path)
      }
    }
    // The source is idle if access is restricted for all.
    guard subscriptions.contains(where: { $0.isStarted && $0.told?.status != "restricted" }),
      let client = world.clients.first(where: { $0.isConnected && $0.isReading })
    else { return }
    client.readService { [self] properties in
      let told = sourceState(properties)
      guard world.geoclueFails, !world.geoclue.isRunning, !world.geoclue.isForbidden else { return }
      let isMissing = !world.isGeoClueInstalled && world.geoclueFailedAt > time
      let reason = isMissing ? "geoclue-not-installed" : "geoclue-restarting"
      guard told != ["unavailable", reason, "unknown"] else { return }
      // In the session deployment, an exit of GeoClue does not show that there is an agent now.
      if world.isSession, !isTried, told == ["waiting", "no-agent", "unknown"] { return }
      broken("the reported state of the source is true", "\(told)")
    }
    client.readService { [self] properties in
      for name in ["State", "StateReason"] where shown.sender == world.serviceName {
        guard world.geoclueFails, let value = shown.values[name], value != properties[name] else { continue }
        broken("the signalled properties of the service are true", "\(name) is not \(value)")
      }
    }
  }

  /// Checks what the service reports of GeoClue, which has had no source for some seconds.
  func sourceless() {
    let since = world.schedule.now - 3_000_000
    let isLost = { [world] in
      world.geoclue.hasActiveClient && !world.geoclue.hasSource && world.geoclue.answersSoon
        && max(world.geoclue.sourceAt, world.geoclue.heldAt, world.geoclue.slowAt) < since
    }
    world.clients.first { $0.isConnected && $0.isReading }?.readService { [self] properties in
      let told = sourceState(properties)
      guard isLost(), world.sentSince == world.schedule.now, told != ["unavailable", "no-source", "none"] else {
        return
      }
      broken("the reported state of the source is true", "\(told)")
    }
  }

  /// Checks that GeoClue, which has lost only its receiver, has been asked again. A client that has had an exact location
  /// would receive nothing any more.
  func receiverLost(since time: Int64) {
    available(since: time)
    guard world.geoclue.isStuck, world.geoclue.slowAt < time, world.sentSince == world.schedule.now else { return }
    broken("a lost receiver leads to a new client of GeoClue", "")
  }

  /// Checks the available accuracy, which GeoClue has told some seconds ago.
  func available(since time: Int64) {
    world.clients.first { $0.isConnected && $0.isReading }?.readService { [self] properties in
      guard world.geoclue.isRunning, world.geoclue.answersSoon, world.sentSince == world.schedule.now,
        max(world.geoclue.slowAt, world.geoclue.startedAt, world.servingSince ?? .max) < time
      else { return }
      let told = properties["AvailableAccuracy"]?.string
      guard told != "\(world.geoclue.available)" else { return }
      broken("the available accuracy is that of GeoClue", told ?? "")
    }
  }

  /// Checks that a client has received its almanac again after the service's connection was lost.
  func sentAgain(to client: Client, since begin: Int64) {
    guard client.isConnected, client.isReading, let almanac = client.almanac, almanac.at < begin else { return }
    broken("an almanac is sent again after the connection was lost", client.almanacPath ?? "")
  }

  /// Checks that the service has asked an agent that announced a level some seconds ago.
  func heardAgent(_ agent: Agent) {
    guard !agent.isKnown else { return }
    broken("an agent that announces its level is asked for it", "\(agent.name) allows \(agent.level)")
  }

  /// Checks that the source is no longer unavailable because of an agent that has announced that it permits location.
  func permitsAgain(_ agent: Agent?) {
    guard let agent, agent.isKnown, agent.manner == .announces, agent.level == .exact,
      agent.changedAt < world.schedule.now - 500_000
    else { return }
    world.clients.first { $0.isConnected && $0.isReading }?.readService { [self] properties in
      guard agent.level == .exact, properties["StateReason"]?.string == "disabled-by-user" else { return }
      broken("the reported state of the source is true", "disabled-by-user, but its agent permits location")
    }
  }

  /// A client has received the rows of `ListSubscriptions`.
  func listed(_ rows: [Value], to client: Client) {
    complete(rows, of: client)
    // Answers that the bus does not read are lost with the service's connection, to creations too.
    let visible = world.libraries.filter { $0.isConnected && [0, $0.user].contains(client.user) }
    for library in visible where library.connectedAt > world.ignoredAt {
      let paths = rows.compactMap { row -> String? in
        guard let row = row.properties, row["Sender"]?.string == library.name else { return nil }
        return row["Path"]?.objectPath?.rawValue
      }
      let now = world.schedule.now
      let before = libraryObjects[library.name] ?? [:]
      libraryObjects[library.name] = Dictionary(paths.map { ($0, before[$0] ?? now) }) { $1 }
      // It may have created others a moment ago. A refused closing is repeated.
      let patience: Int64 = world.isBusFaulty ? 120_000_000 : 35_000_000
      let old = paths.count { now - (before[$0] ?? now) > patience }
      guard old > 3 else { continue }
      broken("the client library closes what its program does not need", "\(old) objects of \(library.name)")
    }
    guard client.user != 0 else { return }
    for row in rows {
      guard let user = row.properties?["UserId"]?.uint32, user != client.user else { continue }
      broken("a user sees no objects of others", "client \(client.number) of \(client.user) sees one of \(user)")
    }
  }

  /// A client has received the paths of the subscriptions that the service shows it.
  func introspected(_ paths: [String], to client: Client, afterClosing closed: Set<String>) {
    for path in paths {
      if let owner = owner(of: path), owner != client.name {
        broken("a user sees no objects of others", "client \(client.number) sees \(path) of \(owner)")
      }
      if closed.contains(path) { broken("no object remains after it was closed", path) }
    }
  }

  /// A client has read its almanac.
  func read(_ almanac: [String: Value], by client: Client) {
    // After a resume, the next almanac waits until access has been confirmed.
    guard let next = almanac["NextTime"]?.structure?.first?.uint64, client.isReading,
      client.readSince < world.schedule.now, world.schedule.now - max(world.clockSetAt, world.wokeAt) > 1_000_000,
      world.sentSince == world.schedule.now
    else { return }
    if let first = almanac["Forecast"]?.array?.first?.structure?.last?.structure?.first?.uint64,
      Int64(first) > kernel_realtime() / 1_000_000 + 1
    {
      broken("an almanac begins with the present phase", "client \(client.number)")
    }
    let late = kernel_realtime() / 1_000_000 - Int64(next)
    if late > 2 { broken("the next phase of an almanac lies in the future", "\(late) s ago, client \(client.number)") }
  }

  /// A client has read that it has access. It must not have been told of the loss of it before.
  func readAccess(_ client: Client, _ subscription: Client.Subscription) {
    // What has waited for the client or the bus may have been sent before.
    let now = world.schedule.now
    guard world.isQuiet(at: now), client.isReading, client.readSince < now, world.settledAt < now - 2_000_000,
      world.logind.answersSoon, world.logind.slowAt < now - 3_000_000, !world.isSession,
      finestLevel(of: client) == .none, subscription.isStarted,
      subscription.told?.status.hasPrefix("authorized") == false
    else { return }
    broken("a client that has been told of a loss of access does not read the opposite", subscription.path)
  }

  /// A client has read values from which it learns where it was.
  func read(_ values: [String: Value], at path: String, by client: Client) {
    // An answer that the client has only just read may have been sent while it had access.
    guard !values.isEmpty, client.isReading, client.readSince < world.schedule.now else { return }
    if finestLevel(of: client) == .none { broken("a client without access cannot read where it was", path) }
  }
}
