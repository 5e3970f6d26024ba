// SPDX-License-Identifier: Apache-2.0
import DBus

/// Asks systemd for the control group of a process, for a service that cannot read other processes in /proc.
///
/// `GetUnitByPID` returns the unit, which for most programs in a user's session is just `user@UID.service`.
/// `GetUnitProcesses` returns the control group of each process in that unit. systemd answers both calls for every
/// caller.
final class UnitProcesses {
  private static let service: BusName = "org.freedesktop.systemd1"
  private static let path: ObjectPath = "/org/freedesktop/systemd1"
  private static let manager: InterfaceName = "org.freedesktop.systemd1.Manager"

  private let connection: Connection

  init(on connection: Connection) { self.connection = connection }

  /// Calls the handler with the control group of a process, or nil if systemd does not know the process.
  func controlGroup(of process: UInt32, _ handler: @escaping (Result<ControlGroup?, CallFailure>) -> Void) {
    call("GetUnitByPID", [.uint32(process)], expecting: "o") { [weak self] result in
      guard let self, case .success(let values) = result,
        let unit = values.first?.objectPath.flatMap(Self.unitName)
      else { return handler(result.map { _ in nil }) }
      call("GetUnitProcesses", [.string(unit)], expecting: "a(sus)") { result in
        handler(result.map { Self.group(of: process, in: $0.first?.array ?? []) })
      }
    }
  }

  private static func group(of process: UInt32, in rows: [Value]) -> ControlGroup? {
    let row = rows.lazy.compactMap(\.structure).first { $0.count == 3 && $0[1].uint32 == process }
    return row?[0].string.map { ControlGroup(path: $0, program: row?[2].string.flatMap(ProgramName.plain)) }
  }

  private func call(
    _ member: MemberName, _ arguments: [Value], expecting signature: Signature,
    _ handler: @escaping (Result<[Value], CallFailure>) -> Void
  ) {
    let message = Message(calling: member, of: Self.manager, at: Self.path, on: Self.service, arguments)
    message.startsService = false
    connection.call(message, timeout: .never, expecting: signature, handler).keep()
  }

  /// Returns the unit name from its object path, in which every byte except letters and digits is encoded as `_XX`
  /// (hex).
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
