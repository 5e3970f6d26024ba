// SPDX-License-Identifier: Apache-2.0
/// Calls that wait for their turn: first come, first served within a user, and round robin among users.
///
/// A client whose user is not known yet keeps its calls in a line of its own, which joins the user's line when the bus
/// has told. The order of one client's calls is kept in every case.
nonisolated struct FairQueue<Client: Hashable, Call> {
  /// How many calls, and how many bytes, may wait for one user or unknown client, and for all.
  struct Bounds: Sendable {
    var calls = 256
    var bytes = 256 * 1024
    var allCalls = 4096
    var allBytes = 4 * 1024 * 1024
    /// How many calls, of how many bytes each, one user or unknown client may have waiting even beyond that.
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
    /// Those before it have left.
    var first = 0
    var bytes = 0
    var count: Int { waiting.count - first }
  }

  private let bounds: Bounds
  private var lines: [Line: Calls] = [:]
  /// The users whose turn comes, in this order; each once.
  private var turns: [UInt32] = []
  private var nextTurn = 0
  private(set) var count = 0
  private(set) var bytes = 0

  init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

  /// Whether a call could have its turn now.
  var isReady: Bool { nextTurn < turns.count }

  /// Whether nothing more is taken from those who have calls waiting already.
  var isFull: Bool { count >= bounds.allCalls || bytes >= bounds.allBytes }

  /// Puts a call at the end of its user's line; false if there is no room for it.
  mutating func add(_ call: Call, bytes size: Int, from client: Client, of user: UInt32?) -> Bool {
    // What is known now may not overtake what waited for it.
    if let user { identify(client, as: user) }
    let line: Line = user.map { .user($0) } ?? .unknown(client)
    var calls = lines.removeValue(forKey: line) ?? Calls()
    defer { if calls.count > 0 { lines[line] = calls } }
    // However many clients of others fill the queue, the first few calls of a line have room.
    let isFirst = calls.count < bounds.firstCalls && size <= bounds.firstBytes
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

  /// The bus has told whose a client is: its calls join that user's line.
  mutating func identify(_ client: Client, as user: UInt32) {
    guard let unknown = lines.removeValue(forKey: .unknown(client)) else { return }
    var calls = lines.removeValue(forKey: .user(user)) ?? Calls()
    if calls.count == 0 { turns.append(user) }
    calls.waiting += unknown.waiting[unknown.first...]
    calls.bytes += unknown.bytes
    lines[.user(user)] = calls
  }

  /// Takes the call whose turn it is.
  mutating func next() -> Call? {
    guard isReady else { return nil }
    let user = turns[nextTurn]
    nextTurn += 1
    guard var calls = lines.removeValue(forKey: .user(user)), calls.count > 0 else { return next() }
    let waiting = calls.waiting[calls.first]
    calls.first += 1
    calls.bytes -= waiting.bytes
    count -= 1
    bytes -= waiting.bytes
    if calls.count > 0 {
      // Without this the served part of a line that never empties would grow.
      if calls.first >= 64, calls.first * 2 >= calls.waiting.count {
        calls.waiting.removeFirst(calls.first)
        calls.first = 0
      }
      lines[.user(user)] = calls
      turns.append(user)
    }
    if nextTurn >= 64, nextTurn * 2 >= turns.count {
      turns.removeFirst(nextTurn)
      nextTurn = 0
    }
    return waiting.call
  }

  /// Takes out what a client has waiting, in order: it has left, or it cannot be identified.
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

  /// Takes out everything.
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
