// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import Testing

@testable import DBus

@Suite struct DispatchTests {
  @Test func `calls to missing objects, interfaces and methods are answered with the matching error`() throws {
    let (peers, _) = try Peers.withSample()
    #expect(try peers.refusal("Nothing", at: "/org/example/Elsewhere") == .unknownObject)
    #expect(try peers.refusal("Nothing", at: "/org/example/Sample/below") == .unknownObject)
    #expect(try peers.refusal("Nothing", at: "/org/exam") == .unknownObject)
    #expect(try peers.refusal("Nothing", of: "org.example.Unheard") == .unknownInterface)
    #expect(try peers.refusal("Nothing", at: "/org") == .unknownInterface, "a node, but without interfaces")
    #expect(try peers.refusal("Unheard") == .unknownMethod)
    #expect(try peers.refusal("Unheard", of: nil) == .unknownMethod)
    #expect(try peers.refusal("Happened") == .unknownMethod, "a signal is not a method")
    #expect(try peers.refusal("Unheard", of: "org.freedesktop.DBus.Properties") == .unknownMethod)
    #expect(try peers.refusal("Unheard", of: "org.freedesktop.DBus.Introspectable") == .unknownMethod)
    #expect(try peers.refusal("Unheard", of: "org.freedesktop.DBus.Peer") == .unknownMethod)
  }

  @Test func `calls with wrong arguments are answered with InvalidArgs`() throws {
    let (peers, sample) = try Peers.withSample()
    #expect(try peers.refusal("Add") == .invalidArgs)
    #expect(try peers.refusal("Add", .uint32(1)) == .invalidArgs)
    #expect(try peers.refusal("Add", .uint32(1), .int32(1)) == .invalidArgs)
    #expect(try peers.refusal("Add", .uint32(1), .uint32(1), .uint32(1)) == .invalidArgs)
    #expect(try peers.refusal("Nothing", .string("unasked")) == .invalidArgs)
    #expect(try peers.refusal("Do", .dictionary(key: "s", value: "s", [])) == .invalidArgs)
    let properties: InterfaceName = "org.freedesktop.DBus.Properties"
    #expect(try peers.refusal("Get", of: properties, .string("x")) == .invalidArgs)
    #expect(try peers.refusal("GetAll", of: properties) == .invalidArgs)
    #expect(try peers.refusal("Set", of: properties, .string("a"), .string("b"), .string("c")) == .invalidArgs)
    #expect(try peers.refusal("Introspect", of: "org.freedesktop.DBus.Introspectable", .byte(1)) == .invalidArgs)
    #expect(sample.seen.isEmpty)
  }

  @Test func `methods of the interface Peer are answered on every path`() throws {
    let peers = try Peers()
    #expect(try peers.call("Ping", of: "org.freedesktop.DBus.Peer", at: "/anywhere") == [])
    let machine = try peers.call("GetMachineId", of: "org.freedesktop.DBus.Peer", at: "/")
    #expect(machine.first?.string?.count == 32)
  }

  @Test func `two interfaces of one object may have methods with the same name`() throws {
    let (peers, _) = try Peers.withSample()
    #expect(try peers.call("Nothing") == [])
    #expect(try peers.call("Nothing", of: "org.example.Other") == [.string("other")])
  }

  @Test func `a service may reply to calls later and in any order`() throws {
    let (peers, sample) = try Peers.withSample()
    let questions = (0..<3).map { _ in peers.ask(peers.message("Later")) }
    try turning("all calls arrive") { sample.kept.count == 3 }
    sample.kept[2].reply(.string("third"))
    sample.kept[0].fail(DBusError(.limitsExceeded, "first"))
    #expect(try questions[2].answer() == [.string("third")])
    #expect(throws: CallFailure.refused(DBusError(.limitsExceeded, "first"))) { try questions[0].answer() }
    #expect(questions[1].isOpen)
    sample.kept[1].reply(.string("second"))
    #expect(try questions[1].answer() == [.string("second")])
  }

  @Test func `only the first answer to a call is sent`() throws {
    let (peers, sample) = try Peers.withSample()
    var answered = 0
    sample.onDo = { call throws(DBusError) in
      call.onAnswered = { _ in answered += 1 }
      call.reply()
      call.fail(DBusError(.failed, "too late"))
      call.reply()
      throw DBusError(.failed, "much too late")
    }
    #expect(try peers.call("Do", .options([])) == [])
    try peers.settle()
    #expect(answered == 1)
  }

  @Test func `a call that is released without an answer is refused`() throws {
    let (peers, sample) = try Peers.withSample()
    #expect(try peers.refusal("Forget") == .failed)
    let question = peers.ask(peers.message("Later"))
    try turning("the call arrives") { sample.kept.count == 1 }
    #expect(question.isOpen)
    sample.kept = []
    #expect(try question.refusal() == .failed)
  }

  @Test func `an answer whose types differ from the declared types becomes an error`() throws {
    let (peers, _) = try Peers.withSample()
    #expect(try peers.refusal("LieAboutTypes") == .failed)
  }

  @Test func `an answer that cannot be marshalled becomes an error`() throws {
    let (peers, sample) = try Peers.withSample()
    let question = peers.ask(peers.message("Later"))
    try turning("the call arrives") { !sample.kept.isEmpty }
    sample.kept.removeFirst().reply(.string("with a \0 in it"))
    #expect(try question.refusal() != nil)
  }

  @Test func `a call with NO_REPLY_EXPECTED is performed but not answered`() throws {
    let (peers, sample) = try Peers.withSample()
    for member: MemberName in ["Do", "Unheard", "Refuse"] {
      let arguments: [Value] = member == "Do" ? [.options([])] : []
      let message = peers.message(member, with: arguments)
      message.wantsReply = false
      let question = peers.ask(message, timeout: .never)
      try peers.settle()
      try turning(for: .milliseconds(10), "no answer to \(member)") { question.isOpen }
    }
    #expect(sample.seen.count == 1, "the call was performed all the same")
  }

  @Test func `a method can read the interactive flag of its call`() throws {
    let (peers, sample) = try Peers.withSample()
    var flags: [Bool] = []
    sample.onDo = { call in
      flags.append(call.allowsInteractiveAuthorization)
      call.reply()
    }
    for interactive in [false, true] {
      let message = peers.message("Do", .options([]))
      message.allowsInteractiveAuthorization = interactive
      _ = try peers.answer(to: message)
    }
    #expect(flags == [false, true])
  }

  @Test func `the size of a call can be read before the call is performed`() throws {
    let (peers, _) = try Peers.withSample()
    var expected = 0
    var found: [Bool] = []
    peers.service.objects.intake = { [unowned peers] call in
      found = [expected - 1, expected, 0].map { call.byteCount(upTo: $0) == nil }
      peers.service.objects.perform(call)
    }
    for length in [0, 1, 8, 1_000, 65_536] {
      let options = Value.options([("k", .string(String(repeating: "x", count: length)))])
      let message = peers.message("Do", options)
      // The bus adds the sender to the header: code, type, length, text and its NUL, padded to eight bytes.
      let sender = 8 + peers.client.uniqueName.rawValue.utf8.count + 1
      expected = message.marshalledByteCount + (sender + 7) / 8 * 8
      _ = try peers.answer(to: message)
      #expect(found == [true, false, true])
    }
  }

  @Test func `the size of a call with file descriptors is known although its message is not kept`() throws {
    let (peers, _) = try Peers.withSample()
    var found: [Bool] = []
    peers.service.objects.intake = { [unowned peers] call in
      found = [65_536, 60_000].map { call.byteCount(upTo: $0) == nil }
      peers.service.objects.perform(call)
    }
    for (length, isLong) in [(10, false), (100_000, true)] {
      let options = Value.options([
        ("f", .descriptor(try OwnedDescriptor(duplicating: 1))),
        ("k", .string(String(repeating: "x", count: length))),
      ])
      _ = try peers.ask(peers.message("Do", options)).refusal()
      #expect(found == [isLong, isLong])
    }
  }

  @Test func `the intake handler receives every call before the call is dispatched`() throws {
    let (peers, _) = try Peers.withSample()
    var asked: [String] = []
    peers.service.objects.intake = { call in
      asked.append(call.member.rawValue)
      #expect(call.arguments.isEmpty)
      call.fail(DBusError(.limitsExceeded, "Not now"))
    }
    #expect(try peers.refusal("Nothing") == .limitsExceeded)
    #expect(try peers.refusal("Introspect", of: "org.freedesktop.DBus.Introspectable", at: "/") == .limitsExceeded)
    #expect(try peers.refusal("Unheard", at: "/nowhere") == .limitsExceeded)
    #expect(asked == ["Nothing", "Introspect", "Unheard"])
    peers.service.objects.intake = nil
    #expect(try peers.refusal("Nothing") == nil)
  }

  /// Regression: libdbus itself answered calls of Peer, so they were not counted.
  @Test func `the intake handler also receives calls to the interface Peer`() throws {
    let peers = try Peers()
    var asked: [MemberName] = []
    peers.service.objects.intake = { [unowned peers] call in
      asked.append(call.member)
      if asked.count > 2 {
        call.fail(DBusError(.limitsExceeded, "Not now"))
      } else {
        peers.service.objects.perform(call)
      }
    }
    #expect(try peers.refusal("Ping", of: .peer, at: "/anywhere") == nil)
    #expect(try peers.refusal("GetMachineId", of: .peer, at: "/") == nil)
    #expect(try peers.refusal("Ping", of: .peer) == .limitsExceeded)
    #expect(try peers.refusal("GetMachineId", of: .peer) == .limitsExceeded)
    #expect(asked == ["Ping", "GetMachineId", "Ping", "GetMachineId"])
  }

  @Test func `calls to an object that was unexported are answered with an error`() throws {
    let (peers, _, object) = try Peers.withObject()
    #expect(try peers.refusal("Nothing") == nil)
    object.unexport()
    object.unexport()
    #expect(try peers.refusal("Nothing") == .unknownObject)
    object.emit("Happened", of: Sample.name, .string("to nobody"))
    object.propertyChanged("Title", of: Sample.name)
    object.flushChanges()
  }

  @Test func `calls to an object whose implementation was released are answered with an error`() throws {
    let peers = try Peers()
    var sample: Sample? = Sample()
    sample?.export(on: peers.service)
    #expect(try peers.refusal("Nothing") == nil)
    sample = nil
    #expect(try peers.refusal("Nothing") == .unknownObject)
    let properties: InterfaceName = "org.freedesktop.DBus.Properties"
    #expect(try peers.refusal("Get", of: properties, .string(Sample.name.rawValue), .string("Title")) == .unknownObject)
    #expect(
      try peers.refusal("Set", of: properties, .string(Sample.name.rawValue), .string("Title"), .variant(.string("x")))
        == .unknownObject)
  }

  /// Regression: changes of an object that had been replaced were still sent, with the path of the new one.
  @Test func `an object that was replaced emits no more signals`() throws {
    let peers = try Peers()
    var heard = 0
    peers.client.onSignal(MatchRule(path: Sample.path)) { _ in heard += 1 }.keep()
    try peers.settle()
    let (first, second) = (Sample(), Sample())
    let object = first.export(on: peers.service)
    object.propertyChanged("Title", of: Sample.name)
    second.title = "second"
    second.export(on: peers.service)
    object.emit("Happened", of: Sample.name, .string("old"))
    try peers.settle()
    try turning(for: .milliseconds(10), "no signal arrives") { heard == 0 }
    object.unexport()
    #expect(
      try peers.call("Get", of: "org.freedesktop.DBus.Properties", .string(Sample.name.rawValue), .string("Title"))
        == [.variant(.string("second"))])
  }
}
