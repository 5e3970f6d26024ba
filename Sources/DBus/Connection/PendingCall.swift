// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import MainLoop

/// A call whose reply is pending. Releasing it, or calling ``cancel()``, abandons the reply. Its last reference must be
/// released on the main actor.
///
/// ``keep()`` leaves the call to the connection:
///
/// ```swift
/// connection.call(Message(callingBus: "GetId"), expecting: .string) { result in print(result) }.keep()
/// ```
@MainActor public final class PendingCall {
  var serial: UInt32?
  /// The message to send again if the connection is lost and rejoined, or nil.
  var request: Message?
  private let destination: BusName?
  private let signature: Signature?
  private let budget: ReadBudget
  private var handler: ((Result<[Value], CallFailure>) -> Void)?
  private weak var router: ReplyRouter?
  private var deadline: LoopSource?

  init(
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
    let (router, handler) = (router, handler)
    self.router = nil
    self.handler = nil
    deadline = nil
    request = nil
    router?.forget(self)
    // Released last, because that may close the connection, which cancels every call that it has not forgotten.
    withExtendedLifetime(handler) {}
  }

  /// Leaves the call to the connection until it is answered or cancelled.
  public func keep() { router?.keep(self) }

  func fail(after timeout: CallTimeout) {
    guard case .milliseconds(let limit) = timeout else { return }
    // Not weak, because a weak reference would allocate memory for each call. The timer ends with this object.
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

  func failNextTurn(_ failure: CallFailure) {
    deadline = MainLoop.main.nextTurn { [weak self] in self?.complete(.failure(failure)) }
  }

  func receive(_ reply: Message) {
    // The bus lets only the called connection answer. If its unique name is known, check that as well.
    if let destination, destination.isUnique, reply.sender != destination, reply.sender != .bus { return }
    complete(result(of: reply))
  }

  func complete(_ result: Result<[Value], CallFailure>) {
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

extension Connection {
  /// Calls a method. The handler receives the result once, asynchronously. If this side closes the connection before the
  /// reply, the handler is released without a result.
  ///
  /// Fails with ``CallFailure/notSent(_:)`` if the connection is closed, has too many unanswered calls or cannot carry
  /// the message's arguments, with ``CallFailure/lost(_:)`` after the timeout (25 s by default) and when the other side
  /// has left or the connection is lost, and with ``CallFailure/refused(_:)`` for any error that the other side
  /// returns, for a reply whose signature differs from `expecting` (`InvalidArgs`) and for one that exceeds the budget
  /// (`LimitsExceeded`).
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
    guard isConnected else { throw DBusError(.disconnected, "The connection is not open") }
    // The reply may be behind a message with a descriptor, after which libdbus otherwise reads nothing until that is
    // handled.
    dbus_connection_set_max_received_unix_fds(raw, 1_024)
    defer { if isOpen { dbus_connection_set_max_received_unix_fds(raw, 1) } }
    // libdbus accepts a forged reply here, so check it and ask again. An attacker cannot forge the reply in time ten
    // times in a row.
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
