// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport
import Glibc

/// A locked file in the user's runtime folder that allows only one agent to run, and shows other commands its state.
final class AgentStatusFile {
  private static var path: String { String(cString: g_get_user_runtime_dir()) + "/geopublicist-agent" }
  private let descriptor: Int32

  /// Why there is no file, as a sentence.
  struct Failure: Error { let message: String }

  /// Makes and locks the file. Fails while another agent runs.
  init() throws(Failure) {
    descriptor = open(Self.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Failure(message: "\(Self.path): \(String(cString: g_strerror(errno)))") }
    // A command that reads the file locks it for a moment.
    for _ in 0..<10 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      usleep(1_000)
    }
    throw Failure(message: tr("A geopublicist agent is already running for this user"))
  }

  isolated deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  func write(_ word: String) {
    let bytes = Array(word.utf8)
    // In this order, so that a reader never finds the file empty.
    _ = pwrite(descriptor, bytes, bytes.count, 0)
    ftruncate(descriptor, off_t(bytes.count))
  }

  /// Returns the state that the running agent has written; nil if no agent runs.
  static func read() -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
    return (try? TextFile.contents(of: path)).map { String($0.prefix(64)).printable }
  }
}
