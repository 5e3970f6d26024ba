// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import MainLoop

/// Dispatches calls, taking accounts in turn, while the limits allow it and the bus has room for the answers.
///
/// A call beyond a limit costs almost nothing on arrival and is refused at a bounded rate, so the service reads faster
/// than one user can send. Calls within the limits wait for their turn; those above a rate wait in their account's line
/// until the rate allows them, unless that would be too late for an answer.
final class CallIntake {
  /// How often to check whether the bus has taken the pending answers.
  private static let roomInterval = Duration.milliseconds(1)

  /// How long calls are dispatched before other sources on the loop get their turn.
  private static let slice = Duration.milliseconds(2)

  private let connection: Connection
  private let clients: ClientRegistry
  private let outbox: Outbox
  /// How often to check whether a rate allows a waiting call.
  private static let rateInterval = Duration.milliseconds(5)

  private var queue = FairQueue<BusName, MethodCall>()
  /// A waiting refusal is small, because a user may have thousands of them.
  private var refusals = RefusalQueue<BusName, (client: BusName, call: PostponedCall, limit: Limits.Key)>()
  /// The calls that have waited for facts. Many may become ready together, and their answers must leave room for
  /// others.
  private var ready = TurnQueue<Account, (client: Client, action: () -> Void)>()
  private var refusing: LoopSource?
  private var turn: LoopSource?
  private var waitForRoom: LoopSource?
  private var waitForRate: LoopSource?

  init(_ connection: Connection, _ clients: ClientRegistry, _ outbox: Outbox) {
    self.connection = connection
    self.clients = clients
    self.outbox = outbox
    clients.onAnswered = { [weak self] account, bytes in self?.queue.charge(bytes, to: account) }
    connection.objects.intake = { [weak self] call in self?.take(call) }
  }

  var onCall: (() -> Void)?
  /// Called when it is the turn of a client's call.
  var beforeCall: (Client) -> Void = { _ in }

  var count: Int { queue.count }

  /// Continues a call that waited for facts about its client, when it is the account's turn and the answer has room. A
  /// call that did not wait continues immediately, unless it would overtake one of the same client that did wait.
  func resume(_ client: Client, hasWaited: Bool, _ action: @escaping () -> Void) {
    guard client.resumingCalls > 0 || hasWaited && !(ready.isEmpty && outbox.takesCalls) else { return action() }
    client.resumingCalls += 1
    ready.edit(client.account ?? .common) { $0.append((client, action)) }
    dispatchLater()
  }

  private func resumeNext() -> Bool {
    guard let next = ready.next() else { return false }
    next.client.resumingCalls -= 1
    next.action()
    return true
  }

  private var isReady: Bool { queue.isReady || !ready.isEmpty }

  /// Drops all calls, because no client waits for answers to calls from the previous connection.
  func dropAll() {
    for call in queue.removeAll() { call.drop() }
    refusals.removeAll()
    for waiting in ready.elements { waiting.client.resumingCalls = 0 }
    ready = TurnQueue()
  }

  private func take(_ call: MethodCall) {
    onCall?()
    let limits = clients.limits
    let client = clients.client(call.sender)
    let user = client.credentials?.userID ?? .max
    clients.reviewAccount(of: client) { queue.move(client.name, from: $0, to: $1, user: user) }
    outbox.called(client.name)
    // The client has not read for a long time, so the bus would only queue another answer on the service's account.
    guard outbox.state(of: client.name) != .suspended else { return call.drop() }
    guard let bytes = call.byteCount(upTo: Int(limits[.messageBytes])) else {
      return refuse(call, bytes: Int(limits[.messageBytes]), of: client, .messageBytes)
    }
    (queue.bounds.calls, queue.bounds.allCalls) = (Int(limits[.callsPerUser]), Int(limits[.calls]))
    if let limit = limitOfWaiting(client) { return refuse(call, bytes: bytes, of: client, limit) }
    switch queue.add(call, bytes: bytes, from: client.name, of: client.account, user: user) {
    case .account: return refuse(call, bytes: bytes, of: client, .callsPerUser)
    case .whole: return refuse(call, bytes: bytes, of: client, .calls)
    case nil: break
    }
    clients.chargeForSize(bytes, client)
    if client.account == nil { identify(client) }
    dispatchLater()
  }

  /// Returns the limit that one more waiting call of a client would exceed.
  private func limitOfWaiting(_ client: Client) -> Limits.Key? {
    let count = queue.count(of: client.name, client.account)
    // Within the rate, a call waits only for its turn.
    if client.wait(for: count + 1, clients.limits, at: MainLoop.main.clock.monotonic()) > .zero,
      UInt32(clamping: count) + client.pendingCalls >= clients.limits[.callsPerConnection]
    {
      return .callsPerConnection
    }
    return clients.limitOfTurn(of: client, after: count, client.account.map { queue.count(of: $0) } ?? 0)
  }

  /// How often waiting refusals are checked.
  private static let refusalInterval = Duration.milliseconds(5)

  private func refuse(_ call: MethodCall, bytes: Int, of client: Client, _ limit: Limits.Key) {
    guard let call = call.postpone() else { return }
    let account = client.account ?? .common
    switch refusals.add(
      (client.name, call, limit), bytes: bytes, of: client.name, account,
      mayRefuseNow: outbox.isEmpty && mayRefuse(account), at: MainLoop.main.clock.monotonic())
    {
    case .refuseNow: connection.fail(call, of: client.name, .limitsExceeded(limit))
    case .drop: break
    case .waits:
      if refusing == nil {
        refusing = MainLoop.main.every(Self.refusalInterval) { [weak self] in self?.refuseDue() }
      }
    }
  }

  /// While the bus is slow, no call of an account is refused before its other calls have been answered.
  private func mayRefuse(_ account: Account) -> Bool { !outbox.isSlow || queue.count(of: account) == 0 }

  private func refuseDue() {
    let now = MainLoop.main.clock.monotonic()
    // Others' calls wait meanwhile, and each refusal invites the next call.
    while MainLoop.main.clock.monotonic() - now < Self.slice, outbox.isEmpty,
      let refusal = refusals.next(at: now, mayRefuse)
    {
      connection.fail(refusal.call, of: refusal.client, .limitsExceeded(refusal.limit))
    }
    if refusals.count == 0 { refusing = nil }
  }

  private func identify(_ client: Client) {
    client.whenKnown { [weak self, weak client] credentials in
      guard let self, let client else { return }
      if let credentials, let account = client.account {
        queue.move(client.name, from: nil, to: account, user: credentials.userID)
        return dispatchLater()
      }
      for call in queue.remove(client.name, of: nil) { call.fail(.notAuthorized(.refused(.policyUnavailable))) }
    }
  }

  /// Drops the calls of a client that has left.
  func left(_ client: Client) {
    for call in queue.remove(client.name, of: client.account) { call.drop() }
    ready.removeAll { $0.client === client }
    refusals.remove(client.name)
    outbox.left(client.name)
  }

  private func dispatchLater() {
    waitForRate = nil
    guard turn == nil, waitForRoom == nil, isReady else { return }
    turn = MainLoop.main.whileTrue { [weak self] in
      guard let self else { return false }
      dispatch()
      if isReady, waitForRoom == nil, waitForRate == nil { return true }
      turn = nil
      return false
    }
  }

  private func dispatch() {
    let end = MainLoop.main.clock.monotonic() + Self.slice
    repeat {
      // dbus-daemon takes at least 4 KiB at a time, so a short answer is not delayed by the one before it.
      let (hasRoom, hasShortRoom) = outbox.roomForCalls
      guard hasShortRoom else { return dispatchWhenRoom() }
      let isResuming = hasRoom && resumeNext()
      let call = queue.next(onlyOfFew: !hasRoom) { [clients] name, _ in clients.known(name).map(clients.pay) ?? true }
      guard let call else {
        if isResuming { continue }
        guard hasRoom else { return dispatchWhenRoom() }
        if queue.isReady {
          waitForRate = MainLoop.main.after(Self.rateInterval) { [weak self] in self?.dispatchLater() }
        }
        return
      }
      dispatch(call)
      // Read pending calls first: one of them may be from an account whose turn is next.
    } while MainLoop.main.clock.monotonic() < end && !connection.hasUnread
  }

  private func dispatch(_ call: MethodCall) {
    guard let client = clients.known(call.sender) else { return call.drop() }
    do throws(DBusError) {
      try clients.admit(call, of: client)
    } catch {
      return call.fail(error)
    }
    let begin = ProcessorTime.now
    beforeCall(client)
    connection.objects.perform(call)
    clients.chargeForTime(since: begin, client)
  }

  private func dispatchWhenRoom() {
    waitForRoom = MainLoop.main.after(Self.roomInterval) { [weak self] in
      self?.waitForRoom = nil
      self?.dispatchLater()
    }
  }
}
