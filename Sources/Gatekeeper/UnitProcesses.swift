// SPDX-License-Identifier: Apache-2.0
import DBus

/// Asks systemd for the control group of a process, for a service that cannot read other processes in /proc.
///
/// `GetUnitByPID` returns the unit, which is only `user@UID.service` for most programs in a user's session.
/// `GetUnitProcesses` returns the control group of each process in that unit. systemd answers both calls for every
/// caller.
final class UnitProcesses {
  private static let service: BusName = "org.freedesktop.systemd1"
  private static let path: ObjectPath = "/org/freedesktop/systemd1"
  private static let manager: InterfaceName = "org.freedesktop.systemd1.Manager"
  /// The maximum number of concurrent lookups. The bus allows 128 calls without a reply for all purposes together.
  private static let parallel = 16

  private let connection: Connection
  private var count = 0
  private var waiting: [UInt32: [(process: UInt32, handler: (ControlGroup?) -> Void)]] = [:]
  /// The users with queued lookups, in the order of their turns, so that none delays another's.
  private var turns: [UInt32] = []

  init(on connection: Connection) { self.connection = connection }

  /// Calls the handler with the control group of a user's process, or nil if systemd does not know the process.
  func controlGroup(of process: UInt32, user: UInt32, _ handler: @escaping (ControlGroup?) -> Void) {
    if waiting[user] == nil { turns.append(user) }
    waiting[user, default: []].append((process, handler))
    sendNext()
  }

  private func sendNext() {
    while count < Self.parallel, let user = turns.first, let lookup = waiting[user]?.removeFirst() {
      turns.removeFirst()
      if waiting[user]?.isEmpty == true { waiting[user] = nil } else { turns.append(user) }
      count += 1
      lookUp(lookup.process) { [weak self] group in
        self?.count -= 1
        lookup.handler(group)
        self?.sendNext()
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
