// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCGLib
import GeopublicistLocationModel
import Glibc
import MainLoop

/// Determines whether a connection's process runs in a Flatpak or a Snap.
///
/// The security label comes from the bus and cannot be forged. Without a decisive label, the control group decides. It
/// is read from /proc, or requested from systemd where /proc hides other users' processes from a hardened service. A
/// process that cannot be looked up is unverifiable, which counts as sandboxed. So is one that exits before all has been
/// read: its id may belong to another process by then. As in GeoClue, the process that opened the connection counts, even
/// if another process uses it now, and one that exits after the check is not checked again.
final class SandboxCheck {
  typealias Handler = (Facts.Confinement, ControlGroup?) -> Void

  private let connection: Connection
  private let processes: UnitProcesses
  private let accountOf: (UInt32) -> Account
  /// Reads `/proc/PID/cgroup`. Replaced in tests.
  private let controlGroup: (UInt32) -> String?
  /// Looks into a process's root directory, or nil if the service may not do that.
  private let root: ((UInt32) -> ProcessRoot)?

  /// - Parameter root: Given where the service runs as the user of its clients, so that it can see their files.
  init(
    on connection: Connection,
    controlGroup: @escaping (UInt32) -> String? = { SandboxCheck.contents(ofFile: "/proc/\($0)/cgroup") },
    accountOf: @escaping (UInt32) -> Account = { .user($0) },
    root: ((UInt32) -> ProcessRoot)? = nil
  ) {
    self.connection = connection
    self.root = root
    self.controlGroup = controlGroup
    processes = UnitProcesses(on: connection)
    self.accountOf = accountOf
  }

  /// Calls the handler with the result, immediately if /proc is readable.
  func check(_ peer: BusName, _ credentials: Credentials, _ handler: @escaping Handler) {
    if credentials.securityLabel?.isSandbox == true { return handler(.sandbox, nil) }
    guard let process = credentials.processID, process > 0 else { return handler(.unverifiable, nil) }
    let handle = ProcessHandle(of: process)
    if let contents = controlGroup(process), let group = ControlGroup(contents: contents) {
      return judge(process, handle, group, handler)
    }
    processes.controlGroup(of: process, for: accountOf(credentials.userID)) { [weak self] group in
      self?.judge(process, handle, group, handler)
    }
  }

  /// Decides by everything that has been read, provided that the process still exists.
  private func judge(_ process: UInt32, _ handle: ProcessHandle?, _ group: ControlGroup?, _ handler: Handler) {
    guard let group else { return handler(.unverifiable, nil) }
    var confinement = group.isSandbox ? Facts.Confinement.sandbox : .host
    if confinement == .host, let root {
      // Without a user manager, Flatpak starts a program without a control group of its own.
      switch root(process) {
      case .host: break
      case .sandbox: confinement = .sandbox
      case .unreadable: confinement = .unverifiable
      }
    }
    if confinement == .host, handle?.hasExited == true { return handler(.unverifiable, nil) }
    handler(confinement, group)
  }

  static func contents(ofFile path: String) -> String? {
    var contents: UnsafeMutablePointer<CChar>?
    guard g_file_get_contents(path, &contents, nil, nil) != 0, let contents else { return nil }
    defer { g_free(contents) }
    return String(validatingCString: contents)
  }
}

/// What a process's root directory says.
nonisolated enum ProcessRoot: Sendable {
  case host
  /// Flatpak created it.
  case sandbox
  case unreadable

  /// Looks for Flatpak's description of the sandbox, as the desktop portal does.
  init(of process: UInt32) { self.init(at: "/proc/\(process)/root") }

  init(at path: String) {
    let root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard root >= 0 else {
      self = .unreadable
      return
    }
    defer { close(root) }
    var status = stat()
    self =
      fstatat(root, ".flatpak-info", &status, AT_SYMLINK_NOFOLLOW) == 0
      ? .sandbox : errno == ENOENT ? .host : .unreadable
  }
}

/// A process, which keeps its identity after its id has been given to another one.
nonisolated final class ProcessHandle {
  private let descriptor: Int32

  /// Opens the process that has this id now. Returns nil if there is none, or the kernel has no such handles.
  init?(of process: UInt32) {
    descriptor = cglib_pidfd_open(pid_t(clamping: process))
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  var hasExited: Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) != 0
  }
}

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
  /// The pause before a lookup that systemd has not answered is repeated, in milliseconds.
  private static let pause: Int64 = 300

  private struct Lookup {
    let process: UInt32
    let account: Account
    let handler: (ControlGroup?) -> Void
  }

  private let connection: Connection
  private var count = 0
  /// The queued lookups of each account, so that none delays another's.
  private var waiting = TurnQueue<Account, Lookup>()
  /// The lookups without an answer, and the end of the pause.
  private var unanswered: (lookups: [Lookup], timer: LoopSource)?

  init(on connection: Connection) { self.connection = connection }

  /// Calls the handler with the control group of a process, or nil if systemd does not know the process.
  func controlGroup(of process: UInt32, for account: Account, _ handler: @escaping (ControlGroup?) -> Void) {
    add(Lookup(process: process, account: account, handler: handler))
    sendNext()
  }

  private func add(_ lookup: Lookup) { waiting.edit(lookup.account) { $0.append(lookup) } }

  private func sendNext() {
    while count < Self.parallel, let lookup = waiting.next() {
      count += 1
      lookUp(lookup.process) { [weak self] result in
        self?.count -= 1
        switch result {
        case .success(let group): lookup.handler(group)
        case .failure(.refused): lookup.handler(nil)
        // systemd has not said anything about the process.
        case .failure(.lost), .failure(.notSent): self?.repeatLater(lookup)
        }
        self?.sendNext()
      }
    }
  }

  private func repeatLater(_ lookup: Lookup) {
    let timer =
      unanswered?.timer
      ?? MainLoop.main.after(milliseconds: Self.pause) { [weak self] in
        guard let self else { return }
        for lookup in unanswered?.lookups ?? [] { add(lookup) }
        unanswered = nil
        sendNext()
      }
    unanswered = ((unanswered?.lookups ?? []) + [lookup], timer)
  }

  private func lookUp(_ process: UInt32, _ handler: @escaping (Result<ControlGroup?, CallFailure>) -> Void) {
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
    do throws(DBusError) {
      let message = try Message(calling: member, of: Self.manager, at: Self.path, on: Self.service, arguments)
      message.startsService = false
      connection.call(message, timeout: .never, expecting: signature, handler).keep()
    } catch { handler(.failure(.refused(error))) }
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

/// Cleans up a program's name for display in a dialog. Programs choose their names freely, so no decision depends on
/// it.
nonisolated enum ProgramName {
  private static let longest = 48
  /// Characters that could end the quotation around the name or act as markup in a dialog.
  private static let forbidden = Set("\"'“”‘’«»<>&$\\".unicodeScalars)

  /// Returns the name from a command line or from the kernel's process name, without folder or line breaks, or nil if
  /// nothing remains.
  static func plain(_ commandLine: String) -> String? {
    let words = commandLine.prefix(1_024).split(whereSeparator: \.isWhitespace)
    guard let first = words.first else { return nil }
    let program = first.split(separator: "/").last ?? first
    let name = ([program] + words.dropFirst()).joined(separator: " ")
    let kept = name.unicodeScalars.filter { $0.isPrintable && !forbidden.contains($0) }
    let text = String(String.UnicodeScalarView(kept))
    guard !text.isEmpty else { return nil }
    return text.count <= longest ? text : text.prefix(longest) + "…"
  }
}
