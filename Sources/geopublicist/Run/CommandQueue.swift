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

  /// How many events may wait for a command that does not end.
  private static let longest = 32

  private var waiting: [Job] = []
  private var running: RunningProgram?
  /// Called when a command has ended, with its status.
  var onEnd: ((Job, Int32) -> Void)?
  /// Called with a message when a command cannot be run.
  var onFailure: ((String) -> Void)?

  var isIdle: Bool { running == nil && waiting.isEmpty }

  func add(_ job: Job) {
    guard waiting.count < Self.longest else {
      onFailure?("\(job.words[0]): \(Self.longest) events are waiting for a command that does not end; one is dropped")
      return
    }
    waiting.append(job)
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
  static func files() -> [String] {
    TextFile.names(in: folder).map { "\(folder)/\($0)" }.filter(isHook)
  }

  private static func isHook(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return status.st_uid == getuid() && status.st_mode & (S_IWGRP | S_IWOTH) == 0 && status.st_mode & S_IXUSR != 0
  }
}
