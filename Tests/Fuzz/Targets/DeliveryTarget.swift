// SPDX-License-Identifier: Apache-2.0

@testable import GeopublicistLocationModel
@testable import GeopublicistService

/// Fuzzes the delivery rule: it must send only received fixes, not too often, and lose none that waits.
func fuzzDelivery(_ source: ByteSource) {
  var rule = DeliveryRule(configuration(source))
  var owner = RuleOwner()
  while !source.isEmpty {
    switch source.number(below: 8) {
    case 0:
      let configuration = configuration(source)
      owner.perform(rule.configure(configuration, owner.newest, at: owner.now), &rule)
    case 1:
      owner.perform(rule.reset(), &rule)
      owner.begin()
    case 2: owner.perform(rule.timerFired(at: owner.now), &rule)
    case 3, 4: owner.pass(.microseconds(Int(source.byte()) * source.pick([1, 1_000, 100_000, 60_000_000])), &rule)
    default:
      owner.sequence += 1
      let location = Location(
        latitude: Double(source.integer(Int16.self)) / 400, longitude: Double(source.integer(Int16.self)) / 200,
        accuracy: source.pick([nil, 1, 10, 1_000]), timestamp: Timestamp(seconds: owner.sequence),
        receivedAt: BootInstant(sinceOrigin: owner.now.sinceOrigin),
        sequence: owner.sequence)
      owner.newest = location
      owner.hasRoom = source.number(below: 4) > 0
      owner.perform(rule.received(location, at: owner.now), &rule)
    }
  }
  owner.hasRoom = true
  owner.perform([], &rule)
  owner.pass(.milliseconds(UInt32.max) * 3, &rule)
  claim(owner.armed == nil && !rule.isReady, "at the end no location waits")
}

private func configuration(_ source: ByteSource) -> DeliveryRule.Configuration {
  DeliveryRule.Configuration(
    distanceThreshold: source.pick([0, 1, 1e6, .greatestFiniteMagnitude]),
    timeThreshold: .milliseconds(source.pick([0, 1, 1_000, UInt32.max])),
    debounce: .milliseconds(source.pick([0, 1, 5_000, UInt32.max])),
    minimumInterval: .seconds(source.pick([0, 0, 600])))
}

private struct RuleOwner {
  var now = MonotonicInstant(microseconds: 1_000_000)
  var sequence: UInt64 = 0
  var newest: Location?
  /// Whether a location that is due can be sent.
  var hasRoom = true
  private(set) var armed: MonotonicInstant?
  private var lastSent: (sequence: UInt64, at: MonotonicInstant)?

  mutating func begin() { lastSent = nil }

  mutating func pass(_ time: Duration, _ rule: inout DeliveryRule) {
    let end = now + time
    while let due = armed, due <= end {
      now = max(now, due)
      armed = nil
      perform(rule.timerFired(at: now), &rule)
      claim(armed.map { $0 > now } ?? true, "a timer is not armed for a past time")
    }
    now = end
  }

  mutating func perform(_ actions: [DeliveryRule.Action], _ rule: inout DeliveryRule) {
    for action in actions {
      switch action {
      case .armTimer(let time): armed = time
      case .disarmTimer: armed = nil
      }
    }
    guard hasRoom, let location = rule.next(at: now) else { return }
    claim(
      location.sequence <= sequence && location.sequence > lastSent?.sequence ?? 0,
      "a sent location was received and is newer than the last one")
    if let lastSent {
      let pause = max(rule.configuration.timeThreshold, rule.configuration.minimumInterval)
      claim(now >= lastSent.at + pause, "locations are not sent too often")
    }
    lastSent = (location.sequence, now)
  }
}
