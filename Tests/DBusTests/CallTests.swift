// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import DBus

@Suite struct CallTests {
  @Test func `a reply is delivered exactly once, and not inside the call`() throws {
    let (peers, _) = try Peers.withSample()
    let question = peers.ask(peers.message("Add", .uint32(2), .uint32(40)), expecting: "t")
    #expect(question.isOpen)
    #expect(try question.answer() == [.uint64(42)])
    try peers.settle()
    #expect(question.results.count == 1)
  }

  @Test func `an error reply is received with its name and text`() throws {
    let (peers, _) = try Peers.withSample()
    #expect(throws: CallFailure.refused(DBusError("org.example.Error.No", "No, because"))) { try peers.call("Refuse") }
  }

  @Test func `a call to an unknown service fails with the error of the bus`() throws {
    let peers = try Peers()
    let nobody = Message(calling: "M", of: "a.b", at: "/", on: "org.example.Nobody")
    #expect(try peers.ask(nobody).refusal() == .serviceUnknown)
    let gone = Message(calling: "M", of: "a.b", at: "/", on: ":1.9999")
    #expect(try [.serviceUnknown, .nameHasNoOwner].contains(peers.ask(gone).refusal()))
  }

  @Test func `a reply with an unexpected signature causes the error InvalidArgs`() throws {
    let (peers, _) = try Peers.withSample()
    #expect(try peers.ask(peers.message("Add", .uint32(1), .uint32(1)), expecting: "s").refusal() == .invalidArgs)
  }

  /// Regression: replies that had arrived but were not read yet were dropped at the timeout.
  @Test func `a reply that has already arrived is delivered although its deadline has passed`() throws {
    let peers = try Peers()
    let name: BusName = "org.example.Answered"
    let start = MainLoop.main.clock.monotonic()
    var results: [Result<[Value], CallFailure>] = []
    // The answers exceed one turn of the loop, but fit into the sockets' buffers, so neither side waits for the other.
    for _ in 0..<60 {
      peers.client.call(Message(callingBus: "ListNames"), timeout: .milliseconds(50)) { results.append($0) }.keep()
    }
    peers.client.call(Message(callingBus: "RequestName", [.string(name.rawValue), .uint32(0)])) { _ in }.keep()
    // The bus answers in order, so it has answered all calls when the name has an owner. This loop does not run
    // meanwhile.
    try eventually("the bus has answered") {
      try peers.service.callBlocking(Message(callingBus: "NameHasOwner", [.string(name.rawValue)])) == [.boolean(true)]
    }
    // In each of its own turns, the bus writes some of the answers.
    var (written, before) = (try peers.client.unreadBytes(), Int32(-1))
    try eventually("the bus has written all answers") {
      _ = try peers.service.callBlocking(Message(callingBus: "GetId"))
      (written, before) = (try peers.client.unreadBytes(), written)
      return written == before
    }
    try eventually("the deadline has passed") { MainLoop.main.clock.monotonic() > start + .milliseconds(60) }
    try turning("all are answered") { results.count == 60 }
    #expect(results.allSatisfy { $0.errorName == nil })
  }

  @Test(arguments: PrivateBus.Broker.installed)
  func `a failed call shows whether it was refused, lost or not sent`(broker: PrivateBus.Broker) throws {
    let (peers, sample) = try Peers.withSample(on: broker)
    let absent = Question(Message(calling: "M", of: "a.b", at: "/", on: "org.example.Nobody"), from: peers.client)
    #expect(try absent.failure()?.kind == .refused && absent.refusal() == .serviceUnknown)
    let refused = Question(peers.message("Nonsense"), from: peers.client)
    #expect(try refused.failure()?.kind == .refused, "an error of the peer is a refusal")
    let other = Question(peers.message("Nothing"), expecting: .string, from: peers.client)
    #expect(try other.failure()?.kind == .refused, "an answer of another type is also one")
    let lost = Question(peers.message("Later"), from: peers.client)
    try turning("the call has arrived") { !sample.kept.isEmpty }
    peers.service.close()
    #expect(try lost.failure()?.kind == .lost, "the peer has left without an answer")
    let open = Question(Message(callingBus: "GetId"), from: peers.client)
    peers.client.close()
    let closed = Question(Message(callingBus: "GetId"), from: peers.client)
    #expect(try closed.failure()?.kind == .notSent, "the connection is closed")
    #expect(open.isOpen, "no handler is called after this side has closed the connection")
  }

  @Test func `a call without a reply fails with NoReply at its deadline`() throws {
    let (peers, sample) = try Peers.withSample()
    var results: [Result<[Value], CallFailure>] = []
    let start = LoopClock.system.monotonic()
    var end: MonotonicInstant?
    peers.client.call(peers.message("Later"), timeout: .milliseconds(50)) {
      results.append($0)
      end = LoopClock.system.monotonic()
    }.keep()
    try turning("the deadline") { !results.isEmpty }
    #expect(results[0].errorName == .noReply)
    #expect(try #require(end) - start >= .milliseconds(50))
    sample.kept[0].reply(.string("too late"))
    try peers.settle()
    #expect(results.count == 1)
  }

  @Test func `a call with a timeout of zero or less fails in a later turn`() throws {
    let (peers, _) = try Peers.withSample()
    for timeout: Int32 in [0, -1, .min] {
      let question = peers.ask(peers.message("Later"), timeout: .milliseconds(timeout))
      #expect(question.isOpen)
      #expect(try question.refusal() == .noReply)
    }
  }

  @Test func `a call with an unlimited timeout waits for its reply`() throws {
    let (peers, sample) = try Peers.withSample()
    let question = peers.ask(peers.message("Later"), timeout: .never)
    try turning(for: .milliseconds(50), "it waits") { question.isOpen }
    sample.kept[0].reply(.string("at last"))
    #expect(try question.answer() == [.string("at last")])
  }

  @Test func `the handler of a cancelled or released call is not called`() throws {
    let (peers, _) = try Peers.withSample()
    _ = peers.client.call(peers.message("Nothing")) { _ in Issue.record("the call was released") }
    let pending = peers.client.call(peers.message("Nothing")) { _ in Issue.record("it was cancelled") }
    pending.cancel()
    pending.cancel()
    try peers.settle()
  }

  @Test func `the handler of a call is released with the objects that it retains`() throws {
    final class Held {}
    let (peers, _) = try Peers.withSample()
    weak var held: Held?
    var done = false
    var pending: PendingCall?
    do {
      let object = Held()
      held = object
      pending = peers.client.call(peers.message("Nothing")) { _ in
        withExtendedLifetime(object) {}
        done = true
      }
    }
    try turning("the reply") { done }
    #expect(held == nil)
    withExtendedLifetime(pending) {}
  }

  @Test func `the handler of a reply may make another call`() throws {
    let (peers, _) = try Peers.withSample()
    var count = 0
    var pending: PendingCall?
    func next() {
      guard count < 100 else { return }
      pending = peers.client.call(peers.message("Nothing")) { _ in
        count += 1
        next()
      }
    }
    next()
    try turning("a hundred replies") { count == 100 }
    withExtendedLifetime(pending) {}
  }

  /// Regression: libdbus keeps the serial number of a message that is sent again, so both calls had the same one.
  @Test func `the same message may be sent as two calls`() throws {
    let (peers, sample) = try Peers.withSample()
    let message = peers.message("Later")
    var results: [String] = []
    for name in ["first", "second"] {
      peers.client.call(message) { results.append(name + " " + ((try? $0.get().first?.string) ?? "?")) }.keep()
    }
    try turning("both arrive") { sample.kept.count == 2 }
    sample.kept[1].reply(.string("b"))
    sample.kept[0].reply(.string("a"))
    try turning("both replies") { results.count == 2 }
    #expect(results == ["second b", "first a"])
  }

  /// libdbus accepts any message with the call's serial number in its header as the reply, even a signal, which any
  /// program may send. Another program could answer instead of the service.
  @Test(arguments: PrivateBus.Broker.installed)
  func `a signal with the serial number of a call is not accepted as its reply`(broker: PrivateBus.Broker) throws {
    let (peers, sample) = try Peers.withSample(on: broker)
    let outsider = try peers.connect()
    let question = peers.ask(peers.message("Later"), timeout: .never)
    var signals: [String] = []
    peers.client.onSignal(MatchRule(interface: "a.b")) { signals.append($0.arguments[0].string ?? "") }.keep()
    try turning("the call arrives") { sample.kept.count == 1 }
    for serial in UInt32(1)...20 {
      let forged = Message(signal: "Later", of: "a.b", at: "/", to: peers.client.uniqueName, [.string("forged")])
      #expect(forged.forge(replyTo: serial))
      outsider.send(forged)
    }
    outsider.send(Message(signal: "Later", of: "a.b", at: "/", to: peers.client.uniqueName, [.string("honest")]))
    try turning("the signal sent after them arrives") { signals.last == "honest" }
    #expect(question.isOpen)
    // dbus-daemon's usual rules block these; dbus-broker forwards them as signals.
    if broker == .dbusBroker { #expect(signals.count == 21) }
    sample.kept[0].reply(.string("genuine"))
    #expect(try question.answer() == [.string("genuine")])
  }

  @Test func `an unrequested reply is ignored`() throws {
    let (peers, sample) = try Peers.withSample()
    let outsider = try peers.connect()
    let question = peers.ask(peers.message("Later"), timeout: .never)
    try turning("the call arrives") { sample.kept.count == 1 }
    for serial in UInt32(1)...20 {
      outsider.send(Message(replyTo: serial, from: peers.client.uniqueName, [.string("forged")]))
      outsider.send(Message(errorTo: serial, from: peers.client.uniqueName, DBusError(.failed, "forged")))
    }
    try turning(for: .milliseconds(50), "the call is not answered") { question.isOpen }
    sample.kept[0].reply(.string("genuine"))
    #expect(try question.answer() == [.string("genuine")])
  }

  @Test func `a call without an interface is dispatched by its member`() throws {
    let (peers, _) = try Peers.withSample()
    #expect(try peers.call("OnlyHere", of: nil) == [.string("other")])
    #expect(try peers.call("Nothing", of: nil) == [], "the first interface with this method")
    #expect(
      try peers.call("Get", of: nil, .string("org.example.Sample"), .string("Title")) == [.variant(.string("first"))])
    #expect(try peers.refusal("Unheard", of: nil) == .unknownMethod)
  }
}
