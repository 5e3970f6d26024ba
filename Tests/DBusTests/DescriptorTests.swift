// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Glibc
import MainLoop
import Testing

@testable import DBus

/// An object that receives and returns file descriptors.
private final class Pipes {
  static let name: InterfaceName = "org.example.Pipes"
  static let path: ObjectPath = "/org/example/Pipes"
  var received: [OwnedDescriptor] = []
  var given: OwnedDescriptor?
  /// Calls that have been accepted but not answered.
  var kept: [MethodCall] = []

  static let interface = Interface<Pipes>(
    name,
    [
      .method("Write", in: ["pipe": "h"]) { pipes, call in
        let text = "hello"
        if let pipe = call.arguments[0].descriptor { write(pipe.rawValue, text, text.utf8.count) }
        call.reply()
      },
      .method("Keep", in: ["pipes": "a(sh)"]) { pipes, call in
        pipes.received += (call.arguments[0].array ?? []).compactMap { $0.structure?[1].descriptor }
        call.reply()
      },
      .method("Give", out: ["pipe": "h", "pipes": "ah"]) { pipes, call in
        let pipe = pipes.given.map(Value.descriptor)
        call.reply([pipe, .array("h", [pipe, pipe].compactMap(\.self))].compactMap(\.self))
      },
      .method("Later", in: ["pipe": "h"]) { pipes, call in pipes.kept.append(call) },
      .method("Options", in: ["options": "a{sv}"]) { _, call in call.reply() },
      .signal("Opened", ["pipe": "h"]),
      .property("Pipe", "h", emits: .changed) { $0.given.map(Value.descriptor) ?? .boolean(false) },
    ])
}

/// A pipe.
private struct Pipe {
  let reading: OwnedDescriptor
  let writing: OwnedDescriptor

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    reading = OwnedDescriptor(owning: ends[0])
    writing = OwnedDescriptor(owning: ends[1])
  }

  /// The bytes that can be read now; nil if all writing ends are closed.
  func read() -> String? {
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = Glibc.read(reading.rawValue, &bytes, bytes.count)
    return count == 0 ? nil : String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}

@Suite struct DescriptorTests {
  private func call(_ member: MemberName, _ arguments: Value..., to name: BusName) -> Message {
    Message(calling: member, of: Pipes.name, at: Pipes.path, on: name, arguments)
  }

  private func withPipes(
    on broker: PrivateBus.Broker = .chosen, _ body: (Peers, Pipes, ExportedObject) throws -> Void
  ) throws {
    let (peers, pipes) = (try Peers(on: broker), Pipes())
    let object = peers.service.objects.export(Pipes.path, Implementation(of: Pipes.interface, by: pipes))
    try peers.settle()
    let before = openDescriptors()
    try body(peers, pipes, object)
    pipes.received = []
    pipes.given = nil
    try turning("all descriptors are closed") { openDescriptors() == before }
  }

  @Test(arguments: PrivateBus.Broker.installed)
  func `calls, replies, signals and properties carry descriptors`(broker: PrivateBus.Broker) throws {
    try withPipes(on: broker) { peers, pipes, object in
      let pipe = try Pipe()
      let service = peers.service.uniqueName
      _ = try peers.answer(to: call("Write", .descriptor(pipe.writing), to: service))
      #expect(pipe.read() == "hello")

      let pair = Value.structure([.string("a"), .descriptor(pipe.writing)])
      _ = try peers.answer(to: call("Keep", .array("(sh)", [pair, pair]), to: service))
      #expect(pipes.received.count == 2 && Set(pipes.received + [pipe.writing]).count == 3, "each is a duplicate")
      for descriptor in pipes.received { #expect(write(descriptor.rawValue, "x", 1) == 1) }
      #expect(pipe.read() == "xx")

      pipes.given = pipe.writing
      let reply = try peers.ask(call("Give", to: service), expecting: "hah").answer()
      #expect(write(try #require(reply.first?.descriptor).rawValue, "y", 1) == 1)
      #expect(reply[1].array?.count == 2 && pipe.read() == "y")

      let proxy = Proxy(on: peers.client, destination: service, path: Pipes.path, interface: Pipes.name)
      var seen: [OwnedDescriptor] = []
      proxy.get("Pipe") { seen += [(try? $0.get())?.descriptor].compactMap(\.self) }
      let signals = proxy.onSignal("Opened") { seen += [$0.arguments[0].descriptor].compactMap(\.self) }
      let watch = proxy.onProperties { seen += [$0["Pipe"]?.descriptor].compactMap(\.self) }
      try turning("the property is read twice") { seen.count == 2 }
      object.emit("Opened", of: Pipes.name, .descriptor(pipe.writing))
      object.propertyChanged("Pipe", of: Pipes.name)
      try turning("the signals arrive") { seen.count == 4 }
      for descriptor in seen { #expect(write(descriptor.rawValue, "z", 1) == 1) }
      #expect(pipe.read() == "zzzz")
      withExtendedLifetime((signals, watch)) {}
    }
  }

  @Test func `a descriptor is closed with its last reference`() throws {
    let pipe = try Pipe()
    var copies: [Value] = try [.descriptor(OwnedDescriptor(duplicating: pipe.writing.rawValue))]
    copies.append(copies[0])
    let number = try #require(copies[0].descriptor?.rawValue)
    copies.removeLast()
    #expect(fcntl(number, F_GETFD) == FD_CLOEXEC, "no program that this one starts inherits it")
    let own = try #require(copies[0].descriptor).duplicate()
    copies.removeLast()
    #expect(fcntl(number, F_GETFD) < 0 && fcntl(own, F_GETFD) == FD_CLOEXEC)
    close(own)
    #expect(throws: DBusError.self) { try OwnedDescriptor(duplicating: -1) }
  }

  /// A waiting call must not block others: libdbus reads nothing while it holds descriptors.
  @Test func `a waiting call with descriptors does not block others and keeps the descriptors until it is answered`()
    throws
  {
    try withPipes { peers, pipes, _ in
      var waiting: [MethodCall] = []
      peers.service.objects.intake = { waiting.append($0) }
      let pipe = try Pipe()
      let message = call("Later", .descriptor(pipe.writing), to: peers.service.uniqueName)
      let later = Question(message, from: peers.client)
      try turning("it waits") { waiting.count == 1 }
      _ = try peers.answer(to: Message(callingBus: "GetId"), from: peers.service)
      peers.service.objects.intake = nil
      peers.service.objects.perform(waiting.removeFirst())
      #expect(write(try #require(pipes.kept[0].arguments[0].descriptor).rawValue, "k", 1) == 1 && pipe.read() == "k")
      pipes.kept.removeFirst().reply()
      #expect(try later.answer() == [])
    }
  }

  @Test(arguments: PrivateBus.Broker.installed)
  func `a method that declares no descriptors refuses calls with descriptors`(broker: PrivateBus.Broker) throws {
    try withPipes(on: broker) { peers, pipes, _ in
      let descriptor = Value.descriptor(try Pipe().writing)
      let service = peers.service.uniqueName
      let options = call("Options", .options([("a", descriptor)]), to: service)
      #expect(try peers.ask(options).refusal() == .notSupported)
      #expect(try peers.ask(call("Give", descriptor, to: service)).refusal() == .invalidArgs)
      #expect(try peers.ask(call("Unheard", descriptor, to: service)).refusal() == .unknownMethod)
      let set: [Value] = [.string(Pipes.name.rawValue), .string("Pipe"), .variant(descriptor)]
      let message = Message(calling: "Set", of: .properties, at: Pipes.path, on: service, set)
      #expect(try peers.ask(message).refusal() != nil)
    }
  }

  @Test func `a message carries at most 16 descriptors`() throws {
    try withPipes { peers, pipes, _ in
      let descriptor = Value.structure([.string(""), .descriptor(try Pipe().writing)])
      let full = call("Keep", .array("(sh)", Array(repeating: descriptor, count: 16)), to: peers.service.uniqueName)
      #expect(throws: DBusError.self) { try full.append([descriptor]) }
      _ = try peers.answer(to: full)
      #expect(pipes.received.count == 16)
      _ = try peers.answer(to: full)
      #expect(pipes.received.count == 32, "a message that is sent again has descriptors again")
      #expect(throws: DBusError.self) { try SignalTemplate("S", of: "a.b", [descriptor]) }
      #expect(throws: DBusError.self) { try PreparedReply([.variant(descriptor)]) }
    }
  }

  @Test func `without free descriptors, calls with descriptors cause errors`() throws {
    try withPipes { peers, pipes, _ in
      let pipe = try Pipe()
      pipes.given = pipe.writing
      let service = peers.service.uniqueName
      let sent = call("Keep", .array("(sh)", []), to: service)
      let resent = call("Write", .descriptor(pipe.writing), to: service)
      _ = try (peers.answer(to: sent), peers.answer(to: resent))
      var limit = rlimit()
      try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let usual = limit
      // The limit is below every free descriptor number.
      limit.rlim_cur = 0
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let message = call("Write", .variant(.descriptor(pipe.writing)), to: service)
      let again = Question(resent, from: peers.client)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), [usual])
      #expect(message.refusal?.name == .limitsExceeded)
      #expect(try again.failure()?.kind == .notSent)
      #expect(peers.client.isConnected)
    }
  }

  @Test(arguments: PrivateBus.Broker.installed)
  func `descriptors from another program are received, and invalid ones are refused`(broker: PrivateBus.Broker) throws {
    try withPipes(on: broker) { peers, _, _ in
      let python = try ChildProcess([
        Rig.python, Rig.sourceFile("Tests/DBusTests/descriptor-peer.py"), peers.bus.address,
      ])
      defer { python.kill() }
      try turning("it is available", within: .seconds(30)) { python.standardOutput.contains("\n") }
      let name = try #require(BusName(validating: String(python.standardOutput.prefix { $0 != "\n" })))

      var lock = try peers.answer(to: call("Inhibit", to: name)).first?.descriptor
      #expect(lock != nil)
      try turning(for: .milliseconds(50), "it is held") { !python.standardOutput.contains("released") }
      lock = nil
      try turning("it is released") { python.standardOutput.contains("released") }

      let options = try peers.answer(to: call("Options", to: name))[0].properties
      #expect(options?["ProcessID"] == .uint32(7) && options?["ProcessFD"]?.descriptor != nil)
      #expect(try peers.answer(to: call("Many", to: name))[0].array?.compactMap(\.descriptor).count == 16)
      let small = Question(call("Inhibit", to: name), within: .smallAnswer, from: peers.client)
      #expect(try small.refusal() == .limitsExceeded, "a method without descriptors refuses them")
      try turning("it is released") { python.standardOutput.hasSuffix("released\nreleased\n") }
      #expect(try Question(call("Repeated", to: name), from: peers.client).refusal() == .limitsExceeded)
      #expect(try Question(call("Missing", to: name), from: peers.client).refusal() == .failed)
      // The peer calls its caller back on the other connection, which exports the object.
      let text = try peers.answer(to: call("CallBack", to: name), from: peers.service)
      #expect(text == [.string("hello")])
      let truncated = Question(call("Truncated", to: name), from: peers.client)
      #expect(try truncated.failure()?.kind == .lost, "the bus has ended the peer's connection")
      #expect(peers.client.isConnected)
    }
  }

  @Test func `descriptors in calls and replies do not leak`() throws {
    try withPipes { peers, pipes, _ in
      pipes.given = try Pipe().writing
      for _ in 0..<100 {
        _ = try peers.answer(to: call("Give", to: peers.service.uniqueName))
        let pending = peers.client.call(call("Give", to: peers.service.uniqueName)) { _ in }
        pending.cancel()
        let write = call("Write", .descriptor(try Pipe().writing), to: peers.service.uniqueName)
        peers.client.send(write)
      }
    }
  }
}
