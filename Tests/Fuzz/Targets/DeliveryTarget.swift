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
      rule.configure(configuration, owner.newest, at: owner.now)
      owner.send(&rule)
    case 1:
      rule.reset()
      owner.begin()
    case 2:
      rule.timerFired(at: owner.now)
      owner.send(&rule)
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
      rule.received(location, at: owner.now)
      owner.send(&rule)
    }
  }
  owner.hasRoom = true
  owner.send(&rule)
  owner.pass(.milliseconds(UInt32.max) * 3, &rule)
  claim(rule.deadline == nil && !rule.isReady, "at the end no location waits")
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
  private var lastSent: (sequence: UInt64, at: MonotonicInstant)?

  mutating func begin() { lastSent = nil }

  mutating func pass(_ time: Duration, _ rule: inout DeliveryRule) {
    let end = now + time
    while let due = rule.deadline, due <= end {
      now = max(now, due)
      rule.timerFired(at: now)
      send(&rule)
      claim(rule.deadline.map { $0 > now } ?? true, "a deadline is not a past time")
    }
    now = end
  }

  mutating func send(_ rule: inout DeliveryRule) {
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
