// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import MainLoop

/// Limits the messages that are queued for clients. Otherwise a slow bus, or a client that does not read, could make
/// the service hold an unbounded amount, or make the bus hold it on the service's account.
final class Outbox {
  /// The number of queued bytes above which nothing deferrable is sent. A queued message takes about twice its size in
  /// memory, and all subscriptions together must not grow the service by more than 2 MiB.
  static let highWater = 768 * 1024
  /// The interval for checking whether the queue has drained.
  private static let pollInterval = Duration.milliseconds(20)
  private static let reducedInterval = Duration.seconds(60)
  /// The interval for repeating pings that could not be sent.
  private static let pingInterval = Duration.milliseconds(500)

  private let queuedBytes: () -> Int
  private let pings: any ClientPinging
  private var ledger: ReaderLedger<BusName>
  private let states = StatePacer()
  private var pace = BusPace()
  private var isSignalling = false
  private var waiting: [BusName: [() -> Void]] = [:]
  /// The clients for which something waits. Accounts take turns, and so do the clients of each.
  private var turns = TurnQueue<Account, BusName>()
  private var poll: LoopSource?
  private var release: LoopSource?
  private var reducedDeliveries: LoopSource?
  /// The clients whose ping could not be sent.
  private var unpinged: Set<BusName> = []
  /// The clients whose ping was lost with its connection.
  private var lost: Set<BusName> = []
  private var pinging: LoopSource?
  /// Returns the account of a client, or nil if the name is not a client's.
  var accountOf: (BusName) -> Account? = { _ in nil }

  /// - Parameter queuedBytes: Returns the number of bytes queued to the bus.
  init(_ pings: any ClientPinging, queuedBytes: @escaping () -> Int) {
    self.pings = pings
    self.queuedBytes = queuedBytes
    ledger = ReaderLedger()
  }

  /// Watches a connection. `open` opens further connections to the same bus.
  convenience init(_ connection: Connection, openingMore open: @escaping () throws(DBusError) -> Connection) {
    self.init(PingPool(open)) { [unowned connection] in connection.untakenBytes }
    connection.allowsSignal = { [weak self] in self?.isSignalling ?? true }
    connection.onSent = { [weak self] client, bytes in self?.sent(bytes, to: client) }
  }

  /// The number of actions that wait for room.
  var waitingActions: Int { waiting.values.reduce(0) { $0 + $1.count } }

  var isFull: Bool { queuedBytes() >= Self.highWater }

  /// Whether the answer to another call could be sent without much delay.
  var takesCalls: Bool { roomForCalls.any }

  /// Whether an answer could be sent without much delay: to any call, and to a call of an account with few calls.
  var roomForCalls: (any: Bool, few: Bool) {
    let queued = queuedBytes()
    pace.look(queued: queued, at: now)
    return (queued < pace.limit, queued < BusPace.water.upperBound)
  }

  /// Whether the bus takes answers more slowly than the service could give them.
  var isSlow: Bool { pace.limit < BusPace.water.upperBound }

  /// Whether the bus has taken everything, so that a refusal delays no answer.
  var isEmpty: Bool { queuedBytes() == 0 }

  func state(of client: BusName) -> ReaderLedger<BusName>.State { ledger.state(of: client, at: now) }

  /// Returns whether deferrable messages may be sent to a client now.
  func hasRoom(for client: BusName) -> Bool { !isFull && ledger.state(of: client, at: now) == .reading }

  /// Calls `action` once deferrable messages may be sent to a client, possibly immediately. A client that does not
  /// answer pings gets its turn once a minute.
  func whenRoom(for client: BusName, _ action: @escaping () -> Void) { whenRoom(for: client, isFirst: false, action) }

  private func whenRoom(for client: BusName, isFirst: Bool, _ action: @escaping () -> Void) {
    if waiting[client] == nil, hasRoom(for: client) { return action() }
    let before = waiting[client] ?? []
    wait(client, isFirst ? [action] + before : before + [action])
    pingIfDue(client)
    arm()
  }

  private func wait(_ client: BusName, _ actions: [() -> Void]) {
    if waiting[client] == nil { turns.edit(accountOf(client) ?? .common) { $0.append(client) } }
    waiting[client] = actions
  }

  /// Calls `action` once the state of one of a client's objects may be sent, at the earliest on the next turn of the
  /// loop. The object's locations, which wait for that, must not lose the client's turn.
  func whenStateDue(for client: BusName, _ object: AnyObject, _ action: @escaping () -> Void) {
    states.whenDue(.account(accountOf(client) ?? .common), for: object) { [weak self] in
      self?.whenRoom(for: client, isFirst: true, action)
    }
  }

  /// Calls `action` once state may be broadcast.
  func whenBroadcastDue(_ action: @escaping () -> Void) {
    states.whenDue(.everybody, for: self) { [weak self] in
      guard let self else { return }
      if isFull { whenBroadcastDue(action) } else { signal(action) }
    }
  }

  /// Sends signals in `body`, the only place where they may be sent. Without room, only signals that are sent once for
  /// each object may be sent.
  func signal(_ body: () -> Void) {
    let before = isSignalling
    isSignalling = true
    body()
    isSignalling = before
  }

  func called(_ client: BusName) {
    ledger.called(client, at: now)
    pingIfDue(client)
    if waiting[client] != nil, state(of: client) == .reading { drainInTurn(client) }
  }

  func left(_ client: BusName) {
    ledger.left(client)
    drainSoon()
    pings.forget(client)
    if waiting.removeValue(forKey: client) != nil { turns.removeAll { $0 == client } }
    unpinged.remove(client)
    lost.remove(client)
  }

  /// Suspends clients that owe an answer, after the service has rejoined a bus that had stopped reading from it.
  func suspendDebtors() { ledger.suspendDebtors() }

  private var now: MonotonicInstant { MainLoop.main.clock.monotonic() }

  /// Counts bytes sent to a connection, if it belongs to a client.
  func sent(_ bytes: Int, to client: BusName) {
    guard let account = accountOf(client) else { return }
    if ledger.sent(bytes, to: client, of: account, at: now), !unpinged.contains(client) { ping(client, of: account) }
  }

  /// Pings a client that must show that it reads, although nothing is sent to it: its account has become crowded since
  /// its last message, or its last ping was abandoned or could not be sent.
  private func pingIfDue(_ client: BusName) {
    guard ledger.isPingDue(client, at: now), !unpinged.contains(client), let account = accountOf(client) else { return }
    ping(client, of: account)
  }

  private func ping(_ client: BusName, of account: Account, again: Bool = false) {
    let isSent = pings.ping(client, of: account) { [weak self] end in
      guard let self else { return }
      switch end {
      case .answered:
        ledger.answered(client, at: now)
        drainInTurn(client)
        drainSoon()
      case .lost: pingLater(client, again: true)
      case .abandoned: ledger.abandoned(client)
      }
    }
    if isSent { ledger.pinged(client, at: now) } else { pingLater(client, again: again) }
  }

  private func pingLater(_ client: BusName, again: Bool) {
    if again { lost.insert(client) } else { unpinged.insert(client) }
    if pinging == nil {
      pinging = MainLoop.main.after(Self.pingInterval) { [weak self] in self?.pingAgain() }
    }
  }

  private func pingAgain() {
    pinging = nil
    let (late, lost) = (unpinged, lost)
    (unpinged, self.lost) = ([], [])
    for client in lost {
      if let account = accountOf(client) { ping(client, of: account, again: true) }
    }
    for client in late { pingIfDue(client) }
  }

  private func arm() {
    if isFull, poll == nil, !waiting.isEmpty {
      poll = MainLoop.main.every(Self.pollInterval) { [weak self] in self?.drainAll() }
    }
    if reducedDeliveries == nil, !waiting.isEmpty {
      reducedDeliveries = MainLoop.main.every(Self.reducedInterval) { [weak self] in
        self?.deliverToReduced()
      }
    }
  }

  /// Sends what waits for other clients that may be sent something again, because the bytes of all together have become
  /// fewer.
  private func drainSoon() {
    guard release == nil, !waiting.isEmpty else { return }
    release = MainLoop.main.nextTurn { [weak self] in self?.drainAll() }
  }

  private func drainAll() {
    (poll, release) = (nil, nil)
    for _ in 0..<waiting.count {
      let next = isFull ? nil : turns.next { _, line in line.firstIndex { state(of: $0) == .reading } }
      guard let client = next else { break }
      drain(client, hadTurn: true)
    }
    // The queue may have filled during the turn of the last client.
    arm()
  }

  /// Sends what waits for a client: now, unless others wait for room, too.
  private func drainInTurn(_ client: BusName) { if poll == nil { drain(client) } else { drainSoon() } }

  /// Runs the actions waiting for a client until the queue is full.
  ///
  /// - Parameter hadTurn: Whether the client has been taken out of the turns.
  private func drain(_ client: BusName, hadTurn: Bool = false) {
    // Without room, a client keeps its turn.
    guard hadTurn || !isFull else { return arm() }
    guard let actions = waiting.removeValue(forKey: client) else { return }
    if !hadTurn { turns.removeAll { $0 == client } }
    for (index, action) in actions.enumerated() {
      guard !isFull else {
        wait(client, actions[index...] + (waiting[client] ?? []))
        return arm()
      }
      action()
    }
  }

  /// Sends the newest location and another ping to each client that has left a ping unanswered. The ping may have been
  /// lost, because the bus drops messages to a client whose queue is full.
  private func deliverToReduced() {
    for client in waiting.keys {
      let state = state(of: client)
      if state != .reading, let account = accountOf(client) { ping(client, of: account) }
      if state != .suspended { drain(client) }
    }
    if waiting.isEmpty { reducedDeliveries = nil }
  }
}
