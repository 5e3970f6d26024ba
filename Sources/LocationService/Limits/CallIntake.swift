// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// Lets calls in, user by user in turn, as far as the limits allow and the way to the bus is free for the answers.
///
/// What is beyond a limit is refused as soon as it arrives and costs next to nothing, so that the service reads faster
/// than one user can send. What is within the limits waits for its turn.
final class CallIntake {
  private struct Arrival {
    let call: MethodCall
    /// Whether the user's tokens have been taken.
    var isPaid: Bool
  }

  /// How long calls are dispatched before others on the loop get their turn, in microseconds.
  private static let slice: Int64 = 2_000

  private let connection: Connection
  private let clients: ClientRegistry
  private let outbox: Outbox
  private let limits: () -> Limits
  private var queue = FairQueue<BusName, Arrival>()
  private var turn: LoopSource?
  private var isWaitingForRoom = false

  init(_ connection: Connection, _ clients: ClientRegistry, _ outbox: Outbox, _ limits: @escaping () -> Limits) {
    self.connection = connection
    self.clients = clients
    self.outbox = outbox
    self.limits = limits
    clients.onLeft = { [weak self] client in self?.left(client) }
    connection.objects.intake = { [weak self] call in self?.take(call) }
  }

  /// Called with each call that arrives.
  var onCall: (() -> Void)?

  /// How many calls wait for their turn.
  var count: Int { queue.count }

  /// The service has a new connection: nobody waits for answers to what came on the old one.
  func dropAll() {
    for arrival in queue.removeAll() { arrival.call.drop() }
  }

  private func take(_ call: MethodCall) {
    onCall?()
    let limits = limits()
    let client = clients.client(call.sender, limits)
    outbox.called(client.name)
    // It has not read for long; one more answer would only be kept for it by the bus, on the service's account.
    guard outbox.state(of: client.name) != .suspended else { return call.drop() }
    let isPaid: Bool
    do throws(DBusError) {
      isPaid = try clients.payForCall(client, limits)
    } catch {
      return refuse(call, of: client, error)
    }
    let user = client.credentials?.userID
    let begin = ProcessorTime.now
    let size = call.byteCount(upTo: Int(limits[.messageBytes]))
    clients.chargeForTime(since: begin, client, limits)
    guard let bytes = size else { return refuse(call, of: client, .limitsExceeded(.messageBytes)) }
    guard queue.add(Arrival(call: call, isPaid: isPaid), bytes: bytes, from: client.name, of: user) else {
      // While the way out is blocked, even refusals would pile up. Never for another reason: the answer of the bus for
      // which calls wait could not be read either.
      if outbox.isFull { pauseReading() }
      return refuse(call, of: client, .limitsExceeded(.callsPerSecondPerUser))
    }
    if user == nil { identify(client) }
    dispatchLater()
  }

  /// Answers with an error, or with nothing if the client's user has had too many of them: a flood of refusals would cost
  /// the bus, and those who wait for other answers, as much as a flood of answers. The bus itself lets no connection have
  /// more than a number of calls without an answer.
  private func refuse(_ call: MethodCall, of client: Client, _ error: DBusError) {
    if !outbox.isFull, clients.takeRefusal(of: client) { call.fail(error) } else { call.drop() }
  }

  private func identify(_ client: Client) {
    client.whenKnown(on: connection) { [weak self, weak client] credentials in
      guard let self, let client else { return }
      if let user = credentials?.userID {
        queue.identify(client.name, as: user)
        return dispatchLater()
      }
      for arrival in queue.remove(client.name, of: nil) {
        arrival.call.fail(.notAuthorized(.restricted(.policyUnavailable)))
      }
    }
  }

  private func left(_ client: Client) {
    for arrival in queue.remove(client.name, of: client.credentials?.userID) { arrival.call.drop() }
    outbox.left(client.name)
  }

  private func dispatchLater() {
    guard turn == nil, !isWaitingForRoom, queue.isReady else { return }
    turn = MainLoop.main.whileTrue { [weak self] in
      guard let self else { return false }
      dispatch()
      if queue.isReady, !isWaitingForRoom { return true }
      turn = nil
      return false
    }
  }

  private func dispatch() {
    let end = MainLoop.main.clock.monotonic() + Self.slice
    repeat {
      guard !outbox.isFull else { return waitForRoom() }
      guard let arrival = queue.next() else { break }
      dispatch(arrival)
      // What has come is read first: it may be from a user whose turn is next.
    } while MainLoop.main.clock.monotonic() < end && !connection.hasUnread
  }

  private func dispatch(_ arrival: Arrival) {
    let (call, limits) = (arrival.call, limits())
    guard let client = clients.known(call.sender) else { return call.drop() }
    do throws(DBusError) {
      if !arrival.isPaid { _ = try clients.payForUser(of: client, limits) }
      try clients.admit(call, of: client, limits)
    } catch {
      return call.fail(error)
    }
    let begin = ProcessorTime.now
    connection.objects.perform(call)
    clients.chargeForTime(since: begin, client, limits)
  }

  private func pauseReading() {
    connection.isPaused = true
    waitForRoom()
  }

  private func waitForRoom() {
    guard !isWaitingForRoom else { return }
    isWaitingForRoom = true
    outbox.whenRoom(for: nil) { [weak self] in
      guard let self else { return }
      isWaitingForRoom = false
      connection.isPaused = false
      dispatchLater()
    }
  }
}
