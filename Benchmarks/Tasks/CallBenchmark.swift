// SPDX-License-Identifier: Apache-2.0
import Glibc
import MainLoopTasks

/// Consecutive calls that the bus itself answers, as in `Benchmarks/driver/sdbus.c`.
final class CallBenchmark {
  private static let count = 20_000
  private let connection: Connection

  init() {
    do { connection = try Connection(to: .session) } catch { exit(1) }
  }

  /// Prints the processor time of a call in microseconds. The first calls are not counted.
  func measure(awaited: Bool) async {
    await repeatCall(Self.count / 10, awaited)
    let before = TasksBenchmark.processorTime()
    await repeatCall(Self.count, awaited)
    print(TasksBenchmark.microseconds(TasksBenchmark.processorTime() - before, Self.count))
    exit(0)
  }

  private func repeatCall(_ count: Int, _ awaited: Bool) async {
    guard awaited else {
      return await withCheckedContinuation { done in handle(count) { done.resume() } }
    }
    for _ in 0..<count {
      do { _ = try await connection.call(request(), expecting: "b") } catch { exit(1) }
    }
  }

  private func handle(_ left: Int, then done: @escaping () -> Void) {
    guard left > 0 else { return done() }
    connection.call(request(), expecting: "b") { [self] result in
      guard case .success = result else { exit(1) }
      handle(left - 1, then: done)
    }
    .keep()
  }

  private func request() -> Message { Message(callingBus: "NameHasOwner", [.string("org.freedesktop.DBus")]) }
}
