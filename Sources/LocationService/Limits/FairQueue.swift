// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper

/// Calls waiting for their turn: first come, first served for one account, and round robin among accounts.
///
/// While several accounts wait, one whose calls had long answers is passed over until the others have had answers of
/// the same length, because the bus takes only a few KiB from the service at a time (deficit round robin).
///
/// A client whose account is not known yet has its own line, which joins the account's line once the account is known.
/// The order of each client's calls is preserved. In the common account, users take turns.
nonisolated struct FairQueue<Client: Hashable, Call> {
  /// The maximum number of calls and bytes waiting per account or unknown client, and in total.
  struct Bounds: Sendable {
    var calls = 256
    var bytes = 256 * 1024
    var allCalls = 4096
    var allBytes = 4 * 1024 * 1024
    /// How many calls, and how many bytes of each call, an account or unknown client may queue even if the total is
    /// exceeded.
    var firstCalls = 4
    var firstBytes = 4 * 1024
  }

  private struct Waiting {
    let client: Client
    /// Unknown, like the account, when the call arrives before the bus has named its user.
    var user: UInt32
    let call: Call
    let bytes: Int
  }

  var bounds: Bounds
  private var known = TurnQueue<Account, Waiting>()
  /// The calls of clients whose account is not known yet.
  private var unknown: [Client: [Waiting]] = [:]
  /// The lengths of answers, in bytes, for which accounts have not been passed over yet.
  private var debts: [Account: Int] = [:]
  private(set) var count = 0
  private(set) var bytes = 0

  init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

  var isReady: Bool { !known.isEmpty }

  /// Whether lines with several waiting calls accept no more.
  var isFull: Bool { count >= bounds.allCalls || bytes >= bounds.allBytes }

  /// Unknown clients may fill only half of the queue, since one user can open hundreds of connections.
  private var isFullForUnknown: Bool { count >= bounds.allCalls / 2 || bytes >= bounds.allBytes / 2 }

  /// Appends a call to its account's line, or returns the limit that it would exceed.
  mutating func add(
    _ call: Call, bytes size: Int, from client: Client, of account: Account?, user: UInt32 = 0
  ) -> Limits.Key? {
    // Earlier calls of the client must not be overtaken.
    if let account { move(client, from: nil, to: account, user: user) }
    let line = load(of: account.map { known[$0] } ?? unknown[client] ?? [])
    guard line.calls < bounds.calls, line.bytes + size <= bounds.bytes || line.calls == 0 else { return .callsPerUser }
    // The first few calls of a line always have room, even if clients of other accounts fill the queue.
    let isFirst = line.calls < bounds.firstCalls && size <= bounds.firstBytes
    guard isFirst || !(account == nil ? isFullForUnknown : isFull) else { return .calls }
    let waiting = Waiting(client: client, user: user, call: call, bytes: size)
    if let account { known.edit(account) { $0.append(waiting) } } else { unknown[client, default: []].append(waiting) }
    count += 1
    bytes += size
    return nil
  }

  private func load(of line: [Waiting]) -> (calls: Int, bytes: Int) { (line.count, line.reduce(0) { $0 + $1.bytes }) }

  /// Moves a client's calls to its account's line, once that is known or has changed.
  mutating func move(_ client: Client, from old: Account?, to new: Account, user: UInt32 = 0) {
    var calls = take(client, of: old)
    for index in calls.indices { calls[index].user = user }
    if !calls.isEmpty { known.edit(new) { $0 += calls } }
  }

  private mutating func take(_ client: Client, of account: Account?) -> [Waiting] {
    guard let account else { return unknown.removeValue(forKey: client) ?? [] }
    let calls = known[account].filter { $0.client == client }
    known.edit(account) { $0.removeAll { $0.client == client } }
    return calls
  }

  /// The length of an answer that costs one turn, in bytes.
  private static var turnBytes: Int { 1024 }

  private static var largestDebt: Int { 64 * 1024 }

  mutating func charge(_ bytes: Int, to account: Account) {
    debts[account] = min(debts[account, default: 0] + min(bytes, Self.largestDebt), Self.largestDebt)
  }

  /// Returns the number of an account's waiting calls.
  func count(of account: Account) -> Int { known[account].count }

  /// Returns the number of a client's waiting calls.
  func count(of client: Client, _ account: Account?) -> Int {
    (account.map { known[$0] } ?? unknown[client] ?? []).count { $0.client == client }
  }

  /// Removes and returns the next call for which `pays` is true; nil if there is none now. A call that cannot pay
  /// makes its client's later calls wait, too, but not those of other clients. With `onlyOfFew`, long lines are
  /// passed over.
  mutating func next(onlyOfFew: Bool = false, _ pays: (Client, Call) -> Bool = { _, _ in true }) -> Call? {
    while !onlyOfFew, let account = known.nextKey, known.keyCount > 1, let debt = debts[account], debt >= Self.turnBytes
    {
      debts[account] = debt - Self.turnBytes
      known.passOver()
    }
    let isAlone = known.keyCount < 2
    var served: Account?
    let next = known.next { account, line in
      if onlyOfFew, account == .common || line.count > bounds.firstCalls { return nil }
      var late: Set<Client> = []
      let index = line.firstIndex { waiting in
        if !late.contains(waiting.client), pays(waiting.client, waiting.call) { return true }
        late.insert(waiting.client)
        return false
      }
      if index != nil { served = account }
      return index
    }
    guard let waiting = next, let served else { return nil }
    // The debt lapses if no other account is waiting. The rest of a turn is not kept.
    if isAlone || debts[served] ?? 0 < Self.turnBytes { debts[served] = nil }
    if served == .common {
      known.edit(served) { $0 = $0.filter { $0.user != waiting.user } + $0.filter { $0.user == waiting.user } }
    }
    count -= 1
    bytes -= waiting.bytes
    return waiting.call
  }

  /// Removes and returns a client's waiting calls in order, because it has left or cannot be identified.
  mutating func remove(_ client: Client, of account: Account?) -> [Call] {
    let removed = (account == nil ? [] : take(client, of: account)) + take(client, of: nil)
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
