// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import MainLoop

/// A call whose reply is pending. Releasing it, or calling ``cancel()``, abandons the reply.
///
/// ``keep()`` leaves the call to the connection:
///
/// ```swift
/// connection.call(Message(callingBus: "GetId"), expecting: .string) { result in print(result) }.keep()
/// ```
@MainActor public final class PendingCall {
  fileprivate var serial: UInt32?
  /// The message to send again if the connection is lost and rejoined, or nil.
  fileprivate var request: Message?
  private let destination: BusName?
  private let signature: Signature?
  private let budget: ReadBudget
  private var handler: ((Result<[Value], CallFailure>) -> Void)?
  private weak var router: ReplyRouter?
  private var deadline: LoopSource?

  fileprivate init(
    serial: UInt32?, to destination: BusName?, expecting signature: Signature?, within budget: ReadBudget,
    router: ReplyRouter?, _ handler: @escaping (Result<[Value], CallFailure>) -> Void
  ) {
    self.serial = serial
    self.destination = destination
    self.signature = signature
    self.budget = budget
    self.router = router
    self.handler = handler
  }

  isolated deinit { cancel() }

  /// Abandons the reply, so that the handler is not called. Has no effect after the reply.
  public func cancel() {
    handler = nil
    deadline = nil
    let router = router
    self.router = nil
    request = nil
    router?.forget(self)
  }

  /// Leaves the call to the connection until it is answered or cancelled.
  public func keep() { router?.keep(self) }

  fileprivate func fail(after timeout: CallTimeout) {
    guard case .milliseconds(let limit) = timeout else { return }
    // Not weak, which would allocate for each call: the timer ends with this object.
    deadline = MainLoop.main.after(.milliseconds(limit)) { [unowned self] in
      expire(limit, turns: Self.turnsToRead)
    }
  }

  /// The number of loop turns in which at least a full socket buffer is read: libdbus reads 2 KiB per turn.
  private static let turnsToRead = 256

  /// Handles the timeout. The reply may have arrived while this process was too busy to read, so pending input is read
  /// first, up to a limit, because others may keep sending.
  private func expire(_ limit: Int32, turns: Int) {
    guard turns > 0, let connection = router?.connection, connection.hasUnread else {
      return complete(.failure(.lost(DBusError(.noReply, "No reply within \(limit) ms"))))
    }
    deadline = MainLoop.main.nextTurn { [weak self] in self?.expire(limit, turns: turns - 1) }
  }

  fileprivate func failNextTurn(_ failure: CallFailure) {
    deadline = MainLoop.main.nextTurn { [weak self] in self?.complete(.failure(failure)) }
  }

  fileprivate func receive(_ reply: Message) {
    // The bus lets only the called connection answer. If its unique name is known, check that as well.
    if let destination, destination.isUnique, reply.sender != destination, reply.sender != .bus { return }
    complete(result(of: reply))
  }

  fileprivate func complete(_ result: Result<[Value], CallFailure>) {
    let handler = handler
    cancel()
    handler?(result)
  }

  private func result(of reply: Message) -> Result<[Value], CallFailure> {
    if let error = reply.error { return .failure(CallFailure(error, from: reply.sender, to: destination)) }
    if let signature, reply.signature != signature.rawValue {
      let text = "The reply has the signature '\(reply.signature)', not '\(signature)'"
      return .failure(.refused(DBusError(.invalidArgs, text)))
    }
    return Result { () throws(DBusError) in try reply.arguments(within: budget) }.mapError(CallFailure.refused)
  }
}

/// How long to wait for a reply.
nonisolated public enum CallTimeout: Hashable, Sendable {
  /// At most this many milliseconds, then fail with ``ErrorName/noReply``.
  case milliseconds(Int32)
  /// Until there is a reply or the connection is lost.
  case never

  /// 25 s, the default of libdbus and of most other client libraries.
  public static let standard = CallTimeout.milliseconds(25_000)

  /// Returns the timeout in whole milliseconds.
  public static func after(_ duration: Duration) -> Self { .milliseconds(Int32(clamping: duration.milliseconds)) }
}

/// Matches replies with their calls.
///
/// libdbus's own pending calls are not used, because they accept any message with the call's serial number as the
/// reply, including signals, which any program may send.
final class ReplyRouter {
  // A released call removes itself. During that, only its identity may be used.
  private struct Waiting {
    let id: ObjectIdentifier
    unowned let call: PendingCall
    init(_ call: PendingCall) {
      id = ObjectIdentifier(call)
      self.call = call
    }
  }

  weak var connection: Connection?
  /// The maximum number of calls that a destination may leave unanswered.
  var limit: Int?
  private var waiting: [UInt32: Waiting] = [:]
  private var kept: [ObjectIdentifier: PendingCall] = [:]
  private var unanswered = UnansweredCalls()
  /// Calls to repeat after a lost connection has been rejoined, in order.
  private var held: [Waiting] = []
  /// The sender of the reply that is being handled: the called peer or the bus.
  private(set) var lastSender: BusName?

  func add(
    _ message: Message?, to destination: BusName?, timeout: CallTimeout, expecting signature: Signature?,
    within budget: ReadBudget, _ handler: @escaping (Result<[Value], CallFailure>) -> Void
  ) -> PendingCall {
    let isLost = connection.map { $0.isToRejoin && !$0.isConnected } ?? false
    let refusal = refusal(of: message, to: destination)
    let serial = isLost || refusal != nil ? nil : message.flatMap { connection?.post($0) }
    let call = PendingCall(
      serial: serial, to: destination, expecting: signature, within: budget, router: self, handler)
    if connection?.isToRejoin == true { call.request = message }
    if let serial {
      waiting[serial] = Waiting(call)
      if limit != nil, let destination { unanswered.add(serial, to: destination) }
      call.fail(after: timeout)
    } else if let refusal {
      call.failNextTurn(.notSent(refusal))
    } else if isLost {
      held.append(Waiting(call))
      call.fail(after: timeout)
    } else {
      call.failNextTurn(.notSent(DBusError(.disconnected, "The connection to the bus is closed")))
    }
    return call
  }

  /// Returns why a call cannot be sent, or nil if it can.
  private func refusal(of message: Message?, to destination: BusName?) -> DBusError? {
    guard let message else { return .noDescriptors }
    if let refusal = connection?.refusal(of: message) { return refusal }
    guard let limit, let destination, destination != .bus, unanswered.count(of: destination) >= limit else {
      return nil
    }
    return DBusError(.limitsExceeded, "Too many earlier calls are still unanswered")
  }

  func receive(_ reply: Message) {
    lastSender = reply.sender
    unanswered.answered(reply.replySerial, by: lastSender)
    defer { lastSender = nil }
    waiting[reply.replySerial]?.call.receive(reply)
  }

  fileprivate func keep(_ call: PendingCall) { kept[ObjectIdentifier(call)] = call }

  /// Fails every call, in the order in which they were made, because the connection is lost.
  func failAll(_ error: DBusError) {
    hold()
    for call in held.map(\.call) { call.complete(.failure(.lost(error))) }
    held = []
  }

  /// Holds the calls until the lost connection has been rejoined.
  func hold() {
    held += waiting.sorted { $0.key < $1.key }.map(\.value)
    for entry in held { entry.call.serial = nil }
    waiting = [:]
    unanswered.removeAll()
  }

  /// Repeats the calls after the connection has been rejoined, each with its remaining time.
  func resend() {
    let calls = held.map(\.call)
    held = []
    for call in calls {
      guard let request = call.request else {
        call.failNextTurn(.lost(DBusError(.disconnected, "The bus has ended the connection")))
        continue
      }
      // The new connection may already be lost, too: keep the call for the next one.
      guard connection?.isConnected == true else {
        held.append(Waiting(call))
        continue
      }
      guard let message = request.unsent() else {
        call.failNextTurn(.notSent(.noDescriptors))
        continue
      }
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
    // Not by assigning nil, because releasing the handler may call back into this object.
    _ = kept.removeValue(forKey: ObjectIdentifier(call))
    if let serial = call.serial, waiting[serial]?.id == ObjectIdentifier(call) { waiting[serial] = nil }
    if !held.isEmpty { held.removeAll { $0.id == ObjectIdentifier(call) } }
  }
}

extension Connection {
  /// Calls a method. The handler receives the result once, asynchronously, unless the connection is closed by this
  /// side.
  ///
  /// Fails with ``CallFailure/notSent(_:)`` if the connection is closed, has too many unanswered calls or cannot carry the
  /// message's arguments, with ``CallFailure/lost(_:)`` after the timeout (25 s by default) and when the other side or the connection is gone, and
  /// with ``CallFailure/refused(_:)`` for any error that the other side returns, for a reply whose signature differs from
  /// `expecting` (`InvalidArgs`) and for one that exceeds the budget (`LimitsExceeded`).
  public func call(
    _ message: Message, timeout: CallTimeout = .standard, expecting signature: Signature? = nil,
    within budget: ReadBudget = .reply, _ handler: @escaping (Result<[Value], CallFailure>) -> Void
  ) -> PendingCall {
    replies.add(
      message.unsent(), to: message.destination, timeout: timeout, expecting: signature, within: budget, handler)
  }

  /// Calls a method of the bus itself and waits up to 25 seconds for the reply.
  func callBlocking(_ message: Message) throws(DBusError) -> [Value] {
    if let refusal = refusal(of: message) { throw refusal }
    // libdbus accepts a forged reply here, so check it and ask again. No attacker wins that race ten times.
    for _ in 0..<10 {
      guard isConnected else { break }
      guard let request = message.unsent() else { throw .noDescriptors }
      let reply = try withDBusError { dbus_connection_send_with_reply_and_block(raw, request.raw, -1, $0) }
      let answer = Message(owning: reply)
      if answer.kind == .reply, answer.sender == .bus { return try answer.arguments() }
    }
    throw DBusError(.disconnected, "The bus does not answer")
  }
}
