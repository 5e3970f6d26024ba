// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import MainLoop
import MainLoopTasks
import Testing

@Suite struct CallTests {
  private let bus: PrivateBus
  private let connection: Connection

  init() throws {
    bus = try PrivateBus(.session)
    connection = try Connection(to: .address(bus.address))
  }

  /// Runs tasks and the loop until the result is there.
  private func result(of call: Task<[Value], any Error>) async throws -> Result<[Value], any Error> {
    var result: Result<[Value], any Error>?
    Task { result = await call.result }
    let deadline = ContinuousClock.now + .seconds(10)
    while true {
      if let result { return result }
      guard ContinuousClock.now < deadline else { throw DeadlineExceeded("the result", within: .seconds(10)) }
      MainLoop.main.iterate()
      await Task.yield()
    }
  }

  @Test func `a call returns its reply`() async throws {
    let message = try Message(
      calling: "NameHasOwner", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", on: .bus,
      [.string("org.freedesktop.DBus")])
    let call = Task { try await connection.call(message, expecting: "b") }
    #expect(try await result(of: call).get() == [.boolean(true)])
  }

  @Test func `a call throws the error of the other side`() async throws {
    let message = try Message(calling: "M", of: "a.b", at: "/", on: "org.example.Nobody")
    let call = Task { try await connection.call(message) }
    let result = try await result(of: call)
    #expect(throws: CallFailure.self) { try result.get() }
  }

  @Test func `a cancelled task makes no call`() async throws {
    let message = try Message(calling: "M", of: "a.b", at: "/", on: connection.uniqueName)
    let call = Task { try await connection.call(message, timeout: .never) }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }
}
