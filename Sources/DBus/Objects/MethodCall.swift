// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// A method call from the bus: it is answered exactly once, now or later.
///
/// A call that is released without an answer is refused, so that no caller waits in vain.
@MainActor public final class MethodCall {
  /// The unique name of the caller, set by the bus.
  public let sender: BusName
  /// The object that is called.
  public let path: ObjectPath
  /// Nil if the caller left it out, which D-Bus allows.
  public let interface: InterfaceName?
  /// The method that is called.
  public let member: MemberName
  /// Whether the caller allows the user to be asked before the answer.
  public let allowsInteractiveAuthorization: Bool
  /// The types of the arguments, as received.
  public let signature: String
  /// The arguments; for a handler they have the types of its row in the table.
  public internal(set) var arguments: [Value] = []
  /// Called when the answer has been sent, with its size in bytes; 0 if none was sent.
  public var onAnswered: ((Int) -> Void)?

  // Not the message itself for as long as the answer takes: it may be large.
  private var message: Message?
  private let hasDescriptors: Bool
  /// The path is too long to be looked at; ``path`` is another one.
  let hasLongPath: Bool
  private let serial: UInt32
  private let wantsReply: Bool
  private weak var connection: Connection?
  private let generation: UInt64
  private var isAnswered = false
  /// What the answer's types must be; nil before the method is known.
  var outputs: String?

  init?(_ message: Message, on connection: Connection) {
    guard let sender = message.sender, let member = message.member else { return nil }
    // The connection reads nothing more while a message with descriptors is kept, not even what the call waits for.
    hasDescriptors = message.hasDescriptors
    self.message = hasDescriptors ? nil : message
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
  }

  isolated deinit {
    if !isAnswered { fail(DBusError(.failed, "The call was given up without an answer")) }
  }

  /// Answers with the method's results.
  public func reply(_ values: Value...) { reply(values) }

  /// Answers with the method's results.
  public func reply(_ values: [Value]) {
    let types = values.map(\.signature).joined()
    guard outputs == nil || outputs == types else {
      return fail(DBusError(.failed, "The answer of \(member) does not have the types of its description"))
    }
    do throws(DBusError) {
      let reply = try Message(replyTo: serial, from: sender, values)
      answer(reply)
    } catch {
      fail(error)
    }
  }

  /// Answers with a copy of a prepared reply.
  public func reply(_ prepared: PreparedReply) {
    answer(prepared.message(answering: serial, to: sender))
  }

  /// Drops the call without an answer, because the caller does not read what it is sent.
  public func drop() {
    isAnswered = true
    finish(0)
  }

  /// Answers with an error.
  public func fail(_ error: DBusError) { answer(Message(errorTo: serial, from: sender, error)) }

  /// The size of the whole message in bytes, nil if it is above the limit; to be asked before the call is let in.
  public func byteCount(upTo limit: Int) -> Int? {
    guard let message, !hasLongPath else { return hasLongPath ? nil : 0 }
    return message.byteCount(upTo: limit)
  }

  /// Lets go of arguments that nobody has read: the call is only to be refused, some time later.
  public func forgetArguments() { message = nil }

  /// Reads the arguments, which is put off until the call has been let in.
  func readArguments() throws(DBusError) {
    guard !hasDescriptors else { throw DBusError(.notSupported, "File descriptors are not accepted here") }
    guard let message else { return }
    self.message = nil
    arguments = try message.arguments()
  }

  private func answer(_ reply: @autoclosure () -> Message) {
    guard !isAnswered else { return }
    isAnswered = true
    var bytes = 0
    // The bus has told the caller of a connection that was lost that no answer comes.
    if wantsReply, let connection, connection.isConnected, connection.generation == generation {
      let outgoing = reply()
      bytes = outgoing.wireSize
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

/// A request to read a property, answered exactly once, now or later.
@MainActor public final class PropertyRead {
  /// The unique name of the caller; nil when the value is for a `PropertiesChanged` signal.
  public let sender: BusName?
  private let property: PropertyShape
  private var handler: ((Result<Value, DBusError>) -> Void)?

  init(of property: PropertyShape, by sender: BusName?, _ handler: @escaping (Result<Value, DBusError>) -> Void) {
    self.property = property
    self.sender = sender
    self.handler = handler
  }

  isolated deinit { answer(.failure(DBusError(.failed, "The property was not read"))) }

  /// Answers with the value; one of another type than the property's becomes an error.
  public func answer(_ value: Value) { answer(.success(value)) }

  /// Answers with a value or an error; only the first answer counts.
  public func answer(_ result: Result<Value, DBusError>) {
    let handler = handler
    self.handler = nil
    if case .success(let value) = result, value.signature != property.type.rawValue {
      handler?(.failure(DBusError(.failed, "The value of \(property.name) does not have the type of its description")))
    } else {
      handler?(result)
    }
  }
}
