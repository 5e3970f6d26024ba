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

  /// The same without what the object is changed by.
  static func withSample(on broker: PrivateBus.Broker = .chosen) throws -> (Peers, Sample) {
    let (peers, sample, _) = try withObject(on: broker)
    return (peers, sample)
  }

  /// A further connection.
  func connect() throws -> Connection { try Connection(to: .address(bus.address)) }

  /// A call of a method of the sample.
  func message(_ member: MemberName, _ arguments: Value...) throws -> Message { try message(member, with: arguments) }

  func message(_ member: MemberName, with arguments: [Value]) throws -> Message {
    try Message(calling: member, of: Sample.name, at: Sample.path, on: service.uniqueName, arguments)
  }

  /// Calls a method of the service from the client and runs the loop until the answer is there.
  @discardableResult
  func call(
    _ member: MemberName, of interface: InterfaceName? = Sample.name, at path: ObjectPath = Sample.path,
    _ arguments: Value..., from caller: Connection? = nil
  ) throws -> [Value] {
    try answer(to: .calling(member, of: interface, at: path, on: service.uniqueName, arguments), from: caller)
  }

  /// Sends a call and runs the loop until the answer is there.
  func answer(to message: Message, from caller: Connection? = nil) throws -> [Value] {
    var result: Result<[Value], DBusError>?
    (caller ?? client).call(message) { result = $0 }.keep()
    try turning("an answer to \(message.member?.rawValue ?? "?")") { result != nil }
    return try result?.get() ?? []
  }

  /// The error that a call is answered with; nil if it succeeds.
  func refusal(
    _ member: MemberName, of interface: InterfaceName? = Sample.name, at path: ObjectPath = Sample.path,
    _ arguments: Value..., from caller: Connection? = nil
  ) throws -> ErrorName? {
    do {
      _ = try answer(to: .calling(member, of: interface, at: path, on: service.uniqueName, arguments), from: caller)
      return nil
    } catch let error as DBusError {
      return error.name
    }
  }

  /// The process of the bus.
  func busProcess() throws -> pid_t {
    let question = try Message(callingBus: "GetConnectionUnixProcessID", [.string(BusName.bus.rawValue)])
    return try #require(try answer(to: question).first?.uint32.flatMap(pid_t.init(exactly:)))
  }

  /// Runs the loop until the bus has handled everything that was sent before.
  func settle() throws {
    for connection in [service, client, service] { _ = try answer(to: Message(callingBus: "GetId"), from: connection) }
  }
}

extension PrivateBus.Broker {
  /// The implementations that are installed. They do not forward quite the same.
  nonisolated static let installed: [PrivateBus.Broker] =
    access("/usr/bin/dbus-broker", X_OK) == 0 ? [.dbusDaemon, .dbusBroker] : [.dbusDaemon]
}

extension Result<[Value], DBusError> {
  /// The name of the error, nil for a success.
  var errorName: ErrorName? {
    guard case .failure(let error) = self else { return nil }
    return error.name
  }
}
