// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import MainLoop

/// A call whose reply is pending. Releasing it, or ``cancel()``, gives up the reply.
///
/// ``keep()`` leaves it to the connection, for calls that are never given up:
///
/// ```swift
/// connection.call(try Message(callingBus: "GetId"), expecting: .string) { result in print(result) }.keep()
/// ```
@MainActor public final class PendingCall {
  fileprivate var serial: UInt32?
  /// The message to send again if the connection is lost and joined again; nil for none.
  fileprivate var request: Message?
  private let destination: BusName?
  private let signature: Signature?
  private let budget: ReadBudget
  private var handler: ((Result<[Value], DBusError>) -> Void)?
  private weak var router: ReplyRouter?
  private var deadline: LoopSource?

  fileprivate init(
    serial: UInt32?, to destination: BusName?, expecting signature: Signature?, within budget: ReadBudget,
    router: ReplyRouter?, _ handler: @escaping (Result<[Value], DBusError>) -> Void
  ) {
    self.serial = serial
    self.destination = destination
    self.signature = signature
    self.budget = budget
    self.router = router
    self.handler = handler
  }

  isolated deinit { cancel() }

  /// Gives up the reply; the handler is not called. Does nothing after the reply.
  public func cancel() {
    handler = nil
    deadline = nil
    let router = router
    self.router = nil
    request = nil
    router?.forget(self)
  }

  /// Lets the connection keep the call until it is answered or cancelled.
  public func keep() { router?.keep(self) }

  fileprivate func fail(after timeout: CallTimeout) {
    guard case .milliseconds(let limit) = timeout else { return }
    deadline = MainLoop.main.after(milliseconds: Int64(limit)) { [weak self] in
      self?.expire(limit, turns: Self.turnsToRead)
    }
  }

  /// Turns of the loop in which at least a full socket buffer is read: libdbus reads 2 KiB per turn.
  private static let turnsToRead = 256

  /// Handles the timeout. If this process was too busy to read, the reply may have arrived: read the pending input
  /// first, but no more than that, because others may send without end.
  private func expire(_ limit: Int32, turns: Int) {
    guard turns > 0, let connection = router?.connection, connection.hasUnread else {
      return complete(.failure(DBusError(.noReply, "No reply came within \(limit) ms")))
    }
    deadline = MainLoop.main.nextTurn { [weak self] in self?.expire(limit, turns: turns - 1) }
  }

  fileprivate func failNextTurn(_ error: DBusError) {
    deadline = MainLoop.main.nextTurn { [weak self] in self?.complete(.failure(error)) }
  }

  fileprivate func receive(_ reply: Message) {
    // The bus lets only the called connection answer; if its unique name is known, check that, too.
    if let destination, destination.isUnique, reply.sender != destination, reply.sender != .bus { return }
    complete(result(of: reply))
  }

  fileprivate func complete(_ result: Result<[Value], DBusError>) {
    let handler = handler
    cancel()
    handler?(result)
  }

  private func result(of reply: Message) -> Result<[Value], DBusError> {
    if let error = reply.error { return .failure(error) }
    if let signature, reply.signature != signature.rawValue {
      return .failure(DBusError(.invalidArgs, "The reply has the signature '\(reply.signature)', not '\(signature)'"))
    }
    return Result { () throws(DBusError) in try reply.arguments(within: budget) }
  }
}

/// How long to wait for a reply.
nonisolated public enum CallTimeout: Hashable, Sendable {
  /// At most this long; then the result is ``ErrorName/noReply``.
  case milliseconds(Int32)
  /// Until there is an answer, or the connection is lost.
  case never
}

/// Delivers each reply to its call.
///
/// libdbus's own pending calls are not used: they accept any message with the call's serial number in its header as
/// the reply, including signals, which any program may send.
final class ReplyRouter {
  // A released call removes itself; during that only its identity may be used.
  private struct Waiting {
    let id: ObjectIdentifier
    unowned let call: PendingCall
    init(_ call: PendingCall) {
      id = ObjectIdentifier(call)
      self.call = call
    }
  }

  weak var connection: Connection?
  /// How many calls a destination may leave unanswered.
  var limit: Int?
  private var waiting: [UInt32: Waiting] = [:]
  private var kept: [ObjectIdentifier: PendingCall] = [:]
  private var unanswered = UnansweredCalls()
  /// Calls to make again after a lost connection was joined again, in this order.
  private var held: [Waiting] = []
  /// While a reply is handled, its sender: the called peer, or the bus.
  private(set) var lastSender: BusName?

  func add(
    _ message: Message, timeout: CallTimeout, expecting signature: Signature?, within budget: ReadBudget,
    _ handler: @escaping (Result<[Value], DBusError>) -> Void
  ) -> PendingCall {
    let destination = message.destination
    let isLost = connection.map { $0.isToRejoin && !$0.isConnected } ?? false
    let isOverLimit = hasTooMany(of: destination)
    let serial = isLost || isOverLimit ? nil : connection?.post(message)
    let call = PendingCall(
      serial: serial, to: destination, expecting: signature, within: budget, router: self, handler)
    if connection?.isToRejoin == true { call.request = message }
    if let serial {
      waiting[serial] = Waiting(call)
      if limit != nil, let destination { unanswered.add(serial, to: destination) }
      call.fail(after: timeout)
    } else if isOverLimit {
      call.failNextTurn(DBusError(.limitsExceeded, "Too many calls have no answer yet"))
    } else if isLost {
      held.append(Waiting(call))
      call.fail(after: timeout)
    } else {
      call.failNextTurn(DBusError(.disconnected, "The connection to the bus is closed"))
    }
    return call
  }

  private func hasTooMany(of destination: BusName?) -> Bool {
    guard let limit, let destination, destination != .bus else { return false }
    return unanswered.count(of: destination) >= limit
  }

  func receive(_ reply: Message) {
    unanswered.answered(reply.replySerial, by: reply.sender)
    lastSender = reply.sender
    defer { lastSender = nil }
    waiting[reply.replySerial]?.call.receive(reply)
  }

  fileprivate func keep(_ call: PendingCall) { kept[ObjectIdentifier(call)] = call }

  /// Fails every call, in the order in which they were made: the connection is lost.
  func failAll(_ error: DBusError) {
    hold()
    for call in held.map(\.call) { call.complete(.failure(error)) }
    held = []
  }

  /// Keeps the calls waiting: the connection is lost and will be joined again.
  func hold() {
    held += waiting.sorted { $0.key < $1.key }.map(\.value)
    for entry in held { entry.call.serial = nil }
    waiting = [:]
    unanswered.removeAll()
  }

  /// Makes the calls again after the connection was joined again, each with its remaining time.
  func resend() {
    let calls = held.map(\.call)
    held = []
    for call in calls {
      guard let request = call.request else {
        call.failNextTurn(DBusError(.disconnected, "The bus has ended the connection"))
        continue
      }
      let message = request.isSent ? request.copy() : request
      call.request = message
      guard let serial = connection?.post(message) else { continue }
      call.serial = serial
      waiting[serial] = Waiting(call)
      if limit != nil, let destination = message.destination { unanswered.add(serial, to: destination) }
    }
  }

  func removeAll() {
    waiting = [:]
    held = []
    unanswered.removeAll()
    let ended = kept
    kept = [:]
    for call in ended.values { call.cancel() }
  }

  fileprivate func forget(_ call: PendingCall) {
    // Not by assigning nil: releasing the handler may call back into this object.
    _ = kept.removeValue(forKey: ObjectIdentifier(call))
    if let serial = call.serial, waiting[serial]?.id == ObjectIdentifier(call) { waiting[serial] = nil }
    if !held.isEmpty { held.removeAll { $0.id == ObjectIdentifier(call) } }
  }
}

extension Connection {
  /// Calls a method; the handler receives the result once, later, unless the connection is closed from this side.
  ///
  /// Fails with `NoReply` after the timeout, with `Disconnected` when the connection is lost, with `InvalidArgs` when
  /// the reply has another signature than `expecting`, with `LimitsExceeded` when it is larger than the budget, and
  /// with whatever error the other side sends.
  public func call(
    _ message: Message, timeout: CallTimeout = .milliseconds(5_000), expecting signature: Signature? = nil,
    within budget: ReadBudget = .reply, _ handler: @escaping (Result<[Value], DBusError>) -> Void
  ) -> PendingCall {
    // A message keeps its first serial number, by which replies are told apart.
    let message = message.isSent ? message.copy() : message
    return replies.add(message, timeout: timeout, expecting: signature, within: budget, handler)
  }

  /// Calls a method of the bus itself and waits for the reply, for at most 25 seconds.
  func callBlocking(_ message: Message) throws(DBusError) -> [Value] {
    // libdbus accepts a forged reply here; ask again then. No attacker forges that fast for long.
    for _ in 0..<10 {
      guard isConnected else { break }
      let request = message.isSent ? message.copy() : message
      let reply = try withDBusError { dbus_connection_send_with_reply_and_block(raw, request.raw, -1, $0) }
      let answer = Message(owning: reply)
      if answer.kind == .reply, answer.sender == .bus { return try answer.arguments() }
    }
    throw DBusError(.disconnected, "The bus gives no answer")
  }
}
