// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import MainLoop

/// Dispatches calls, taking accounts in turn, while the limits allow it and the bus has room for the answers.
///
/// A call that ``Admission`` refuses costs almost nothing on arrival and is refused at a bounded rate, so the service
/// reads faster than one user can send.
final class CallIntake {
  /// How often to check whether the bus has taken the pending answers.
  private static let roomInterval = Duration.milliseconds(1)

  /// How long calls are dispatched before other sources on the loop get their turn.
  private static let slice = Duration.milliseconds(2)

  private let connection: Connection
  private let clients: ClientRegistry
  private let outbox: Outbox
  private let admission: Admission
  /// How often to check whether a rate allows a waiting call.
  private static let rateInterval = Duration.milliseconds(5)

  /// A waiting refusal is small, because a user may have thousands of them.
  private var refusals = RefusalQueue<BusName, (client: BusName, call: PostponedCall, limit: Limits.Key)>()
  /// The calls that have waited for facts. Many may become ready together, and their answers must leave room for
  /// others.
  private var ready = TurnQueue<Account, (client: Client, action: () -> Void)>()
  private var refusing: LoopSource?
  private var turn: LoopSource?
  private var waitForRoom: LoopSource?
  private var waitForRate: LoopSource?

  init(_ connection: Connection, _ clients: ClientRegistry, _ outbox: Outbox, _ admission: Admission) {
    (self.connection, self.clients, self.outbox, self.admission) = (connection, clients, outbox, admission)
    connection.objects.intake = { [weak self] call in self?.take(call) }
  }

  var onCall: (() -> Void)?
  /// Called when it is the turn of a client's call.
  var beforeCall: (Client) -> Void = { _ in }

  /// Continues a call of a client that waited for facts, when it is its account's turn and its answer has room. A call
  /// that did not wait continues immediately, unless it would overtake one of the same client that did.
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

  private var isReady: Bool { admission.queue.isReady || !ready.isEmpty }

  /// Drops all calls, because no client waits for answers to calls from the previous connection.
  func dropAll() {
    end(admission.queue.removeAll()) { $0.drop() }
    refusals.removeAll()
    for waiting in ready.elements { waiting.client.resumingCalls = 0 }
    ready = TurnQueue()
  }

  /// Ends calls that are not dispatched.
  private func end(_ calls: [MethodCall], _ action: (MethodCall) -> Void) {
    for call in calls { action(call) }
    if !calls.isEmpty { admission.onLessBusy?() }
  }

  private func take(_ call: MethodCall) {
    onCall?()
    let client = clients.client(call.sender)
    let user = client.credentials?.userID ?? .max
    clients.reviewAccount(of: client) { admission.queue.move(client.name, from: $0, to: $1, user: user) }
    outbox.called(client.name)
    let longest = Int(admission.limits[.messageBytes])
    lazy var bytes = call.byteCount(upTo: longest)
    switch admission.admit(call, bytes: bytes, from: client) {
    case .drop: return call.drop()
    case .refuse(let limit): return refuse(call, bytes: bytes ?? longest, of: client, limit)
    case .later, .now: break
    }
    if client.account == nil { identify(client) }
    dispatchLater()
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
  private func mayRefuse(_ account: Account) -> Bool { !outbox.isSlow || admission.queue.count(of: account) == 0 }

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
        admission.queue.move(client.name, from: nil, to: account, user: credentials.userID)
        return dispatchLater()
      }
      end(admission.queue.remove(client.name, of: nil)) { $0.fail(.notAuthorized(.refused(.policyUnavailable))) }
    }
  }

  /// Drops the calls of a client that has left.
  func left(_ client: Client) {
    end(admission.queue.remove(client.name, of: client.account)) { $0.drop() }
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
      var verdict = Admission.Verdict.drop
      let call = admission.queue.next(onlyOfFew: !hasRoom) { [clients, admission] name, call in
        verdict = clients.known(name).map { admission.admitWaiting(call, from: $0) } ?? .drop
        return verdict != .later
      }
      guard let call else {
        if isResuming { continue }
        guard hasRoom else { return dispatchWhenRoom() }
        if admission.queue.isReady {
          waitForRate = MainLoop.main.after(Self.rateInterval) { [weak self] in self?.dispatchLater() }
        }
        return
      }
      dispatch(call, verdict)
      // Read pending calls first: one of them may be from an account whose turn is next.
    } while MainLoop.main.clock.monotonic() < end && !connection.hasUnread
  }

  private func dispatch(_ call: MethodCall, _ verdict: Admission.Verdict) {
    if case .refuse(let limit) = verdict { return end([call]) { $0.fail(.limitsExceeded(limit)) } }
    guard verdict == .now, let client = clients.known(call.sender) else { return end([call]) { $0.drop() } }
    let begin = ProcessorTime.now
    beforeCall(client)
    connection.objects.perform(call)
    admission.charge(Int((ProcessorTime.now - begin).milliseconds), to: client)
  }

  private func dispatchWhenRoom() {
    waitForRoom = MainLoop.main.after(Self.roomInterval) { [weak self] in
      self?.waitForRoom = nil
      self?.dispatchLater()
    }
  }
}
