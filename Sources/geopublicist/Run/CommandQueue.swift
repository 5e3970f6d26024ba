// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

/// Runs the user's commands for events, one after the other, so that no command overtakes an earlier one.
final class CommandQueue {
  /// A command and the variables for its environment.
  struct Job {
    let words: [String]
    let environment: [(String, String)]
  }

  /// How many commands may wait for one that does not end before the next event is discarded.
  private static let longest = 32

  private var waiting: [Job] = []
  private var running: RunningProgram?
  /// Called when a command has ended, with its status.
  var onEnd: ((Job, Int32) -> Void)?
  /// Called with a message when a command cannot be run.
  var onFailure: ((String) -> Void)?

  var isIdle: Bool { running == nil && waiting.isEmpty }

  /// Adds the commands of one event.
  func add(_ jobs: [Job]) {
    guard let first = jobs.first else { return }
    guard waiting.count < Self.longest else {
      onFailure?(
        tr("\(first.words[0]): \(Self.longest) events are waiting for a command that does not end; one is discarded"))
      return
    }
    waiting += jobs
    runNext()
  }

  /// Asks the running command to end and forgets the others.
  func end() {
    waiting = []
    running?.end()
  }

  private func runNext() {
    guard running == nil, let job = waiting.first else { return }
    waiting.removeFirst()
    running = RunningProgram(job.words, environment: job.environment) { [weak self] status in
      self?.running = nil
      self?.onEnd?(job, status)
      self?.runNext()
    }
    guard running == nil else { return }
    onFailure?("\(job.words[0]): \(String(cString: strerror(errno)))")
    runNext()
  }
}

/// The user's hooks: executable files in one folder, which run in the order of their names.
enum Hooks {
  static let folder = UserFile.folder + "/hooks.d"

  /// Returns the hooks to run now: executable files that belong to this user and that no other user can write.
  static func files() -> [String] { all.filter { problem(of: $0) == nil } }

  /// Returns a sentence for each file that is not run, or one about a missing folder.
  static func complaints() -> [String] {
    guard TextFile.exists(folder) else { return [tr("There is no folder \(folder)")] }
    return all.compactMap { path in problem(of: path).map { tr("\(path) is skipped: \($0)") } }
  }

  private static var all: [String] { TextFile.names(in: folder).map { "\(folder)/\($0)" } }

  private static func problem(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return String(cString: strerror(errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else { return tr("it is not a file") }
    if status.st_uid != getuid() { return tr("it belongs to another user") }
    if status.st_mode & (S_IWGRP | S_IWOTH) != 0 { return tr("other users can write to it") }
    return status.st_mode & S_IXUSR == 0 ? tr("it is not executable") : nil
  }
}
