// SPDX-License-Identifier: Apache-2.0
import DBus

/// Asks systemd for the control group of a process, for a service that may not look into /proc.
///
/// `GetUnitByPID` names the unit, which for a program of a person's session is only `user@UID.service`;
/// `GetUnitProcesses` then has the path of each process below it. systemd answers both to everybody.
final class UnitProcesses {
  private static let service: BusName = "org.freedesktop.systemd1"
  private static let path: ObjectPath = "/org/freedesktop/systemd1"
  private static let manager: InterfaceName = "org.freedesktop.systemd1.Manager"
  /// How many are looked up at once; the bus allows 128 calls without a reply, for all purposes.
  private static let parallel = 16

  private let connection: Connection
  private var count = 0
  private var waiting: [(process: UInt32, handler: (ControlGroup?) -> Void)] = []

  init(on connection: Connection) { self.connection = connection }

  /// Calls the handler with the control group, or with nil if systemd does not know.
  func controlGroup(of process: UInt32, _ handler: @escaping (ControlGroup?) -> Void) {
    waiting.append((process, handler))
    next()
  }

  private func next() {
    while count < Self.parallel, !waiting.isEmpty {
      let (process, handler) = waiting.removeFirst()
      count += 1
      lookUp(process) { [weak self] group in
        self?.count -= 1
        handler(group)
        self?.next()
      }
    }
  }

  private func lookUp(_ process: UInt32, _ handler: @escaping (ControlGroup?) -> Void) {
    call("GetUnitByPID", [.uint32(process)], expecting: "o") { [weak self] values in
      guard let self, let unit = values?.first?.objectPath.flatMap(Self.unitName) else { return handler(nil) }
      call("GetUnitProcesses", [.string(unit)], expecting: "a(sus)") { values in
        let row = values?.first?.array?.lazy.compactMap(\.structure).first { $0.count == 3 && $0[1].uint32 == process }
        let group = row?[0].string.map { ControlGroup(path: $0, program: row?[2].string.flatMap(ProgramName.plain)) }
        handler(group)
      }
    }
  }

  private func call(
    _ member: MemberName, _ arguments: [Value], expecting signature: Signature, _ handler: @escaping ([Value]?) -> Void
  ) {
    let message = try? Message(calling: member, of: Self.manager, at: Self.path, on: Self.service, arguments)
    guard let message else { return handler(nil) }
    message.startsService = false
    connection.call(message, timeout: .never, expecting: signature) { handler(try? $0.get()) }.keep()
  }

  /// The name of a unit from its object path, in which everything but letters and digits is `_` and two hex digits.
  nonisolated static func unitName(of path: ObjectPath) -> String? {
    let prefix = "/org/freedesktop/systemd1/unit/"
    guard path.rawValue.hasPrefix(prefix) else { return nil }
    var bytes: [UInt8] = []
    var rest = Array(path.rawValue.utf8.dropFirst(prefix.utf8.count))[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "_") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
