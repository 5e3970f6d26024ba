// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import MainLoop
import MainLoopTasks

/// Measures what a hop to the main actor costs on GLib's loop and on libdispatch alone, what a D-Bus call costs, and how
/// often an idle program wakes up.
///
///     TasksBenchmark             hops, in alternation, and wake-ups
///     TasksBenchmark loop        hops on GLib's loop
///     TasksBenchmark dispatch    hops on libdispatch alone
///     TasksBenchmark handler     calls on the session bus whose reply goes to a handler
///     TasksBenchmark awaited     calls on the session bus that a task awaits
///     TasksBenchmark idle        wake-ups in two seconds without work
///     TasksBenchmark unserved    a task that never begins
@main enum TasksBenchmark {
  static let hops = 100_000

  static func main() {
    switch CommandLine.arguments.dropFirst().first {
    case "loop":
      MainLoop.main.serveTasks()
      Task { await measure() }
      MainLoop.main.run()
    case "handler", "awaited":
      MainLoop.main.serveTasks()
      Task { await CallBenchmark().measure(awaited: CommandLine.arguments[1] == "awaited") }
      MainLoop.main.run()
    case "unserved":
      Task { exit(1) }
      MainLoop.main.run()
    case "dispatch":
      Task { await measure() }
      dispatchMain()
    case "idle":
      MainLoop.main.serveTasks()
      Task {
        // By then, start-up is complete.
        try? await Task.sleep(for: .milliseconds(200))
        let before = contextSwitches()
        try? await Task.sleep(for: .seconds(2))
        // One wake-up is the end of the sleep itself.
        print("wake-ups in 2 s: \(contextSwitches() - before - 1)")
        exit(0)
      }
      MainLoop.main.run()
    default:
      for _ in 0..<5 {
        for mode in ["dispatch", "loop"] { run(mode) }
      }
      run("idle")
    }
  }

  /// Yields, which are one hop each, and detached tasks, which are one hop away and one back.
  static func measure() async {
    for _ in 0..<1000 { await Task.yield() }
    let yields = await cost(of: hops) { await Task.yield() }
    let trips = await cost(of: hops / 10) { await Task.detached {}.value }
    print("\(CommandLine.arguments[1]): yield \(yields), detached task \(trips)")
    exit(0)
  }

  /// Returns the time and the processor time of one repetition.
  static func cost(of count: Int, _ work: () async -> Void) async -> String {
    let processor = processorTime()
    let elapsed = await ContinuousClock().measure { for _ in 0..<count { await work() } }
    return "\(microseconds(elapsed, count)) µs (\(microseconds(processorTime() - processor, count)) µs processor time)"
  }

  static func microseconds(_ duration: Duration, _ count: Int) -> String {
    let hundredths = Int((duration / .microseconds(1)) / Double(count) * 100)
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  static func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// How often the main thread has gone to sleep.
  static func contextSwitches() -> Int {
    var usage = rusage()
    // RUSAGE_THREAD, which Swift does not import.
    getrusage(1, &usage)
    return usage.ru_nvcsw
  }

  static func run(_ mode: String) {
    var child: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(CommandLine.arguments[0]), strdup(mode), nil]
    posix_spawn(&child, "/proc/self/exe", nil, nil, &arguments, environ)
    var status: Int32 = 0
    waitpid(child, &status, 0)
  }
}
