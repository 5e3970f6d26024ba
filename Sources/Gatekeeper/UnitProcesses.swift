// SPDX-License-Identifier: Apache-2.0
import DBus

/// Asks systemd for the control group of a process, for a service that cannot read other processes in /proc.
///
/// `GetUnitByPID` returns the unit, which for most programs in a user's session is just `user@UID.service`.
/// `GetUnitProcesses` returns the control group of each process in that unit. systemd answers both calls for every
/// caller.
///
/// The list contains every command line, so the users of a unit decide how long it is. One list at a time is requested,
/// on a connection of its own, which one that is too long ends. Accounts take turns, and a list answers all questions
/// about its unit that were asked before it was requested.
final class UnitProcesses {
  private static let service: BusName = "org.freedesktop.systemd1"
  private static let path: ObjectPath = "/org/freedesktop/systemd1"
  private static let manager: InterfaceName = "org.freedesktop.systemd1.Manager"

  /// The longest list. `xargs` alone may run dozens of commands of 128 KiB.
  private static let longestList = 8 << 20

  private struct Question {
    let number: UInt64
    let process: UInt32
    let unit: String
    let handler: (Result<ControlGroup?, CallFailure>) -> Void
  }

  private let connection: Connection
  private let open: (() throws(DBusError) -> Connection)?
  private var lists: Connection?
  private var questions = TurnQueue<Account, Question>()
  private var lastNumber: UInt64 = 0
  private var isAsking = false

  /// - Parameter open: Opens another connection for lists; nil to request them on the same one.
  init(on connection: Connection, openingMore open: (() throws(DBusError) -> Connection)?) {
    (self.connection, self.open) = (connection, open)
  }

  /// Whether a name is that of the connection for lists.
  func isOurs(_ name: BusName) -> Bool { lists?.uniqueName == name }

  /// Calls the handler with the control group of a process of an account, or nil if systemd does not know the process.
  func controlGroup(
    of process: UInt32, _ account: Account, _ handler: @escaping (Result<ControlGroup?, CallFailure>) -> Void
  ) {
    call("GetUnitByPID", [.uint32(process)], on: connection, expecting: "o") { [weak self] result in
      guard let self, case .success(let values) = result,
        let unit = values.first?.objectPath.flatMap(Self.unitName)
      else { return handler(result.map { _ in nil }) }
      lastNumber += 1
      let question = Question(number: lastNumber, process: process, unit: unit, handler: handler)
      questions.edit(account) { $0.append(question) }
      askNext()
    }
  }

  private func askNext() {
    guard !isAsking, let question = questions.next() else { return }
    isAsking = true
    let newest = lastNumber
    do throws(DBusError) {
      let lists = try listConnection()
      call("GetUnitProcesses", [.string(question.unit)], on: lists, expecting: "a(sus)") { [weak self] result in
        var rows = result.map { $0.first?.array ?? [] }
        if case .failure(.lost(let error)) = result, lists.isJoined, !lists.isConnected {
          rows = .failure(.refused(DBusError(.limitsExceeded, error.message)))
        }
        self?.answered(question, newest, rows)
      }
    } catch { answered(question, newest, .failure(.notSent(error))) }
  }

  private func listConnection() throws(DBusError) -> Connection {
    guard let open else { return connection }
    if let lists, lists.isConnected { return lists }
    let lists = try open()
    lists.largestMessage = 32 << 20
    self.lists = lists
    return lists
  }

  private func answered(_ question: Question, _ newest: UInt64, _ rows: Result<[Value], CallFailure>) {
    let isAnswered = { (other: Question) in other.unit == question.unit && other.number <= newest }
    let others = questions.elements.filter(isAnswered)
    questions.removeAll(where: isAnswered)
    isAsking = false
    for question in [question] + others {
      if case .failure(.refused(let error)) = rows, error.name == .limitsExceeded,
        let group = Self.group(of: question.unit)
      {
        question.handler(.success(group))
      } else {
        question.handler(rows.map { Self.group(of: question.process, in: $0) })
      }
    }
    askNext()
  }

  /// Returns the group of a unit that contains no sandboxes of users, as a user's manager does.
  private static func group(of unit: String) -> ControlGroup? {
    if unit.hasPrefix("session-") { return ControlGroup(path: "user-.slice/\(unit)") }
    return unit.hasSuffix(".service") && !unit.hasPrefix("user@") ? ControlGroup(path: unit) : nil
  }

  private static func group(of process: UInt32, in rows: [Value]) -> ControlGroup? {
    let row = rows.lazy.compactMap(\.structure).first { $0.count == 3 && $0[1].uint32 == process }
    return row?[0].string.map { ControlGroup(path: $0, program: row?[2].string.flatMap(ProgramName.plain)) }
  }

  private func call(
    _ member: MemberName, _ arguments: [Value], on connection: Connection, expecting signature: Signature,
    _ handler: @escaping (Result<[Value], CallFailure>) -> Void
  ) {
    let message = Message(calling: member, of: Self.manager, at: Self.path, on: Self.service, arguments)
    message.startsService = false
    let budget = ReadBudget(bytes: Self.longestList, values: 1 << 18)
    connection.call(message, timeout: .never, expecting: signature, within: budget, handler).keep()
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
