// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop
import MainLoopTasks

/// Runs the programs that the articles of the documentation show.
///
///     articles-example combine | counter ADDRESS | watch ADDRESS | increase ADDRESS | follow ADDRESS
@main enum Articles {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "combine": runCombine()
    case "counter": try CounterService().run(on: connection(arguments))
    case "watch": CounterClient.watch(on: try connection(arguments))
    case "increase":
      let connection = try connection(arguments)
      MainLoop.main.serveTasks()
      Task {
        do { print(try await CounterClient.increase(on: connection)) } catch { print(error) }
        MainLoop.main.quit()
      }
      MainLoop.main.run()
    case "follow":
      MainLoop.main.serveTasks()
      Task {
        await Follow.follow(on: .address(arguments.last ?? ""))
        MainLoop.main.quit()
      }
      MainLoop.main.run()
    default:
      print("usage: articles-example combine | counter ADDRESS | watch ADDRESS | increase ADDRESS | follow ADDRESS")
    }
  }

  private static func connection(_ arguments: ArraySlice<String>) throws -> Connection {
    try Connection(to: .address(arguments.last ?? ""))
  }

  private static func runCombine() {
    MainLoop.main.serveTasks()
    let search = Search()
    search.text = "Ber"
    search.text = "Berlin"
    search.change("town")
    var session: Session? = Session(search) { print("the session has ended") }
    withExtendedLifetime(session) {}
    session = nil
    let decoding = search.decode().sink(
      receiveCompletion: { _ in }, receiveValue: { print("decoded \($0)") })
    Task {
      print("answer \(await search.answer().value)")
      while search.log.count < 6 { try await Task.sleep(for: .milliseconds(20)) }
      for line in search.log { print(line) }
      MainLoop.main.quit()
    }
    MainLoop.main.run()
    withExtendedLifetime(decoding) {}
  }
}
