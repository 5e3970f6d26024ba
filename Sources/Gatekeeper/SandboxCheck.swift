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
/// process that cannot be looked up is unverifiable, which counts as sandboxed. So is one that exits before all has
/// been read: its id may belong to another process by then. As in GeoClue, the process that opened the connection
/// counts, even if another process uses it now, and a process that exits later is not checked again.
final class SandboxCheck {
  typealias Handler = (Facts.Confinement, ControlGroup?) -> Void

  /// The maximum number of concurrent checks, each of which holds a file descriptor. The bus allows 128 calls without a
  /// reply for all purposes together.
  private static let parallel = 16
  /// How many of them may be those of one account.
  private static let parallelPerAccount = 8
  /// The pause before a check that the bus or systemd has not answered is repeated.
  private static let pause = Duration.milliseconds(300)
  /// The maximum number of times in which systemd is not on the bus, or does not find a process in its unit, or finds too
  /// many. systemd leaves the bus for about a second when it executes itself again, for example after an update. It reads
  /// the control groups of a unit one after the other, so that a process that moves meanwhile may be in none.
  private static let absences = 12

  private struct Subject {
    let peer: BusName
    let process: UInt32
    let account: Account
    let handler: Handler
    var absences = 0
  }

  private let connection: Connection
  private let processes: UnitProcesses
  private let accountOf: (UInt32) -> Account
  /// Reads `/proc/PID/cgroup`. Replaced in tests.
  private let controlGroup: (UInt32) -> String?
  /// Looks into a process's root directory, or nil if the service may not do that.
  private let root: ((UInt32) -> ProcessRoot)?
  /// Asks the bus for a handle of a connection's process. Replaced in tests.
  private let askForHandle: HandleQuestion
  /// Whether the bus sends handles of processes, or nil until it has been asked about this process.
  private var sendsHandles: Bool?
  /// The number of current checks of each account.
  private var counts: [Account: Int] = [:]
  /// The queued checks of each account, so that no account delays the checks of another.
  private var waiting = TurnQueue<Account, Subject>()
  private var isBeginning = false
  /// The checks without an answer, and the end of the pause.
  private var unanswered: (subjects: [Subject], timer: LoopSource)?

  /// - Parameters:
  ///   - open: Opens another connection to the bus, for long answers.
  ///   - root: Given where the service runs as the user of its clients, so that it can see their files.
  init(
    on connection: Connection,
    openingMore open: (() throws(DBusError) -> Connection)? = nil,
    controlGroup: @escaping (UInt32) -> String? = { SandboxCheck.contents(ofFile: "/proc/\($0)/cgroup") },
    accountOf: @escaping (UInt32) -> Account = { .user($0) },
    root: ((UInt32) -> ProcessRoot)? = nil,
    askForHandle: @escaping HandleQuestion = ProcessHandle.ask
  ) {
    self.connection = connection
    self.root = root
    self.controlGroup = controlGroup
    processes = UnitProcesses(on: connection, openingMore: open)
    self.accountOf = accountOf
    self.askForHandle = askForHandle
  }

  /// Whether a name is that of the connection for long answers.
  func isOurs(_ name: BusName) -> Bool { processes.isOurs(name) }

  /// Calls the handler with the result, immediately if that is possible.
  func check(_ peer: BusName, _ credentials: Credentials, _ handler: @escaping Handler) {
    if credentials.securityLabel?.isSandbox == true { return handler(.sandbox, nil) }
    guard let process = credentials.processID, process > 0 else { return handler(.unverifiable, nil) }
    add(Subject(peer: peer, process: process, account: accountOf(credentials.userID), handler: handler))
    checkNext()
  }

  private func add(_ subject: Subject) { waiting.edit(subject.account) { $0.append(subject) } }

  /// Forgets the checks of a peer that has left and that have not begun.
  func forget(_ peer: BusName) {
    waiting.removeAll { $0.peer == peer }
    unanswered?.subjects.removeAll { $0.peer == peer }
  }

  private func checkNext() {
    // A check may end immediately, which begins the next one.
    guard !isBeginning else { return }
    isBeginning = true
    defer { isBeginning = false }
    while counts.values.reduce(0, +) < Self.parallel,
      let subject = waiting.next({ account, _ in counts[account] ?? 0 < Self.parallelPerAccount ? 0 : nil })
    {
      counts[subject.account, default: 0] += 1
      findHandle(of: subject)
    }
  }

  private func ended(_ subject: Subject) {
    let rest = (counts[subject.account] ?? 0) - 1
    counts[subject.account] = rest > 0 ? rest : nil
  }

  /// Finds the process that opened the connection. Only the bus can tell it from a later process with the same id.
  private func findHandle(of subject: Subject) {
    switch sendsHandles {
    case nil:
      askForHandle(connection.uniqueName, connection) { [weak self] result in
        guard let self else { return }
        switch result {
        case .success(let handle): sendsHandles = handle != nil
        case .failure(.refused): sendsHandles = false
        case .failure(.lost), .failure(.notSent): return repeatLater(subject)
        }
        findHandle(of: subject)
      }
    case false?: readGroup(of: subject, ProcessHandle(of: subject.process))
    case true?:
      askForHandle(subject.peer, connection) { [weak self] result in
        switch result {
        case .success(let handle): self?.readGroup(of: subject, handle)
        case .failure(.refused): self?.finish(subject, .unverifiable)
        case .failure(.lost), .failure(.notSent): self?.repeatLater(subject)
        }
      }
    }
  }

  private func readGroup(of subject: Subject, _ handle: ProcessHandle?) {
    // The process had exited before the bus, or this service, could open a handle to it.
    guard let handle else { return finish(subject, .unverifiable) }
    if let contents = controlGroup(subject.process), let group = ControlGroup(contents: contents) {
      return judge(subject, handle, group)
    }
    processes.controlGroup(of: subject.process, subject.account) { [weak self] result in
      switch result {
      case .success(let group?): self?.judge(subject, handle, group)
      case .success(nil): self?.missed(subject, handle, otherwise: .unverifiable)
      case .failure(.refused(let error)) where error.isAbsence:
        self?.missed(subject, handle, otherwise: .unverifiable)
      // Other programs of the unit decide how long the list is, and may shorten it.
      case .failure(.refused(let error)) where error.name == .limitsExceeded:
        self?.missed(subject, handle, otherwise: .unknown)
      case .failure(.refused): self?.finish(subject, .unverifiable)
      case .failure(.lost), .failure(.notSent): self?.repeatLater(subject)
      }
    }
  }

  /// Repeats a check that may find the process later, unless that has been done often enough.
  private func missed(_ subject: Subject, _ handle: ProcessHandle, otherwise confinement: Facts.Confinement) {
    guard subject.absences < Self.absences, !handle.hasExited else { return finish(subject, confinement) }
    var subject = subject
    subject.absences += 1
    repeatLater(subject)
  }

  /// Decides by everything that has been read, provided that the process still exists.
  private func judge(_ subject: Subject, _ handle: ProcessHandle, _ group: ControlGroup) {
    var confinement = group.isSandbox ? Facts.Confinement.sandbox : .host
    if confinement == .host, let root {
      // Without a user manager, Flatpak starts a program without a separate control group.
      switch root(subject.process) {
      case .host: break
      case .sandbox: confinement = .sandbox
      case .unreadable: confinement = .unverifiable
      }
    }
    if confinement == .host, handle.hasExited { return finish(subject, .unverifiable) }
    finish(subject, confinement, group)
  }

  private func finish(_ subject: Subject, _ confinement: Facts.Confinement, _ group: ControlGroup? = nil) {
    ended(subject)
    subject.handler(confinement, group)
    checkNext()
  }

  private func repeatLater(_ subject: Subject) {
    ended(subject)
    let timer =
      unanswered?.timer
      ?? MainLoop.main.after(Self.pause) { [weak self] in
        guard let self else { return }
        for subject in unanswered?.subjects ?? [] { add(subject) }
        unanswered = nil
        checkNext()
      }
    unanswered = ((unanswered?.subjects ?? []) + [subject], timer)
    checkNext()
  }

  static func contents(ofFile path: String) -> String? {
    var contents: UnsafeMutablePointer<CChar>?
    guard g_file_get_contents(path, &contents, nil, nil) != 0, let contents else { return nil }
    defer { g_free(contents) }
    return String(validatingCString: contents)
  }
}

/// The evidence in a process's root directory.
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
nonisolated struct ProcessHandle {
  private let descriptor: OwnedDescriptor

  init(_ descriptor: OwnedDescriptor) { self.descriptor = descriptor }

  /// Opens the process that has this id now. Returns nil if there is none.
  init?(of process: UInt32) {
    let descriptor = cglib_pidfd_open(pid_t(clamping: process))
    guard descriptor >= 0 else { return nil }
    self.init(OwnedDescriptor(owning: descriptor))
  }

  var hasExited: Bool {
    var state = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) != 0
  }

  /// Asks the bus for the process that opened a connection. A bus that is too old for that (before dbus 1.15.8 and
  /// dbus-broker 36), or that runs on a kernel that is too old, answers without a handle.
  @MainActor static func ask(
    for peer: BusName, on connection: Connection, _ handler: @escaping (Result<ProcessHandle?, CallFailure>) -> Void
  ) {
    let question = Credentials.question(about: peer)
    connection.call(question, timeout: .milliseconds(5_000), expecting: "a{sv}") { result in
      handler(result.map { $0.first?.properties?["ProcessFD"]?.descriptor.map(ProcessHandle.init) })
    }.keep()
  }
}

typealias HandleQuestion =
  @MainActor (
    BusName, Connection, @escaping (Result<ProcessHandle?, CallFailure>) -> Void
  ) -> Void

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
