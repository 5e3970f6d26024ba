// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A process started by a test. Its output is written to files, so that it never waits for a reader.
///
/// It is killed, with its whole process group, when the last reference is released, and by the kernel when this process
/// ends for any reason.
public final class ChildProcess {
  public nonisolated enum Exit: Equatable, Sendable {
    case status(Int32)
    case signal(Int32)
  }

  /// The inherited part of the environment. The rest could make a child use the machine's own buses.
  private static let inherited = [
    "PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE",
    "BUS_BROKER",
  ]

  public let name: String
  public let processIdentifier: pid_t
  private let directory = TemporaryDirectory()
  private var standardInput: FileHandle?
  private var exit: Exit?
  private var position = 0

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The program, searched in `PATH`, and its arguments.
  ///   - environment: Added to a minimal one.
  ///   - user: The user to run as; only root may choose.
  public init(_ arguments: [String], environment: [String: String] = [:], as user: uid_t? = nil) throws {
    name = arguments.prefix(3).map { ($0 as NSString).lastPathComponent }.joined(separator: " ")
    var kept = [
      "G_DEBUG": "fatal-criticals", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8",
    ]
    for variable in Self.inherited { kept[variable] = ProcessInfo.processInfo.environment[variable] }
    kept.merge(environment) { _, new in new }

    var leash = ["setpriv", "--pdeathsig=KILL"]
    if let user { leash += ["--reuid=\(user)", "--regid=\(user)", "--clear-groups"] }

    // This is not Foundation's Pipe, because the next child would inherit it, and closing this end would not end the
    // first one's input.
    var input: [Int32] = [-1, -1]
    guard pipe(&input) == 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EMFILE) }
    for end in input { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    standardInput = FileHandle(fileDescriptor: input[1], closeOnDealloc: true)
    let output = open(directory.file("stdout"), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o644)
    let errors = open(directory.file("stderr"), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o644)
    defer {
      close(input[0])
      close(output)
      close(errors)
    }
    processIdentifier = try Spawner.shared.spawn(
      Spawner.Request(
        arguments: leash + ["--"] + arguments, environment: kept.map { "\($0)=\($1)" },
        standardInput: input[0], standardOutput: output, standardError: errors))
  }

  /// Starts a program, and waits until it prints "ready".
  public static func ready(
    _ arguments: [String], as user: uid_t? = nil, within limit: Duration = .seconds(60)
  ) throws -> ChildProcess {
    let process = try ChildProcess(arguments, as: user)
    try eventually("\(process.name) is ready", within: limit, seen: process.standardError) {
      process.standardOutput.contains("ready")
    }
    return process
  }

  isolated deinit { kill() }

  public var standardOutput: String { contents(of: "stdout") }
  public var standardError: String { contents(of: "stderr") }
  public var output: String { standardOutput + standardError }

  /// The complete lines of standard output that no earlier call has returned.
  public func newLines() -> [String] {
    let unread = contents(of: directory.file("stdout"), from: position)
    guard let end = unread.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    position += end + 1
    return String(decoding: unread[..<end], as: UTF8.self).components(separatedBy: "\n")
  }

  public func send(_ line: String, terminator: String = "\n") throws {
    try standardInput?.write(contentsOf: Data((line + terminator).utf8))
  }

  public func closeStandardInput() {
    try? standardInput?.close()
    standardInput = nil
  }

  public var exited: Exit? {
    if exit == nil {
      var status: Int32 = 0
      guard waitpid(processIdentifier, &status, WNOHANG) == processIdentifier else { return nil }
      let signal = status & 0x7f
      exit = signal == 0 ? .status((status >> 8) & 0xff) : .signal(signal)
    }
    return exit
  }

  /// Sends the process a signal, if it is still running.
  public func signal(_ number: Int32) {
    guard exited == nil else { return }
    _ = Glibc.kill(processIdentifier, number)
  }

  /// Waits for the end of the process.
  ///
  /// - Throws: `DeadlineExceeded`, with its output.
  public func waitForExit(within limit: Duration = .seconds(10)) throws -> Exit {
    try eventual("\(name) ends", within: limit, seen: output) { exited }
  }

  public func kill() {
    closeStandardInput()
    guard exited == nil else { return }
    _ = Glibc.kill(-processIdentifier, SIGKILL)
    _ = Glibc.kill(processIdentifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(processIdentifier, &status, 0) == -1, errno == EINTR {}
    exit = .signal(SIGKILL)
  }

  private func contents(of file: String) -> String {
    String(decoding: contents(of: directory.file(file), from: 0), as: UTF8.self)
  }

  private func contents(of path: String, from start: Int) -> Data {
    guard let file = FileHandle(forReadingAtPath: path), (try? file.seek(toOffset: UInt64(start))) != nil else {
      return Data()
    }
    return (try? file.readToEnd()) ?? Data()
  }
}

public nonisolated struct CommandResult: Sendable {
  public let exit: ChildProcess.Exit
  public let standardOutput: String
  public let standardError: String

  public var succeeded: Bool { exit == .status(0) }
}

/// Runs a program until it exits.
///
/// - Throws: `DeadlineExceeded` if it does not end in time; the program is then killed.
public func run(
  _ arguments: [String], environment: [String: String] = [:], as user: uid_t? = nil,
  within limit: Duration = .seconds(20)
) throws -> CommandResult {
  let process = try ChildProcess(arguments, environment: environment, as: user)
  process.closeStandardInput()
  let exit = try process.waitForExit(within: limit)
  return CommandResult(exit: exit, standardOutput: process.standardOutput, standardError: process.standardError)
}
