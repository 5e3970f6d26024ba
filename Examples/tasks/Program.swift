// SPDX-License-Identifier: Apache-2.0
import MainLoop
import MainLoopTasks
import Publishing

/// Tasks on GLib's main loop: a view model that computes elsewhere, and a loop over the values of a publisher. Prints
/// the events in order, and ends.
@main enum Program {
  static func main() {
    MainLoop.main.serveTasks()
    Task { await work() }
    print("the loop runs")
    MainLoop.main.run()
    print("the loop has ended")
  }

  static func work() async {
    print("a task on the main actor")
    print("computed elsewhere: \(await sum(upTo: 100))")
    try? await Task.sleep(for: .milliseconds(10))
    print("slept")

    let ticks = MainLoop.main.timerPublisher(every: 0.01).autoconnect().scan(0) { count, _ in count + 1 }
    for await tick in ticks.values {
      print("tick \(tick)")
      if tick == 3 { break }
    }

    let endless = PassthroughSubject<Int, Never>()
    let reader = Task {
      for await value in endless.handleEvents(receiveCancel: { print("the subscription is cancelled") }).values {
        print("value \(value)")
      }
    }
    await Task.yield()
    endless.send(1)
    await Task.yield()
    reader.cancel()
    await reader.value
    MainLoop.main.quit()
  }

  /// Runs on another thread.
  @concurrent nonisolated static func sum(upTo limit: Int) async -> Int { (1...limit).reduce(0, +) }
}
