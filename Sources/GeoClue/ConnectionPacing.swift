// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// Decides when the connection may try again, so that neither failures nor short-lived clients overload GeoClue.
nonisolated struct ConnectionPacing: Sendable {
  /// The minimum time between activations caused by new subscribers.
  static let activationGap = Duration.seconds(5)
  /// The minimum time between a client and its replacement.
  static let clientGap = Duration.milliseconds(500)
  /// The average time between clients in the long run, after ``clientBurst`` immediate ones.
  static let clientInterval = Duration.seconds(1)
  static let clientBurst = 4
  /// Wait after a change of the agent. GeoClue 2.6 does not reopen a source that is requested while it is closing.
  static let agentDelay = Duration.milliseconds(250)
  /// An exit of GeoClue this long after it first started a client no longer counts as a crash at start-up.
  static let steadyRun = Duration.seconds(30)

  private var attemptedAt: MonotonicInstant?
  private var clientAt: MonotonicInstant?
  /// When the next client would be due if clients were created every ``clientInterval``.
  private var nextClientAt = MonotonicInstant.origin
  private var settlesAt = MonotonicInstant.distantPast
  /// When the running GeoClue first started a client.
  private var worksSince: MonotonicInstant?
  private var mayActivateAt = MonotonicInstant.distantPast
  private var restarts = Backoff(from: .milliseconds(200), to: .seconds(60))
  private var missingAgents = Backoff(from: .seconds(60), to: .seconds(300))
  private var refusals = Backoff(from: .seconds(2), to: .seconds(300))
  private var agentChecks = Backoff(from: .seconds(5), to: .seconds(60))

  mutating func activated(at now: MonotonicInstant) { attemptedAt = now }

  mutating func clientCreated(at now: MonotonicInstant) {
    (attemptedAt, clientAt) = (now, now)
    nextClientAt = max(nextClientAt, now) + Self.clientInterval
  }

  /// Records that the agent has changed, after which GeoClue's sources need a moment.
  mutating func settle(at now: MonotonicInstant) { settlesAt = now + Self.agentDelay }

  /// Returns when GeoClue may be activated next.
  func activation(at now: MonotonicInstant) -> MonotonicInstant { max(now, mayActivateAt) }

  func client(at now: MonotonicInstant) -> MonotonicInstant {
    max(now, nextClientAt - Self.clientInterval * (Self.clientBurst - 1))
  }

  /// Returns when a replacement client may be created.
  func replacement(at now: MonotonicInstant) -> MonotonicInstant {
    max(client(at: now), settlesAt, clientAt.map { $0 + Self.clientGap } ?? now)
  }

  /// Returns when a pause ends early because a subscriber requests a fix.
  func earlyRetry(at now: MonotonicInstant) -> MonotonicInstant {
    max(activation(at: now), settlesAt, attemptedAt.map { $0 + Self.clientGap } ?? now)
  }

  /// Returns when to retry after GeoClue has exited or failed.
  mutating func afterFailure(isForAgent: Bool, at now: MonotonicInstant, chance: Double) -> MonotonicInstant {
    let end = now + (isForAgent ? missingAgents.next(chance: chance) : restarts.next(chance: chance))
    mayActivateAt = min(end, (attemptedAt ?? now) + Self.activationGap)
    return end
  }

  mutating func afterRefusal(at now: MonotonicInstant, chance: Double) -> MonotonicInstant {
    now + refusals.next(chance: chance)
  }

  mutating func nextAgentCheck(at now: MonotonicInstant, chance: Double) -> MonotonicInstant {
    now + agentChecks.next(chance: chance)
  }

  mutating func clientArrived() {
    missingAgents.reset()
    agentChecks.reset()
  }

  mutating func clientStarted(at now: MonotonicInstant) {
    refusals.reset()
    worksSince = worksSince ?? now
  }

  mutating func exited(at now: MonotonicInstant) {
    if let worksSince, now - worksSince >= Self.steadyRun { restarts.reset() }
    worksSince = nil
  }
}

/// Delays that double after each failure, with random jitter so that many callers do not retry together.
nonisolated struct Backoff: Equatable, Sendable {
  /// The first and the longest time.
  let shortest: Duration
  let longest: Duration
  private var failures = 0

  init(from shortest: Duration, to longest: Duration) {
    self.shortest = shortest
    self.longest = longest
  }

  /// Returns the delay after another failure, in whole milliseconds and with a jitter of ±25 %.
  ///
  /// - Parameter chance: A random number from 0 to 1.
  mutating func next(chance: Double) -> Duration {
    let time = min(longest, shortest * (1 << min(failures, 32)))
    failures += 1
    return .milliseconds(Int64(Double(time.milliseconds) * (0.75 + 0.5 * min(1, max(0, chance)))))
  }

  /// Resets the delay to the shortest time after a success.
  mutating func reset() { failures = 0 }
}
