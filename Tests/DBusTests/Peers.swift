// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Glibc
import MainLoop
import Testing

@testable import DBus

/// A private bus with two connections of this process on it: one that exports, one that calls.
final class Peers {
  let bus: PrivateBus
  let service: Connection
  let client: Connection
  /// Objects are exported without being retained.
  private var sample: Sample?

  init(on broker: PrivateBus.Broker = .chosen) throws {
    bus = try PrivateBus(.session, broker: broker)
    service = try Connection(to: .address(bus.address))
    client = try Connection(to: .address(bus.address))
  }

  /// Two connections and an object that the service exports.
  static func withObject(on broker: PrivateBus.Broker = .chosen) throws -> (Peers, Sample, ExportedObject) {
    let (peers, sample) = (try Peers(on: broker), Sample())
    peers.sample = sample
    return (peers, sample, sample.export(on: peers.service))
  }

  /// Two connections and an exported object that the test does not change.
  static func withSample(on broker: PrivateBus.Broker = .chosen) throws -> (Peers, Sample) {
    let (peers, sample, _) = try withObject(on: broker)
    return (peers, sample)
  }

  /// Another connection.
  func connect() throws -> Connection { try Connection(to: .address(bus.address)) }

  /// A call of a method of the sample.
  func message(_ member: MemberName, _ arguments: Value...) -> Message { message(member, with: arguments) }

  func message(_ member: MemberName, with arguments: [Value]) -> Message {
    Message(calling: member, of: Sample.name, at: Sample.path, on: service.uniqueName, arguments)
  }

  /// Calls a method of the service from the client and runs the loop until the answer arrives.
  @discardableResult
  func call(
    _ member: MemberName, of interface: InterfaceName? = Sample.name, at path: ObjectPath = Sample.path,
    _ arguments: Value..., from caller: Connection? = nil
  ) throws -> [Value] {
    try answer(to: .calling(member, of: interface, at: path, on: service.uniqueName, arguments), from: caller)
  }

  /// Sends a call and runs the loop until the answer arrives.
  func answer(to message: Message, from caller: Connection? = nil) throws -> [Value] {
    try Question(message, from: caller ?? client).answer()
  }

  /// Sends a call from the client.
  func ask(_ message: Message, timeout: CallTimeout = .standard, expecting signature: Signature? = nil) -> Question {
    Question(message, timeout: timeout, expecting: signature, from: client)
  }

  /// The error reply to a call; nil if it succeeds.
  func refusal(
    _ member: MemberName, of interface: InterfaceName? = Sample.name, at path: ObjectPath = Sample.path,
    _ arguments: Value..., from caller: Connection? = nil
  ) throws -> ErrorName? {
    let message = try Message.calling(member, of: interface, at: path, on: service.uniqueName, arguments)
    return try Question(message, from: caller ?? client).refusal()
  }

  /// The process of the bus.
  func busProcess() throws -> pid_t {
    let question = Message(callingBus: "GetConnectionUnixProcessID", [.string(BusName.bus.rawValue)])
    return try #require(try answer(to: question).first?.uint32.flatMap(pid_t.init(exactly:)))
  }

  /// Runs the loop until the bus has handled everything that was sent before.
  func settle() throws {
    for connection in [service, client, service] { _ = try answer(to: Message(callingBus: "GetId"), from: connection) }
  }
}

/// A call and its results, of which there should be one.
final class Question {
  private(set) var results: [Result<[Value], CallFailure>] = []
  private let member: MemberName?

  init(
    _ message: Message, timeout: CallTimeout = .standard, expecting signature: Signature? = nil,
    within budget: ReadBudget = .reply, from caller: Connection
  ) {
    member = message.member
    caller.call(message, timeout: timeout, expecting: signature, within: budget) { self.results.append($0) }.keep()
  }

  var isOpen: Bool { results.isEmpty }

  /// Runs the loop until there is a result.
  private func result() throws -> Result<[Value], CallFailure> {
    try turning("an answer to \(member?.rawValue ?? "?")", within: .seconds(30)) { !isOpen }
    return results[0]
  }

  func answer() throws -> [Value] { try result().get() }

  func failure() throws -> CallFailure? { try result().failure }

  /// The error reply; nil if the call succeeds.
  func refusal() throws -> ErrorName? { try result().errorName }
}

extension PrivateBus.Broker {
  /// The installed implementations. The brokers forward different kinds of messages.
  nonisolated static let installed: [PrivateBus.Broker] =
    access("/usr/bin/dbus-broker", X_OK) == 0 ? [.dbusDaemon, .dbusBroker] : [.dbusDaemon]
}

extension Result<[Value], CallFailure> {
  /// The name of the error, nil for a success.
  var errorName: ErrorName? {
    failure?.error.name
  }

  var failure: CallFailure? {
    guard case .failure(let failure) = self else { return nil }
    return failure
  }
}

extension CallFailure {
  enum Kind { case notSent, lost, refused }

  var kind: Kind {
    switch self {
    case .notSent: .notSent
    case .lost: .lost
    case .refused: .refused
    }
  }
}
