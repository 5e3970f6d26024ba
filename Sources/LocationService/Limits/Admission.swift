// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import MainLoop

/// The gates that a call passes before it is dispatched, and the calls that wait at them.
///
/// A call above a rate waits in its account's line, unless its turn would come too late for an answer. What a call has
/// cost is charged to its account's rate afterwards. ``ClientRegistry`` limits what calls create.
final class Admission {
  enum Verdict: Equatable {
    case now
    /// The call waits in its account's line.
    case later
    case refuse(Limits.Key)
    /// The call gets no answer.
    case drop
  }

  var limits: Limits
  var queue = FairQueue<BusName, MethodCall>()
  /// The number of calls that have been dispatched and not answered.
  private(set) var pendingCalls = 0
  /// Called when a call has been answered or an object has ended.
  var onLessBusy: (() -> Void)?

  private let outbox: Outbox
  private var buckets: [Account: TokenBucket] = [:]
  private static let largestBucketCount = 256

  init(_ outbox: Outbox, _ limits: Limits) { (self.outbox, self.limits) = (outbox, limits) }

  /// Decides about a call that has arrived, and adds it to its account's line if it may wait. `bytes` is nil if the
  /// call is too long.
  func admit(_ call: MethodCall, bytes: @autoclosure () -> Int?, from client: Client) -> Verdict {
    // The client has not read for a long time, so the bus would only queue another answer on the service's account.
    guard outbox.state(of: client.name) != .suspended else { return .drop }
    guard let bytes = bytes() else { return .refuse(.messageBytes) }
    let count = queue.count(of: client.name, client.account)
    let wait = client.bucket.wait(
      for: count + 1, burst: limits[.callsBurst], perSecond: limits[.callsPerSecond], at: now)
    // Within the rate, a call waits only for its turn.
    if wait > .zero, isFull(client, with: count) { return .refuse(.callsPerConnection) }
    if wait > AnswerDeadlines.turn { return .refuse(.callsPerSecond) }
    if let account = client.account, self.wait(of: account, after: queue.count(of: account)) > AnswerDeadlines.turn {
      return .refuse(.callsPerSecondPerUser)
    }
    (queue.bounds.calls, queue.bounds.allCalls) = (Int(limits[.callsPerUser]), Int(limits[.calls]))
    let user = client.credentials?.userID ?? .max
    if let limit = queue.add(call, bytes: bytes, from: client.name, of: client.account, user: user) {
      return .refuse(limit)
    }
    // The bus delivers large messages slowly while other users' calls wait.
    charge(bytes / 1_024, to: client)
    return .later
  }

  /// Decides about a waiting call when it is the turn of its account. A call that is dispatched costs one token of its
  /// client and one of its account, and is pending until it is answered.
  func admitWaiting(_ call: MethodCall, from client: Client) -> Verdict {
    guard let account = client.account else { return .later }
    guard wait(of: account) == .zero else {
      // Long answers to other calls of the account have cost more than was expected on arrival.
      let isLate = MainLoop.main.clock.boottime() - call.arrivedAt > AnswerDeadlines.turn
      return isLate ? .refuse(.callsPerSecondPerUser) : .later
    }
    guard client.bucket.take(burst: limits[.callsBurst], perSecond: limits[.callsPerSecond], at: now) else {
      return .later
    }
    charge(1, to: client)
    guard !isFull(client) else { return .refuse(.callsPerConnection) }
    client.pendingCalls += 1
    pendingCalls += 1
    call.onAnswered = { [weak self] bytes in
      client.pendingCalls -= 1
      guard let self else { return }
      pendingCalls -= 1
      charge(bytes / 1_024, to: client)
      if let account = client.account { queue.charge(bytes, to: account) }
      onLessBusy?()
    }
    return .now
  }

  /// Charges a client's account for work: one token for each millisecond of processor time, and for each KiB.
  func charge(_ cost: Int, to client: Client) {
    guard let account = client.account, cost > 0 else { return }
    buckets[account]?.charge(Double(cost), burst: limits[.callsPerSecondPerUser])
  }

  /// Whether a client has as many pending and waiting calls as it may have.
  private func isFull(_ client: Client, with waiting: Int = 0) -> Bool {
    UInt32(clamping: waiting) + client.pendingCalls >= limits[.callsPerConnection]
  }

  /// Returns how long the next call of an account must wait, after the given number of others.
  private func wait(of account: Account, after count: Int = 0) -> Duration {
    let (rate, now) = (limits[.callsPerSecondPerUser], now)
    if buckets.count >= Self.largestBucketCount {
      buckets = buckets.filter { !$1.isFull(burst: rate, perSecond: rate, at: now) }
    }
    return buckets[account, default: TokenBucket(burst: rate, at: now)]
      .wait(for: count + 1, burst: rate, perSecond: rate, at: now)
  }

  private var now: MonotonicInstant { MainLoop.main.clock.monotonic() }
}
