// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop
import MainLoopTasks

enum CounterClient {
  /// With handlers: the watch survives restarts of the service.
  static func watch(on connection: Connection) {
    let counter = Proxy(
      on: connection, destination: "org.example.Counter", path: "/org/example/Counter",
      interface: "org.example.Counter")
    let watch = counter.onProperties { properties in
      if let count = properties["Count"]?.uint32 { print("count \(count)") }
    }
    counter.call("Increase", .uint32(2), expecting: "u") { result in
      if case .failure(let failure) = result { print(failure.error.message) }
    }
    MainLoop.main.run()
    withExtendedLifetime(watch) {}
  }

  /// With a task: cancelling it gives up the call.
  static func increase(on connection: Connection) async throws -> UInt32 {
    let counter = CounterProxy(on: connection, destination: "org.example.Counter", path: "/org/example/Counter")
    return try await counter.increase(by: 40)
  }
}
