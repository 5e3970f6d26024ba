// SPDX-License-Identifier: Apache-2.0
/// Decides when the connection may try again, so that neither failures nor short-lived clients overload GeoClue.
///
/// All times are milliseconds of a monotonic clock.
nonisolated struct ConnectionPacing: Sendable {
  /// The minimum time between activations caused by new subscribers.
  static let activationGap: Int64 = 5_000
  /// The minimum time between a client and its replacement.
  static let clientGap: Int64 = 500
  /// The average time between clients in the long run, after ``clientBurst`` immediate ones.
  static let clientInterval: Int64 = 1_000
  static let clientBurst: Int64 = 4
  /// Wait after a change of the agent. GeoClue 2.6 does not reopen a source that is requested while it is closing.
  static let agentDelay: Int64 = 250

  private var attemptedAt: Int64?
  private var clientAt: Int64?
  /// When the next client would be due if clients were created every ``clientInterval``.
  private var nextClientAt: Int64 = 0
  private var settlesAt: Int64 = .min
  private var mayActivateAt: Int64 = .min
  private var restarts = Backoff(from: 200, to: 60_000)
  private var missingAgents = Backoff(from: 60_000, to: 300_000)
  private var refusals = Backoff(from: 2_000, to: 300_000)
  private var agentChecks = Backoff(from: 5_000, to: 60_000)

  mutating func activated(at now: Int64) { attemptedAt = now }

  mutating func clientCreated(at now: Int64) {
    (attemptedAt, clientAt) = (now, now)
    nextClientAt = max(nextClientAt, now) + Self.clientInterval
  }

  /// Records that the agent has changed, after which GeoClue's sources need a moment.
  mutating func settle(at now: Int64) { settlesAt = now + Self.agentDelay }

  /// Returns when GeoClue may be activated next.
  func activation(at now: Int64) -> Int64 { max(now, mayActivateAt) }

  func client(at now: Int64) -> Int64 { max(now, nextClientAt - (Self.clientBurst - 1) * Self.clientInterval) }

  /// Returns when a replacement client may be created.
  func replacement(at now: Int64) -> Int64 {
    max(client(at: now), settlesAt, clientAt.map { $0 + Self.clientGap } ?? now)
  }

  /// Returns when a pause ends early because a subscriber requests a fix.
  func earlyRetry(at now: Int64) -> Int64 { max(activation(at: now), attemptedAt.map { $0 + Self.clientGap } ?? now) }

  /// Returns when to retry after GeoClue has exited or failed.
  mutating func afterFailure(isForAgent: Bool, at now: Int64, chance: Double) -> Int64 {
    let end = now + (isForAgent ? missingAgents.next(chance: chance) : restarts.next(chance: chance))
    mayActivateAt = min(end, (attemptedAt ?? now) + Self.activationGap)
    return end
  }

  mutating func afterRefusal(at now: Int64, chance: Double) -> Int64 { now + refusals.next(chance: chance) }

  mutating func nextAgentCheck(at now: Int64, chance: Double) -> Int64 { now + agentChecks.next(chance: chance) }

  mutating func clientArrived() {
    missingAgents.reset()
    agentChecks.reset()
  }

  mutating func clientStarted() { refusals.reset() }

  /// Records that GeoClue has run long enough not to count as crashing at start-up.
  mutating func ranSteadily() { restarts.reset() }
}

/// Delays that double after each failure, with random jitter so that many callers do not retry together.
nonisolated struct Backoff: Equatable, Sendable {
  /// The first and the longest time, in milliseconds.
  let shortest: Int64
  let longest: Int64
  private var failures: Int64 = 0

  init(from shortest: Int64, to longest: Int64) {
    self.shortest = shortest
    self.longest = longest
  }

  /// Returns the delay after another failure, in milliseconds: the doubled time with a jitter of ±25 %.
  ///
  /// - Parameter chance: A random number from 0 to 1.
  mutating func next(chance: Double) -> Int64 {
    let time = min(longest, failures >= 32 ? longest : shortest << failures)
    failures += 1
    return Int64(Double(time) * (0.75 + 0.5 * min(1, max(0, chance))))
  }

  /// Resets the delay to the shortest time after a success.
  mutating func reset() { failures = 0 }
}
