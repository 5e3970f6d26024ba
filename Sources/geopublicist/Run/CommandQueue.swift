// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Glibc

/// Runs commands for events, one after the other.
final class CommandQueue {
  /// What a command is told, without a coordinate unless the user asked for it.
  struct Job {
    let words: [String]
    let environment: [(String, String)]
  }

  /// A command that hangs must not collect events for ever.
  private static let longest = 32

  private var waiting: [Job] = []
  private var running: RunningProgram?
  /// Called when a command has ended, with its status.
  var onEnd: ((Job, Int32) -> Void)?
  var onFailure: ((String) -> Void)?

  func add(_ job: Job) {
    guard waiting.count < Self.longest else {
      onFailure?("\(job.words[0]): too many events wait for commands that have not ended; this one is dropped")
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

  /// The environment of a command.
  static func environment(_ event: String, _ place: String, _ location: Location? = nil) -> [(String, String)] {
    var variables = [("GEOPUBLICIST_EVENT", event), ("GEOPUBLICIST_PLACE", place)]
    if let location {
      variables.append(("GEOPUBLICIST_LATITUDE", Number.fixed(location.latitude, LocationText.digits)))
      variables.append(("GEOPUBLICIST_LONGITUDE", Number.fixed(location.longitude, LocationText.digits)))
      if let accuracy = location.accuracy { variables.append(("GEOPUBLICIST_ACCURACY", Number.short(accuracy, 1))) }
    }
    return variables
  }
}
