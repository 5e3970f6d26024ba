// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// Watches what is on its way to clients, so that neither a bus nor a client that does not read can make the service, or
/// the bus on the service's account, hold more than a bounded amount.
final class Outbox {
  /// Above this many bytes on the way to the bus nothing is sent that can wait. In memory a queued message takes about
  /// twice its bytes, and all subscriptions together must not make the service grow by more than 2 MiB.
  static let highWater = 768 * 1024
  /// Above this many no calls are dispatched. dbus-daemon reads 2 KiB from each connection in turn: while hundreds of
  /// others keep it busy, whatever is queued here delays every answer.
  static let callWater = 8 * 1024
  /// Microseconds.
  private static let pollInterval: Int64 = 20_000
  private static let reducedInterval: Int64 = 60_000_000

  private let queuedBytes: () -> Int
  private let pings: any ClientPinging
  private var ledger: ReaderLedger<BusName>
  /// What waits for room, by client.
  private var waiting: [BusName: [() -> Void]] = [:]
  private var poll: LoopSource?
  private var reducedDeliveries: LoopSource?
  /// The user of a client, nil while that is not known; the outer nil if the name is no client's.
  var userOf: (BusName) -> UInt32?? = { _ in nil }

  /// `queuedBytes` tells how much is on the way to the bus at the moment.
  init(_ pings: any ClientPinging, queuedBytes: @escaping () -> Int) {
    self.pings = pings
    self.queuedBytes = queuedBytes
    ledger = ReaderLedger()
  }

  /// Watches a connection; `open` makes further connections to the same bus.
  convenience init(_ connection: Connection, openingMore open: @escaping () throws(DBusError) -> Connection) {
    self.init(PingPool(open)) { [unowned connection] in connection.untakenBytes }
    connection.onSent = { [weak self] client, bytes in self?.sent(bytes, to: client) }
  }

  /// Whether too much is on the way to the bus.
  var isFull: Bool { queuedBytes() >= Self.highWater }

  /// Whether the answer to one more call would not wait for long.
  var takesCalls: Bool { queuedBytes() < Self.callWater }

  /// How much a client may be sent now.
  func state(of client: BusName) -> ReaderLedger<BusName>.State { ledger.state(of: client, at: now) }

  /// Whether something that can wait may be sent to a client now.
  func hasRoom(for client: BusName) -> Bool { !isFull && state(of: client) == .reading }

  /// Calls `action` when something that can wait may be sent to a client: now, or later. A client that does not answer
  /// pings gets its turn once a minute.
  func whenRoom(for client: BusName, _ action: @escaping () -> Void) {
    if waiting[client] == nil, hasRoom(for: client) { return action() }
    waiting[client, default: []].append(action)
    arm()
  }

  /// A client has made a call.
  func called(_ client: BusName) {
    if ledger.called(client, at: now) { drain(client) }
  }

  /// A client has left the bus.
  func left(_ client: BusName) {
    ledger.left(client)
    pings.forget(client)
    waiting[client] = nil
  }

  /// The service has come back to the bus because that took nothing any more.
  func suspendDebtors() { ledger.suspendDebtors() }

  private var now: Int64 { MainLoop.main.clock.monotonic() }

  /// Counts what has been sent to a connection, if that is a client.
  func sent(_ bytes: Int, to client: BusName) {
    guard let user = userOf(client) else { return }
    if ledger.sent(bytes, to: client, of: user, at: now) { ping(client, of: user) }
  }

  private func ping(_ client: BusName, of user: UInt32?) {
    pings.ping(client, of: user) { [weak self] in
      guard let self else { return }
      if ledger.answered(client, at: now) { drain(client) }
    }
  }

  private func arm() {
    if isFull, poll == nil {
      poll = MainLoop.main.every(microseconds: Self.pollInterval) { [weak self] in self?.drainAll() }
    }
    if reducedDeliveries == nil, !waiting.isEmpty {
      reducedDeliveries = MainLoop.main.every(microseconds: Self.reducedInterval) { [weak self] in
        self?.deliverToReduced()
      }
    }
  }

  private func drainAll() {
    for client in waiting.keys {
      guard !isFull else { return }
      if state(of: client) == .reading { drain(client) }
    }
    poll = nil
  }

  /// Runs what waits for a client, as long as the way to the bus is free.
  private func drain(_ client: BusName) {
    let actions = waiting.removeValue(forKey: client) ?? []
    for (index, action) in actions.enumerated() {
      guard !isFull else {
        waiting[client] = Array(actions[index...]) + (waiting[client] ?? [])
        return arm()
      }
      action()
    }
  }

  /// The newest location goes to each client that has left a ping unanswered, and another ping: the bus drops messages
  /// to a client whose queue is full.
  private func deliverToReduced() {
    for client in waiting.keys where state(of: client) != .reading {
      if let user = userOf(client) { ping(client, of: user) }
      if state(of: client) == .reduced { drain(client) }
    }
    if waiting.isEmpty { reducedDeliveries = nil }
  }
}

/// The way to one client.
final class OutgoingQueue {
  private let client: BusName
  private weak var outbox: Outbox?

  init(to client: BusName, in outbox: Outbox) {
    self.client = client
    self.outbox = outbox
  }

  /// Whether something that can wait may go out now.
  var hasRoom: Bool { outbox?.hasRoom(for: client) ?? false }

  /// Calls `action` as soon as there is room: now, or later.
  func whenRoom(_ action: @escaping () -> Void) { outbox?.whenRoom(for: client, action) }
}
