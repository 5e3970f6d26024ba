// SPDX-License-Identifier: Apache-2.0
import DBus

/// Compares what clients read of their objects in a quiet time with what was signalled before.
extension Checks {
  /// A client has read the properties of its subscription.
  func read(_ properties: [String: Value], of subscription: Client.Subscription, by client: Client) {
    guard !world.isBusFaulty, client.isReading, subscription.told.map({ $0 != Client.refused }) ?? true else {
      return
    }
    if subscription.isStarted, subscription.thresholdsAt < .max { compare(properties, of: subscription) }
    let isAuthorized = subscription.told?.status.hasPrefix("authorized") == true
    // A short loss of access, which need not be reported, drops it, too. There was none just now.
    let since = max(subscription.startedAt, subscription.toldAt, world.schedule.now - 3_000_000)
    let isKept = isAuthorized && subscription.isStarted && subscription.lastLocationAt > since
    // A start may count that the client has tried to end with a call that was refused.
    let isIdle = !isAuthorized || subscription.isStopped
    let location = properties["Location"]?.properties ?? [:]
    shows(location, subscription)
    let latitude = location["Latitude"]?.double
    if latitude != nil || isKept, latitude != subscription.last?.latitude || isIdle {
      broken("an object has the last location that it has sent", "\(latitude as Any): \(subscription.path)")
    }
  }

  /// A client has read a location of its subscription, or none.
  func shows(_ location: [String: Value], _ subscription: Client.Subscription) {
    guard !location.isEmpty, Self.level(of: location) > subscription.level else { return }
    broken("a subscription shows nothing finer than its level", "\(location): \(subscription.path)")
  }

  private func compare(_ properties: [String: Value], of subscription: Client.Subscription) {
    guard let told = subscription.told else { return }
    let thresholds = subscription.thresholds
    let expected: [String: Value] = [
      "AuthorizationStatus": .string(told.status), "AuthorizationReason": .string(told.reason),
      "Active": .boolean(told.status.hasPrefix("authorized")), "Accuracy": .string("\(subscription.level)"),
      "TimeThreshold": .uint32(UInt32(thresholds.time / 1_000)),
      "Debounce": .uint32(UInt32(thresholds.debounce / 1_000)),
      "DistanceThreshold": .double(thresholds.distance),
    ]
    compare(properties, with: expected, at: subscription.path)
  }

  /// A client has read the properties of its region.
  func read(_ properties: [String: Value], of region: Client.Region, by client: Client) {
    guard region.isStarted, !region.isUncertain, !world.isBusFaulty, client.isReading, let told = region.told else {
      return
    }
    var expected: [String: Value] = [
      "AuthorizationStatus": .string(told.status), "AuthorizationReason": .string(told.reason),
      "Active": .boolean(told.status.hasPrefix("authorized")), "State": .string(region.state),
      "Latitude": .double(region.latitude), "Longitude": .double(region.longitude),
      "Radius": .double(region.radius),
    ]
    // An event may join several losses, of which the first changed the state.
    if region.state != "unknown" { expected["Since"] = region.knownSince }
    if properties["State"] != .string("unknown"), properties["StateReason"] != .string("") {
      broken("a known state has no reason", "\(properties): \(region.path)")
    }
    if let reason = region.signalledReason { expected["StateReason"] = reason }
    compare(properties, with: expected, at: region.path)
  }

  /// A client has read the last event of its region.
  func compare(_ event: [String: Value], of region: Client.Region, of client: Client) {
    let isKept =
      world.isQuiet(at: world.schedule.now) && region.isStarted && !region.isNamed && !region.isUncertain
      && region.state != "unknown" && client.entitlement.level == .exact
      && client.entitlement.since < min(region.toldAt, world.schedule.now - 10_000_000)
      // An event finer than a level that an agent allowed for a moment is dropped.
      && !world.agents.contains { $0.changedAt > region.toldAt }
    guard !event.isEmpty || isKept, !world.isBusFaulty, client.isReading,
      client.readSince < world.schedule.now - 1_000_000, world.sentSince == world.schedule.now,
      // What is read late may have been dropped since.
      client.readSince < region.toldAt, region.toldAt < world.schedule.now - 1_000_000,
      event["Sequence"]?.uint64 != region.sequence
    else { return }
    broken("the last event of a region is the one that was sent", "\(event), not \(region.sequence): \(region.path)")
  }

  private func compare(_ properties: [String: Value], with expected: [String: Value], at path: String) {
    for name in expected.keys.sorted() where properties[name] != expected[name] {
      let found = "\(name) is \(properties[name].map { "\($0)" } ?? "absent"): \(path)"
      broken("the properties of an object are what was signalled", found)
    }
  }
}
