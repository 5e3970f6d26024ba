// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import MainLoop

/// Calls to services on a bus, each of which blocks until its answer or its timeout.
final class BusQuestions {
  let connection: Connection

  init(_ bus: Connection.Bus) throws(DBusError) { connection = try Connection(to: bus) }

  /// Calls a method, and runs the main loop until the answer arrives.
  func ask(
    _ member: MemberName, of interface: InterfaceName, at path: ObjectPath, on service: BusName,
    _ arguments: [Value] = [], milliseconds: Int32 = 5_000
  ) throws(DBusError) -> [Value] {
    let message = Message(calling: member, of: interface, at: path, on: service, arguments)
    var answer: Result<[Value], CallFailure>?
    connection.call(message, timeout: .milliseconds(milliseconds)) { answer = $0.printable }.keep()
    while true {
      switch answer {
      case .success(let values): return values
      case .failure(let failure): throw failure.error
      case nil: MainLoop.main.iterate(mayBlock: true)
      }
    }
  }

  /// Runs the main loop until answers to calls have made a condition true.
  func turnLoop(until condition: () -> Bool) {
    while !condition() { MainLoop.main.iterate(mayBlock: true) }
  }

  /// Reads a property. The default timeout allows for a service that the bus must start first.
  func property(
    _ name: String, of interface: InterfaceName, at path: ObjectPath, on service: BusName, milliseconds: Int32 = 25_000
  ) throws(DBusError) -> Value {
    let values = try ask(
      "Get", of: .properties, at: path, on: service, [.string(interface.rawValue), .string(name)],
      milliseconds: milliseconds)
    return values.first?.unwrapped ?? .structure([])
  }

  /// Returns whether a service runs or can be started, without calling it.
  func presence(of service: BusName) -> DoctorFacts.Service {
    func names(_ member: MemberName) -> [String] {
      let values = try? ask(member, of: .bus, at: .bus, on: .bus)
      return values?.first?.array?.compactMap(\.string) ?? []
    }
    if names("ListNames").contains(service.rawValue) { return .running }
    return names("ListActivatableNames").contains(service.rawValue) ? .activatable : .missing
  }

  /// Returns what a failed call shows about a service; `presence` is what was known before the call.
  static func outcome(of error: DBusError, after presence: DoctorFacts.Service?) -> DoctorFacts.Service {
    switch error.name {
    case .accessDenied: .refused(message: error.message)
    // dbus-broker returns these also if systemd does not start a service.
    case .serviceUnknown where presence == .activatable, .nameHasNoOwner where presence == .activatable:
      .failed(message: error.message)
    case .serviceUnknown, .nameHasNoOwner: .missing
    case .noReply: .silent
    default: .failed(message: error.message.isEmpty ? error.name.rawValue : error.message)
    }
  }
}
