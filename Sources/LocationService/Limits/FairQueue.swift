// SPDX-License-Identifier: Apache-2.0
/// Calls waiting for their turn: first come, first served for one user, and round robin among users.
///
/// While several users wait, a user whose calls had long answers is passed over until the others have had answers of the
/// same length, because the bus takes only a few KiB from the service at a time (deficit round robin).
///
/// A client whose user is not known yet has its own line, which joins the user's line once the bus has identified the
/// client. The order of each client's calls is preserved.
nonisolated struct FairQueue<Client: Hashable, Call> {
  /// The maximum number of calls and bytes waiting per user or unknown client, and in total.
  struct Bounds: Sendable {
    var calls = 256
    var bytes = 256 * 1024
    var allCalls = 4096
    var allBytes = 4 * 1024 * 1024
    /// The number of calls, and bytes of each, that a user or unknown client may queue even if the total is exceeded.
    var firstCalls = 4
    var firstBytes = 4 * 1024
  }

  private enum Line: Hashable {
    case user(UInt32)
    case unknown(Client)
  }

  private struct Waiting {
    let client: Client
    let call: Call
    let bytes: Int
  }

  private struct Calls {
    var waiting: [Waiting] = []
    /// The number of calls at the start of `waiting` that have already been taken.
    var first = 0
    var bytes = 0
    var count: Int { waiting.count - first }
  }

  private let bounds: Bounds
  private var lines: [Line: Calls] = [:]
  /// The users with waiting calls in the order of their turns, each once.
  private var turns: [UInt32] = []
  private var nextTurn = 0
  /// The lengths of answers, in bytes, for which users have not been passed over yet.
  private var debts: [UInt32: Int] = [:]
  private(set) var count = 0
  private(set) var bytes = 0

  init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

  /// Whether a call can be taken now.
  var isReady: Bool { nextTurn < turns.count }

  /// Whether lines with several waiting calls accept no more.
  var isFull: Bool { count >= bounds.allCalls || bytes >= bounds.allBytes }

  /// Unknown clients may fill only half of the queue, since one user can open hundreds of connections.
  private var isFullForUnknown: Bool { count >= bounds.allCalls / 2 || bytes >= bounds.allBytes / 2 }

  /// Appends a call to its user's line. Returns false if there is no room for it.
  mutating func add(_ call: Call, bytes size: Int, from client: Client, of user: UInt32?) -> Bool {
    // Earlier calls of the client must not be overtaken.
    if let user { identify(client, as: user) }
    let line: Line = user.map { .user($0) } ?? .unknown(client)
    var calls = lines.removeValue(forKey: line) ?? Calls()
    defer { if calls.count > 0 { lines[line] = calls } }
    // The first few calls of a line always have room, even if clients of other users fill the queue.
    let isFirst = calls.count < bounds.firstCalls && size <= bounds.firstBytes
    let isFull = user == nil ? isFullForUnknown : isFull
    guard !isFull || isFirst, calls.count < bounds.calls, calls.bytes + size <= bounds.bytes || calls.count == 0 else {
      return false
    }
    if let user, calls.count == 0 { turns.append(user) }
    calls.waiting.append(Waiting(client: client, call: call, bytes: size))
    calls.bytes += size
    count += 1
    bytes += size
    return true
  }

  /// Moves a client's calls to its user's line once the bus has identified the client.
  mutating func identify(_ client: Client, as user: UInt32) {
    guard let unknown = lines.removeValue(forKey: .unknown(client)) else { return }
    var calls = lines.removeValue(forKey: .user(user)) ?? Calls()
    if calls.count == 0 { turns.append(user) }
    calls.waiting += unknown.waiting[unknown.first...]
    calls.bytes += unknown.bytes
    lines[.user(user)] = calls
  }

  /// The length of an answer that costs one turn, in bytes.
  private static var turnBytes: Int { 1024 }

  private static var largestDebt: Int { 64 * 1024 }

  /// Charges a user for the length of an answer.
  mutating func charge(_ bytes: Int, to user: UInt32) {
    debts[user] = min(debts[user, default: 0] + min(bytes, Self.largestDebt), Self.largestDebt)
  }

  /// Removes and returns the next call.
  mutating func next() -> Call? {
    while isReady {
      let user = turns[nextTurn]
      nextTurn += 1
      guard let calls = lines[.user(user)], calls.count > 0 else { continue }
      // The debt lapses if nobody else is waiting.
      guard isReady, let debt = debts[user], debt >= Self.turnBytes else {
        debts[user] = nil
        return takeFirst(of: user)
      }
      debts[user] = debt - Self.turnBytes
      turns.append(user)
      compactTurns()
    }
    return nil
  }

  private mutating func takeFirst(of user: UInt32) -> Call? {
    guard var calls = lines.removeValue(forKey: .user(user)) else { return nil }
    let waiting = calls.waiting[calls.first]
    calls.first += 1
    calls.bytes -= waiting.bytes
    count -= 1
    bytes -= waiting.bytes
    if calls.count > 0 {
      // Compact a line that is never empty, which would otherwise keep growing.
      if calls.first >= 64, calls.first * 2 >= calls.waiting.count {
        calls.waiting.removeFirst(calls.first)
        calls.first = 0
      }
      lines[.user(user)] = calls
      turns.append(user)
    }
    compactTurns()
    if !isReady { debts = [:] }
    return waiting.call
  }

  private mutating func compactTurns() {
    guard nextTurn >= 64, nextTurn * 2 >= turns.count else { return }
    turns.removeFirst(nextTurn)
    nextTurn = 0
  }

  /// Removes and returns a client's waiting calls in order, because it has left or cannot be identified.
  mutating func remove(_ client: Client, of user: UInt32?) -> [Call] {
    var removed: [Call] = []
    for line in [user.map { Line.user($0) }, .unknown(client)] {
      guard let line, var calls = lines.removeValue(forKey: line) else { continue }
      let mine = calls.waiting[calls.first...].filter { $0.client == client }
      calls.waiting = calls.waiting[calls.first...].filter { $0.client != client }
      calls.first = 0
      let size = mine.reduce(0) { $0 + $1.bytes }
      calls.bytes -= size
      count -= mine.count
      bytes -= size
      removed += mine.map(\.call)
      if calls.count > 0 { lines[line] = calls } else if case .user(let user) = line { skip(user) }
    }
    return removed
  }

  /// Removes and returns all calls.
  mutating func removeAll() -> [Call] {
    let removed = lines.values.flatMap { $0.waiting[$0.first...].map(\.call) }
    self = FairQueue(bounds)
    return removed
  }

  private mutating func skip(_ user: UInt32) {
    guard let index = turns[nextTurn...].firstIndex(of: user) else { return }
    turns.remove(at: index)
  }
}
