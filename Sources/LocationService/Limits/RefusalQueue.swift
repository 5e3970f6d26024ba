// SPDX-License-Identifier: Apache-2.0
/// Calls that are to be refused, and when.
///
/// A refusal costs the bus, and those who wait for other answers, as much as any answer. So each user gets a burst of them
/// at once and then a steady rate; the others wait, and the user's clients take turns. Whoever floods the service
/// waits: the bus itself limits how many calls a connection may have without an answer.
nonisolated struct RefusalQueue<Client: Hashable, Call> {
  struct Bounds: Sendable {
    var burst: UInt32 = 2_500
    var perSecond: UInt32 = 200
    /// As many calls of one client wait as dbus-daemon allows it to have without an answer.
    var perClient = 128
    var all = 4_096
  }

  /// What to do with a call.
  enum Outcome: Equatable {
    case refuseNow
    /// ``due(at:)`` hands it out.
    case waits
    /// There is no room: it gets no answer.
    case drop
  }

  private struct Line {
    var bucket: TokenBucket
    var calls: [Client: [Call]] = [:]
    /// The clients whose turn comes, in this order; each once.
    var turns: [Client] = []
  }

  private let bounds: Bounds
  private var lines: [UInt32?: Line] = [:]
  private var quota = UserQuota()
  private static var largestLineCount: Int { 256 }

  init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

  /// How many calls wait.
  var count: Int { quota.total }

  /// Decides about a call. All clients whose `user` is not known share one line; `bytes` is the call's size, since an
  /// answer invites the next call.
  mutating func add(
    _ call: Call, bytes: Int, of client: Client, _ user: UInt32?, mayRefuseNow: Bool, at now: Int64
  ) -> Outcome {
    if lines.count >= Self.largestLineCount { removeIdle(at: now) }
    var line = lines.removeValue(forKey: user) ?? Line(bucket: TokenBucket(burst: bounds.burst, at: now))
    defer { lines[user] = line }
    line.bucket.charge(Double(bytes / 1_024), burst: bounds.burst)
    if mayRefuseNow, line.turns.isEmpty, takeToken(&line, now) { return .refuseNow }
    let waiting = line.calls[client]?.count ?? 0
    guard waiting < bounds.perClient, quota.take(for: user ?? .max, perUser: bounds.all, of: bounds.all) == nil else {
      return .drop
    }
    if waiting == 0 { line.turns.append(client) }
    line.calls[client, default: []].append(call)
    return .waits
  }

  /// Takes the calls that may be refused by now.
  mutating func due(at now: Int64) -> [Call] {
    var due: [Call] = []
    for user in lines.keys {
      guard var line = lines.removeValue(forKey: user) else { continue }
      while !line.turns.isEmpty, takeToken(&line, now) {
        let client = line.turns.removeFirst()
        guard var calls = line.calls.removeValue(forKey: client), !calls.isEmpty else { continue }
        due.append(calls.removeFirst())
        quota.release(of: user ?? .max)
        guard !calls.isEmpty else { continue }
        line.calls[client] = calls
        line.turns.append(client)
      }
      lines[user] = line
    }
    return due
  }

  /// Takes out the calls of a client that has left.
  mutating func remove(_ client: Client) -> [Call] {
    var removed: [Call] = []
    for user in lines.keys {
      guard let calls = lines[user]?.calls.removeValue(forKey: client) else { continue }
      lines[user]?.turns.removeAll { $0 == client }
      quota.release(calls.count, of: user ?? .max)
      removed += calls
    }
    return removed
  }

  /// Takes out everything.
  mutating func removeAll() -> [Call] {
    let removed = lines.values.flatMap { $0.calls.values.joined() }
    self = RefusalQueue(bounds)
    return removed
  }

  private func takeToken(_ line: inout Line, _ now: Int64) -> Bool {
    line.bucket.take(burst: bounds.burst, perSecond: bounds.perSecond, at: now)
  }

  private mutating func removeIdle(at now: Int64) {
    lines = lines.filter { _, line in
      var bucket = line.bucket
      return !line.turns.isEmpty || !bucket.isFull(burst: bounds.burst, perSecond: bounds.perSecond, at: now)
    }
  }
}
