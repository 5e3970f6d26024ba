// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// The access that a user's session and agents allow: the facts that a user's own programs can change at any rate.
nonisolated struct UserAccess: Hashable, Sendable {
  var session = Facts.Session.unknown
  var agents = AgentLevels()

  /// Whether every fact has been found.
  var isComplete: Bool { session != .unknown && agents.least != .unknown }

  /// Returns the access without anything that `other` does not allow.
  func limited(by other: UserAccess) -> UserAccess {
    var result = self
    if other.session.rank < session.rank { result.session = other.session }
    if other.agents.least.rank < agents.least.rank || other.agents.others.rank < agents.others.rank {
      result.agents = AgentLevels(
        least: agents.least.lesser(other.agents.least), from: other.agents.source,
        others: agents.others.lesser(other.agents.others))
    } else if other.agents.source != agents.source, other.agents.least.rank < agents.others.rank {
      // The old source may no longer have the level of the other agents, because one of them is the coarsest now.
      result.agents = AgentLevels(least: agents.least, others: agents.least)
    }
    return result
  }
}

/// The coarsest level of a user's agents. A client is never its own agent, so the second coarsest is known, too.
nonisolated struct AgentLevels: Hashable, Sendable {
  var least = Facts.AgentLevel.unknown
  /// The agent with the coarsest level.
  var source: BusName?
  /// The coarsest level of all other agents.
  var others = Facts.AgentLevel.unknown

  init(least: Facts.AgentLevel = .unknown, from source: BusName? = nil, others: Facts.AgentLevel = .unknown) {
    (self.least, self.source, self.others) = (least, source, others)
  }

  func level(without peer: BusName) -> Facts.AgentLevel { peer == source ? others : least }

  /// Records that an agent may still be starting.
  mutating func absenceIsUncertain() {
    if least == .none { least = .unknown }
    if others == .none { others = .unknown }
  }
}

nonisolated extension Facts.Session {
  fileprivate var rank: UInt32 { self == .active || self == .untracked ? 1 : 0 }
}

nonisolated extension Facts.AgentLevel {
  fileprivate var rank: UInt32 { if case .level(let level) = self { level.rawValue } else { 0 } }

  fileprivate func lesser(_ other: Self) -> Self { other.rank < rank ? other : self }
}

/// Damps changes of one user's access.
///
/// A reduction stops deliveries immediately. It is reported to the user's clients after ``tellTime`` if it is still in
/// force, so an agent that passes through 0 between two levels causes no report. The first increase after ``quiet`` is
/// applied immediately. Each further one waits for a pause that doubles, and starts over if access is reduced
/// meanwhile. Until all facts have been found for the first time, they are passed on as they arrive.
nonisolated struct AccessDamper: Sendable {
  /// Short enough for a user's record to be erased within 100 ms.
  static let tellTime = Duration.milliseconds(50)
  static let quiet = Duration.seconds(10)
  static let pauses = Duration.milliseconds(100)...Duration.seconds(5)

  /// The access on which decisions are based, and which is reported to the clients.
  private(set) var told = UserAccess()
  /// The access on which deliveries may be based. Never more than is allowed now.
  private(set) var granted = UserAccess()
  private var current = UserAccess()
  /// The time of the first reduction that has not been reported to the clients.
  private var reducedAt: MonotonicInstant?
  /// When the increase that waits is applied.
  private var increaseAt: MonotonicInstant?
  /// Nil until all facts have been found for the first time.
  private var lastIncrease: MonotonicInstant?
  private var pause = Duration.zero

  /// Whether deliveries are held because a reduction has not been reported to the clients yet.
  var isHeld: Bool { granted != told }

  /// When ``handle(_:at:)`` must be called again, or nil.
  var deadline: MonotonicInstant? { [tellAt, increaseAt].compactMap(\.self).min() }

  /// Handles the current access, or the time in ``deadline``. Returns whether ``told`` has changed or
  /// ``isHeld`` has ended.
  mutating func handle(_ access: UserAccess? = nil, at now: MonotonicInstant) -> Bool {
    let (oldTold, wasHeld) = (told, isHeld)
    if let access, access != current { change(to: access, now) }
    if let increaseAt, now >= increaseAt {
      pause = min(max(pause * 2, Self.pauses.lowerBound), Self.pauses.upperBound)
      apply(current)
    } else if let tellAt, now >= tellAt {
      apply(granted)
    }
    return told != oldTold || wasHeld && !isHeld
  }

  /// A reduction that an increase will follow soon is reported together with it. Deliveries are never held for more
  /// than a second without a report.
  private var tellAt: MonotonicInstant? {
    reducedAt.map { time in
      max(time + Self.tellTime, min(increaseAt ?? time, time + Confirmation.holdTime))
    }
  }

  private mutating func change(to new: UserAccess, _ now: MonotonicInstant) {
    let isIncrease = current.limited(by: new) != new
    current = new
    guard let before = lastIncrease else {
      if new.isComplete { lastIncrease = now - Self.quiet }
      return apply(new)
    }
    if isIncrease {
      if now - before >= Self.quiet { pause = .zero }
      lastIncrease = now
    }
    granted = granted.limited(by: new)
    increaseAt = granted == new ? nil : increaseAt ?? now + pause
    reducedAt = granted == told ? nil : reducedAt ?? now
  }

  private mutating func apply(_ access: UserAccess) {
    (granted, told, reducedAt) = (access, access, nil)
    if access == current { increaseAt = nil }
  }
}
