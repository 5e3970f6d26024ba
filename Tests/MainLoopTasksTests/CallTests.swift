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

  /// Runs tasks and the loop until the result is available.
  private func result<Success: Sendable>(of call: Task<Success, any Error>) async throws -> Result<Success, any Error> {
    var result: Result<Success, any Error>?
    Task { result = await call.result }
    try await settle("the result") { result != nil }
    return try #require(result)
  }

  @Test func `an asynchronous call returns its reply`() async throws {
    let message = Message(
      calling: "NameHasOwner", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", on: .bus,
      [.string("org.freedesktop.DBus")])
    let call = Task { try await connection.call(message, expecting: "b") }
    #expect(try await result(of: call).get() == [.boolean(true)])
  }

  @Test func `an asynchronous call throws the error that it receives`() async throws {
    let message = Message(calling: "M", of: "a.b", at: "/", on: "org.example.Nobody")
    let call = Task { try await connection.call(message) }
    let result = try await result(of: call)
    #expect(throws: CallFailure.self) { try result.get() }
  }

  @Test func `a call in a cancelled task is not sent`() async throws {
    let message = Message(calling: "M", of: "a.b", at: "/", on: connection.uniqueName)
    let call = Task { try await connection.call(message, timeout: .never) }
    call.cancel()
    await #expect(throws: CallFailure.notSent(DBusError(.cancelled, "The call was cancelled"))) { try await call.value }
  }

  @Test func `an asynchronous call fails at once if its task is cancelled or this side closes the connection`()
    async throws
  {
    let silent = try Connection(to: .address(bus.address))
    var held: [MethodCall] = []
    let interface = Interface<Counter>("org.example.Silent", [.method("Wait") { _, call in held.append(call) }])
    let owner = Counter()
    let object = silent.objects.export("/silent", Implementation(of: interface, by: owner))
    let message = Message(calling: "Wait", of: "org.example.Silent", at: "/silent", on: silent.uniqueName)
    let first = Task { try await connection.call(message, timeout: .never) }
    let second = Task { try await connection.call(message, timeout: .never) }
    try await settle("the calls have arrived") { held.count == 2 }
    first.cancel()
    let cancelled = try await result(of: first)
    #expect(throws: CallFailure.lost(DBusError(.cancelled, "The call was cancelled"))) { try cancelled.get() }
    connection.close()
    let closed = try await result(of: second)
    #expect(throws: CallFailure.lost(DBusError(.disconnected, "The connection was closed by this program"))) {
      try closed.get()
    }
    withExtendedLifetime((owner, object)) {}
  }

  /// An object with a member of every kind that a proxy supports.
  private final class Counter {
    var count: Int32 = 0
    static let interface = Interface<Counter>(
      "org.example.Counter",
      [
        .method("Add", in: ["number": "i"], out: ["count": "i"]) { counter, call in
          counter.count &+= call.arguments[0].int32 ?? 0
          call.reply(.int32(counter.count))
        },
        .signal("Added", ["number": "i"]),
        .property(
          "Count", "i", emits: .changed,
          write: { counter, value, call in
            counter.count = value.int32 ?? 0
            call.reply()
          }
        ) { .int32($0.count) },
      ])
  }

  private func withCounter(_ body: (Counter, ExportedObject, Proxy) async throws -> Void) async throws {
    let service = try Connection(to: .address(bus.address))
    let counter = Counter()
    let object = service.objects.export("/counter", Implementation(of: Counter.interface, by: counter))
    let proxy = Proxy(
      on: connection, destination: service.uniqueName, path: "/counter", interface: "org.example.Counter")
    try await body(counter, object, proxy)
  }

  @Test func `a proxy calls methods and accesses properties asynchronously`() async throws {
    try await withCounter { counter, _, proxy in
      let numbers = Task {
        let sum = try await proxy.call("Add", 2, expecting: "i")
        try await proxy.set("Count", to: 40)
        return try await [sum[0], proxy.get("Count"), proxy.getAll()["Count"] ?? 0]
      }
      #expect(try await result(of: numbers).get() == [.int32(2), .int32(40), .int32(40)])
      let failure = Task { () throws -> CallFailure? in
        do throws(CallFailure) { _ = try await proxy.get("Unheard") } catch { return error }
        return nil
      }
      #expect(try await result(of: failure).get()?.error.name == .unknownProperty)
      let invalid = Task { try await proxy.call("Add", "a\0b") }
      let refused = try await result(of: invalid)
      #expect(throws: CallFailure.notSent(DBusError(.invalidArgs, "A string cannot contain a NUL character"))) {
        try refused.get()
      }
    }
  }

  @Test func `a loop over signals receives every signal and ends when its task is cancelled`() async throws {
    try await withCounter { _, object, proxy in
      var seen: [Int32] = []
      var hasEnded = false
      let task = Task {
        for await signal in proxy.signals("Added") { seen += [signal.arguments[0].int32 ?? 0] }
        hasEnded = true
      }
      try await settle("the subscription") {
        object.emit("Added", of: "org.example.Counter", 0)
        return !seen.isEmpty
      }
      for number in 1...5 { object.emit("Added", of: "org.example.Counter", .int32(Int32(number))) }
      try await settle("five more") { seen.suffix(5) == [1, 2, 3, 4, 5] }
      task.cancel()
      try await settle("the end") { hasEnded }
    }
  }

  @Test func `publishers of signals and properties send nothing after they are cancelled`() async throws {
    try await withCounter { counter, object, proxy in
      var (signals, values): ([Int32], [Int32]) = ([], [])
      var subscriptions: Set<AnyCancellable> = []
      proxy.publisher(for: "Added").compactMap { $0.arguments[0].int32 }.sink { signals.append($0) }
        .store(in: &subscriptions)
      proxy.propertyPublisher("Count").compactMap(\.int32).sink { values.append($0) }.store(in: &subscriptions)
      try await settle("the current value") { values == [0] }
      counter.count = 7
      object.propertyChanged("Count", of: "org.example.Counter")
      object.emit("Added", of: "org.example.Counter", 7)
      try await settle("the change") { values == [0, 7] && signals == [7] }
      subscriptions = []
      object.emit("Added", of: "org.example.Counter", 8)
      object.propertyChanged("Count", of: "org.example.Counter")
      let last = Task { try await proxy.call("Add", 1) }
      _ = try await result(of: last).get()
      #expect(values == [0, 7] && signals == [7])
    }
  }
}
