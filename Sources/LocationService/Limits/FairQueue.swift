// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper

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

  private struct Waiting {
    let client: Client
    let call: Call
    let bytes: Int
  }

  private let bounds: Bounds
  private var known = TurnQueue<UInt32, Waiting>()
  /// The calls of clients whose user is not known yet.
  private var unknown: [Client: [Waiting]] = [:]
  /// The lengths of answers, in bytes, for which users have not been passed over yet.
  private var debts: [UInt32: Int] = [:]
  private(set) var count = 0
  private(set) var bytes = 0

  init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

  var isReady: Bool { !known.isEmpty }

  /// Whether lines with several waiting calls accept no more.
  var isFull: Bool { count >= bounds.allCalls || bytes >= bounds.allBytes }

  /// Unknown clients may fill only half of the queue, since one user can open hundreds of connections.
  private var isFullForUnknown: Bool { count >= bounds.allCalls / 2 || bytes >= bounds.allBytes / 2 }

  /// Appends a call to its user's line. Returns false if there is no room for it.
  mutating func add(_ call: Call, bytes size: Int, from client: Client, of user: UInt32?) -> Bool {
    // Earlier calls of the client must not be overtaken.
    if let user { identify(client, as: user) }
    let line = load(of: user.map { known[$0] } ?? unknown[client] ?? [])
    // The first few calls of a line always have room, even if clients of other users fill the queue.
    let isFirst = line.calls < bounds.firstCalls && size <= bounds.firstBytes
    let isFull = user == nil ? isFullForUnknown : isFull
    guard !isFull || isFirst, line.calls < bounds.calls, line.bytes + size <= bounds.bytes || line.calls == 0 else {
      return false
    }
    let waiting = Waiting(client: client, call: call, bytes: size)
    if let user { known.edit(user) { $0.append(waiting) } } else { unknown[client, default: []].append(waiting) }
    count += 1
    bytes += size
    return true
  }

  private func load(of line: [Waiting]) -> (calls: Int, bytes: Int) { (line.count, line.reduce(0) { $0 + $1.bytes }) }

  /// Moves a client's calls to its user's line once the bus has identified the client.
  mutating func identify(_ client: Client, as user: UInt32) {
    if let calls = unknown.removeValue(forKey: client) { known.edit(user) { $0 += calls } }
  }

  /// The length of an answer that costs one turn, in bytes.
  private static var turnBytes: Int { 1024 }

  private static var largestDebt: Int { 64 * 1024 }

  mutating func charge(_ bytes: Int, to user: UInt32) {
    debts[user] = min(debts[user, default: 0] + min(bytes, Self.largestDebt), Self.largestDebt)
  }

  /// Returns the number of a user's waiting calls.
  func count(of user: UInt32) -> Int { known[user].count }

  /// Returns the number of a client's waiting calls.
  func count(of client: Client, _ user: UInt32?) -> Int {
    (user.map { known[$0] } ?? unknown[client] ?? []).count { $0.client == client }
  }

  /// Removes and returns the next call that `pays`, or nil if none does now. A call that does not pay makes its client's
  /// later calls wait, too, but not those of other clients.
  mutating func next(_ pays: (Client, Call) -> Bool = { _, _ in true }) -> Call? {
    // The debt lapses if nobody else is waiting.
    while let user = known.nextKey, known.keyCount > 1, let debt = debts[user], debt >= Self.turnBytes {
      debts[user] = debt - Self.turnBytes
      known.passOver()
    }
    if let user = known.nextKey { debts[user] = nil }
    let next = known.next { _, line in
      var late: Set<Client> = []
      return line.firstIndex { waiting in
        if !late.contains(waiting.client), pays(waiting.client, waiting.call) { return true }
        late.insert(waiting.client)
        return false
      }
    }
    guard let waiting = next else { return nil }
    if known.isEmpty { debts = [:] }
    count -= 1
    bytes -= waiting.bytes
    return waiting.call
  }

  /// Removes and returns a client's waiting calls in order, because it has left or cannot be identified.
  mutating func remove(_ client: Client, of user: UInt32?) -> [Call] {
    var removed: [Waiting] = []
    if let user {
      removed = known[user].filter { $0.client == client }
      known.edit(user) { $0.removeAll { $0.client == client } }
    }
    removed += unknown.removeValue(forKey: client) ?? []
    let load = load(of: removed)
    (count, bytes) = (count - load.calls, bytes - load.bytes)
    return removed.map(\.call)
  }

  mutating func removeAll() -> [Call] {
    let removed = known.elements + unknown.values.joined()
    self = FairQueue(bounds)
    return removed.map(\.call)
  }
}
