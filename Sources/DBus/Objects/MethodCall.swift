// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import MainLoop

/// A method call from the bus, to be answered exactly once, immediately or later.
///
/// A call that is released without an answer is answered with an error, so that no caller waits for its timeout.
@MainActor public final class MethodCall {
  /// The unique name of the caller, set by the bus.
  public let sender: BusName
  /// The path of the called object.
  public let path: ObjectPath
  /// The interface, or nil if the caller omitted it, which D-Bus allows.
  public let interface: InterfaceName?
  /// The name of the called method.
  public let member: MemberName
  /// When it was received.
  public let arrivedAt = MainLoop.main.clock.boottime()
  /// Whether the caller allows the user to be asked before the answer.
  public let allowsInteractiveAuthorization: Bool
  /// The types of the arguments, as received.
  public let signature: String
  /// The arguments. Inside a handler, they have the declared types.
  public internal(set) var arguments: [Value] = []
  /// Called after the answer has been sent, with its size in bytes, or 0 if none was sent.
  public var onAnswered: ((Int) -> Void)?

  /// The largest size that is determined for a message with file descriptors.
  private static let largestSize = 1 << 16
  /// The size of a message with file descriptors, or nil if it exceeds ``largestSize``.
  private var size: Int? = 0
  // The message is not kept until the answer, because it may be large.
  private var message: Message?
  /// The arguments of a message with file descriptors, which are read or refused immediately.
  private var early: Result<[Value], DBusError>?
  /// Whether the path is too long to be read. ``path`` is then the root.
  let hasLongPath: Bool
  private let serial: UInt32
  /// Whether the caller expects an answer.
  package let wantsReply: Bool
  private weak var connection: Connection?
  private let generation: UInt64
  private var isAnswered = false
  /// The required signature of the answer, or nil before the method is known.
  var outputs: String?

  init?(_ message: Message, on connection: Connection, acceptsDescriptors: (MethodCall) -> Bool) {
    guard let sender = message.sender, let member = message.member else { return nil }
    self.message = message
    self.connection = connection
    generation = connection.generation
    self.sender = sender
    // Every call has a path.
    hasLongPath = message.path == nil
    path = message.path ?? .root
    self.member = member
    interface = message.interface
    allowsInteractiveAuthorization = message.allowsInteractiveAuthorization
    signature = message.signature
    serial = message.serial
    wantsReply = message.wantsReply
    guard message.hasDescriptors else { return }
    // The connection reads nothing while a message with descriptors is kept, not even replies that this call waits for.
    self.message = nil
    size = message.receivedByteCount(upTo: Self.largestSize)
    early =
      acceptsDescriptors(self)
      ? Result { () throws(DBusError) in try message.arguments() }
      : .failure(DBusError(.notSupported, "File descriptors are not accepted"))
  }

  isolated deinit {
    if !isAnswered { fail(DBusError(.failed, "The service did not answer the call")) }
  }

  /// Answers with the method's results.
  public func reply(_ values: Value...) { reply(values) }

  /// Answers with the method's results.
  public func reply(_ values: [Value]) {
    let types = values.map(\.signature).joined()
    guard outputs == nil || outputs == types else {
      return fail(DBusError(.failed, "The results of \(member) do not match its signature"))
    }
    let reply = Message(replyTo: serial, from: sender, values)
    if let refusal = connection?.refusal(of: reply) ?? reply.refusal { return fail(refusal) }
    answer(reply)
  }

  /// Answers with a copy of a prepared reply.
  public func reply(_ prepared: PreparedReply) {
    answer(prepared.message(answering: serial, to: sender))
  }

  /// Drops the call without an answer, for a caller that does not read.
  public func drop() {
    isAnswered = true
    finish(0)
  }

  /// Answers with an error.
  public func fail(_ error: DBusError) { answer(Message(errorTo: serial, from: sender, error)) }

  /// Returns the size of the whole message in bytes, or nil if it exceeds the limit. Valid only before the arguments
  /// are read.
  public func byteCount(upTo limit: Int) -> Int? {
    guard !hasLongPath else { return nil }
    return message.map { $0.receivedByteCount(upTo: limit) } ?? size.flatMap { $0 <= limit ? $0 : nil }
  }

  /// Ends this object without an answer, and returns what is needed to fail the call later, or nil if the caller wants
  /// no answer.
  public func postpone() -> PostponedCall? {
    drop()
    return wantsReply ? PostponedCall(serial: serial, generation: UInt32(truncatingIfNeeded: generation)) : nil
  }

  /// Reads the arguments. Deferred until the call has been admitted.
  func readArguments() throws(DBusError) {
    guard let unread = early ?? message.map({ message in Result { () throws(DBusError) in try message.arguments() } })
    else { return }
    (message, early) = (nil, nil)
    arguments = try unread.get()
  }

  private func answer(_ reply: @autoclosure () -> Message) {
    guard !isAnswered else { return }
    isAnswered = true
    var bytes = 0
    // The bus has already informed callers on a lost connection that no answer will arrive.
    if wantsReply, let connection, connection.isConnected, connection.generation == generation {
      let outgoing = reply()
      bytes = onAnswered == nil ? 0 : outgoing.wireSize
      connection.send(outgoing)
    }
    finish(bytes)
  }

  private func finish(_ bytes: Int) {
    message = nil
    let action = onAnswered
    onAnswered = nil
    action?(bytes)
  }
}

/// The rest of a call that will be failed later: a few bytes, of which thousands may wait.
nonisolated public struct PostponedCall: Sendable {
  fileprivate let serial: UInt32
  fileprivate let generation: UInt32
}

extension Connection {
  /// Answers a postponed call of a peer with an error.
  public func fail(_ call: PostponedCall, of caller: BusName, _ error: DBusError) {
    guard isConnected, UInt32(truncatingIfNeeded: generation) == call.generation else { return }
    send(Message(errorTo: call.serial, from: caller, error))
  }
}

/// A request to read a property, to be answered exactly once, immediately or later.
@MainActor public final class PropertyRead {
  /// The unique name of the caller, or nil if the value is for a `PropertiesChanged` signal.
  public let sender: BusName?
  /// When the call was received.
  public let arrivedAt: BootInstant
  /// Whether the property has been read for this call before, and others were waited for since. Only an immediate answer
  /// replaces the earlier one.
  public let isRepeated: Bool
  private let property: Property
  private var handler: ((Result<Value, DBusError>) -> Void)?

  init(
    of property: Property, for call: MethodCall?, isRepeated: Bool,
    _ handler: @escaping (Result<Value, DBusError>) -> Void
  ) {
    (self.property, self.isRepeated) = (property, isRepeated)
    (sender, arrivedAt) = (call?.sender, call?.arrivedAt ?? MainLoop.main.clock.boottime())
    self.handler = handler
  }

  isolated deinit { answer(.failure(DBusError(.failed, "The service did not return the property"))) }

  /// Answers with the value. A value that does not have the property's type becomes an error.
  public func answer(_ value: Value) { answer(.success(value)) }

  /// Answers with a value or an error. Only the first answer counts.
  public func answer(_ result: Result<Value, DBusError>) {
    let handler = handler
    self.handler = nil
    handler?(result.flatMap(property.checked))
  }
}
