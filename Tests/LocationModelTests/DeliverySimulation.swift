// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport

@testable import GeopublicistLocationModel

extension DeliveryRule {
  /// Receives a location and returns whether it is sent immediately.
  mutating func sends(_ location: Location, at now: MonotonicInstant) -> Bool {
    received(location, at: now)
    return next(at: now) == location
  }
}

/// Drives a ``DeliveryRule`` as its owner would, on a clock that advances only between events.
struct DeliverySimulation {
  /// The deliveries: the number of the fix and the millisecond.
  struct Delivery: Equatable {
    var fix: UInt64
    var at: UInt64

    init(_ fix: UInt64, at: UInt64) {
      self.fix = fix
      self.at = at
    }
  }

  private(set) var rule: DeliveryRule
  private(set) var deliveries: [Delivery] = []
  private var newest: Location?

  init(_ configuration: DeliveryRule.Configuration) { rule = DeliveryRule(configuration) }

  /// Fix number `number`, `metres` north of a place.
  static func fix(_ number: UInt64, metres: Double = 0, accuracy: Double? = 5) -> Location {
    // On the sphere of the mean radius a metre of a meridian is this part of a degree.
    let degrees = metres / (6_371_008.8 * .pi / 180)
    return Location(
      latitude: 48 + degrees, longitude: 11, accuracy: accuracy, timestamp: Timestamp(seconds: number), sequence: number
    )
  }

  /// Advances time to `millisecond` and fires timers that are due before it.
  mutating func advance(to millisecond: UInt64) {
    while let due = rule.deadline, due < .milliseconds(millisecond) { fire(at: due) }
  }

  mutating func finish() { while let due = rule.deadline { fire(at: due) } }

  mutating func receive(_ fix: Location, at millisecond: UInt64) {
    advance(to: millisecond)
    newest = fix
    if rule.isQuiet(at: .milliseconds(millisecond)) { fire(at: .milliseconds(millisecond)) }
    rule.received(fix, at: .milliseconds(millisecond))
    send(at: .milliseconds(millisecond))
  }

  mutating func configure(_ configuration: DeliveryRule.Configuration, at millisecond: UInt64) {
    advance(to: millisecond)
    rule.configure(configuration, newest, at: .milliseconds(millisecond))
    send(at: .milliseconds(millisecond))
  }

  mutating func reset(at millisecond: UInt64) {
    advance(to: millisecond)
    rule.reset()
  }

  mutating func drop(at millisecond: UInt64) {
    advance(to: millisecond)
    rule.drop()
  }

  /// Fires the timer of the current millisecond, after its other events.
  mutating func fireDue(at millisecond: UInt64) {
    if let due = rule.deadline, due <= .milliseconds(millisecond) { fire(at: due) }
  }

  private mutating func fire(at now: MonotonicInstant) {
    rule.timerFired(at: now)
    send(at: now)
  }

  private mutating func send(at now: MonotonicInstant) {
    if let location = rule.next(at: now) {
      deliveries.append(Delivery(location.sequence, at: now.microseconds / 1_000))
    }
  }
}
