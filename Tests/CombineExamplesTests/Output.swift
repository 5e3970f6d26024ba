// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation

/// Replaces standard output: collects an example's lines from any thread.
final class Output: TextOutputStream, @unchecked Sendable {
  private let lock = NSLock()
  private var text = ""

  /// The counterpart of `print`.
  func print(_ items: Any...) {
    write(items.map { "\($0)" }.joined(separator: " ") + "\n")
  }

  func write(_ string: String) {
    lock.withLock { text += string }
  }

  var lines: [String] {
    let text = lock.withLock { self.text }
    return text.isEmpty ? [] : text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// All lines, joined as in the tutorials' comments.
  var joined: String { lines.joined(separator: " / ") }
}

extension RunLoop {
  /// Runs the loop until `condition` holds or 30 seconds have passed.
  func run(until condition: () -> Bool) {
    let deadline = Date(timeIntervalSinceNow: 30)
    while !condition(), Date() < deadline {
      _ = run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
  }
}

/// Runs `body` on a thread with its own run loop. In a test run the loop of the main thread does not run.
func onRunLoop<Value>(_ body: @escaping (RunLoop) -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: body(RunLoop.current)) }.start()
  }
}

/// A value that identifies the main queue. On Linux a test run serves the queue from changing threads, so
/// `Thread.isMainThread` is meaningless.
enum MainQueue {
  private static let key = DispatchSpecificKey<Bool>()
  private static let marked: Void = DispatchQueue.main.setSpecific(key: key, value: true)

  /// Whether this is running on the main queue.
  static var isCurrent: Bool {
    _ = marked
    return DispatchQueue.getSpecific(key: key) == true
  }
}

/// Yields to other threads and the main queue until `condition` holds or 30 seconds have passed.
func wait(until condition: () -> Bool) async {
  let deadline = Date(timeIntervalSinceNow: 30)
  while !condition(), Date() < deadline {
    try? await Task.sleep(nanoseconds: 1_000_000)
  }
}
