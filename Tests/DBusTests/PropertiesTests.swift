// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import Testing

@testable import DBus

@Suite struct PropertiesTests {
  private let properties: InterfaceName = "org.freedesktop.DBus.Properties"
  private let name = Value.string(Sample.name.rawValue)

  /// Sends a call of Properties.
  private func ask(_ peers: Peers, _ member: MemberName, _ arguments: Value...) throws -> Question {
    peers.ask(try Message.calling(member, of: properties, at: Sample.path, on: peers.service.uniqueName, arguments))
  }

  @Test func `Get returns the value of a property`() throws {
    let (peers, sample) = try Peers.withSample()
    sample.count = 5
    #expect(try peers.call("Get", of: properties, name, .string("Count")) == [.variant(.uint32(5))])
    #expect(try peers.call("Get", of: properties, name, .string("Secret")) == [.variant(.string("hidden"))])
  }

  @Test func `calls for missing objects and properties are answered with the matching error`() throws {
    let (peers, _) = try Peers.withSample()
    for unknown in ["Unheard", "", "not a name", "Nothing", String(repeating: "x", count: 70_000)] {
      #expect(
        try peers.refusal("Get", of: properties, name, .string(unknown)) == .unknownProperty, "\(unknown.prefix(20))")
      #expect(try peers.refusal("Set", of: properties, name, .string(unknown), .variant(.byte(1))) == .unknownProperty)
    }
    for unknown in ["org.example.Unheard", "", "not a name"] {
      #expect(try peers.refusal("Get", of: properties, .string(unknown), .string("Title")) == .unknownInterface)
      #expect(try peers.refusal("GetAll", of: properties, .string(unknown)) == .unknownInterface)
      #expect(
        try peers.refusal("Set", of: properties, .string(unknown), .string("Title"), .variant(.byte(1)))
          == .unknownInterface)
    }
    #expect(try peers.refusal("GetAll", of: properties, at: "/nowhere", name) == .unknownObject)
    #expect(try peers.refusal("GetAll", of: properties, at: "/", name) == .unknownInterface)
    #expect(try peers.call("GetAll", of: properties, .string("org.example.Other")) == [.options([])])
  }

  /// Every object has the standard interfaces, which have no properties. Regression: these interfaces were reported as
  /// missing.
  @Test func `the standard interfaces of an object have no properties`() throws {
    let (peers, _) = try Peers.withSample()
    for standard in ["Properties", "Introspectable", "Peer"].map({ "org.freedesktop.DBus." + $0 }) {
      #expect(try peers.call("GetAll", of: properties, .string(standard)) == [.options([])])
      #expect(try peers.refusal("Get", of: properties, .string(standard), .string("X")) == .unknownProperty)
    }
  }

  @Test func `Set changes writable properties`() throws {
    let (peers, sample) = try Peers.withSample()
    #expect(try peers.call("Set", of: properties, name, .string("Title"), .variant(.string("second"))) == [])
    #expect(sample.title == "second")
    #expect(try peers.refusal("Set", of: properties, name, .string("Title"), .variant(.uint32(1))) == .invalidArgs)
    #expect(
      try peers.refusal("Set", of: properties, name, .string("Title"), .variant(.variant(.string("x")))) == .invalidArgs
    )
    #expect(try peers.refusal("Set", of: properties, name, .string("Count"), .variant(.uint32(1))) == .propertyReadOnly)
    #expect(try peers.refusal("Set", of: properties, name, .string("Count"), .variant(.byte(1))) == .propertyReadOnly)
    #expect(sample.title == "second" && sample.count == 0)
  }

  @Test func `a setter may refuse, or answer after it has returned`() throws {
    let (peers, sample) = try Peers.withSample()
    #expect(try peers.refusal("Set", of: properties, name, .string("LateWrite"), .variant(.uint32(0))) == .invalidArgs)
    let question = try ask(peers, "Set", name, .string("LateWrite"), .variant(.uint32(1)))
    try turning("the setter is called") { sample.kept.count == 1 }
    #expect(question.isOpen)
    sample.kept[0].reply()
    #expect(try question.answer() == [])
  }

  @Test func `a getter may answer after it has returned`() throws {
    let (peers, sample) = try Peers.withSample()
    let question = try ask(peers, "Get", name, .string("Deferred"))
    try turning("the getter is called") { sample.reads.count == 1 }
    #expect(sample.reads[0].sender == peers.client.uniqueName)
    #expect(question.isOpen)
    sample.reads[0].answer(.string("at last"))
    sample.reads[0].answer(.string("twice"))
    #expect(try question.answer() == [.variant(.string("at last"))])
  }

  @Test func `a getter may fail, or be released without an answer`() throws {
    let (peers, sample) = try Peers.withSample()
    let failing = try ask(peers, "Get", name, .string("Deferred"))
    try turning("the getter is called") { sample.reads.count == 1 }
    sample.reads[0].answer(.failure(DBusError(.accessDenied, "Not for you")))
    #expect(throws: CallFailure.refused(DBusError(.accessDenied, "Not for you"))) { try failing.answer() }
    sample.reads = []
    let forgotten = try ask(peers, "Get", name, .string("Deferred"))
    try turning("the getter is called") { sample.reads.count == 1 }
    sample.reads = []
    #expect(throws: CallFailure.self) { try forgotten.answer() }
  }

  @Test func `a property whose value does not have the declared type causes an error`() throws {
    let (peers, sample) = try Peers.withSample()
    let question = try ask(peers, "Get", name, .string("Deferred"))
    try turning("the getter is called") { sample.reads.count == 1 }
    sample.reads[0].answer(.uint32(1))
    #expect(throws: CallFailure.self) { try question.answer() }
  }

  @Test func `GetAll waits for properties whose values arrive later`() throws {
    let (peers, sample) = try Peers.withSample()
    let question = try ask(peers, "GetAll", name)
    try turning("the getter is called") { sample.reads.count == 1 }
    try turning(for: .milliseconds(20), "it waits") { question.isOpen }
    sample.reads[0].answer(.string("late"))
    let all = try #require(try question.answer().first?.properties)
    #expect(
      all == [
        "Title": .string("first"), "Count": .uint32(0), "Secret": .string("hidden"), "Version": .string("1"),
        "Quiet": .uint32(0), "Deferred": .string("late"), "LateWrite": .uint32(0),
      ])
    #expect(try question.answer().first?.options?.map(\.name) == all.keys.sorted())
  }

  /// Regression: the reply contained older values than a signal that preceded it.
  @Test func `GetAll returns the values at the time of its answer`() throws {
    let (peers, sample, object) = try Peers.withObject()
    let question = try ask(peers, "GetAll", name)
    try turning("the getter is called") { sample.reads.count == 1 }
    sample.count = 7
    object.propertyChanged("Count", of: Sample.name)
    object.flushChanges()
    sample.reads[0].answer(.string("late"))
    let all = try #require(try question.answer().first?.properties)
    #expect(all["Count"] == .uint32(7) && all["Deferred"] == .string("late"))
    #expect(sample.reads.count == 1, "a slow getter is called once")
  }

  /// An object whose getters answer when the test decides, unless they are asked again.
  private final class Pair {
    var value: UInt32 = 1
    var reads: [PropertyRead] = []

    func read(_ read: PropertyRead) {
      if read.isRepeated { read.answer(.uint32(value)) } else { reads.append(read) }
    }

    static let interface = Interface<Pair>(
      "org.example.Pair",
      [
        .property("First", "u", emits: .changed, readLater: { $0.read($1) }),
        .property("Second", "u", emits: .changed, readLater: { $0.read($1) }),
      ])
  }

  /// Regression: a program that had been told that it has no access any more then read that it has.
  @Test func `GetAll reads again, without waiting, what was answered before the last answer`() throws {
    let (peers, _) = try Peers.withSample()
    let pair = Pair()
    let object = peers.service.objects.export(Sample.path.child(1), Implementation(of: Pair.interface, by: pair))
    let question = peers.ask(
      try Message.calling(
        "GetAll", of: properties, at: Sample.path.child(1), on: peers.service.uniqueName, [.string("org.example.Pair")])
    )
    try turning("both getters are called") { pair.reads.count == 2 }
    pair.reads[0].answer(.uint32(1))
    pair.value = 2
    pair.reads[1].answer(.uint32(2))
    let all = try #require(try question.answer().first?.properties)
    #expect(all == ["First": .uint32(2), "Second": .uint32(2)])
    #expect(pair.reads.count == 2)
    withExtendedLifetime(object) {}
  }

  @Test func `GetAll omits properties that fail`() throws {
    let (peers, sample) = try Peers.withSample()
    for forget in [false, true] {
      let question = try ask(peers, "GetAll", name)
      try turning("the getter is called") { sample.reads.count == 1 }
      if !forget { sample.reads[0].answer(.failure(DBusError(.failed, "No"))) }
      sample.reads = []
      let all = try #require(try question.answer().first?.properties)
      #expect(all["Deferred"] == nil && all.count == 6)
    }
  }

  @Test func `GetAll fails if the object ends meanwhile`() throws {
    let (peers, sample) = try Peers.withSample()
    let question = try ask(peers, "GetAll", name)
    try turning("the getter is called") { sample.reads.count == 1 }
    sample.reads[0].answer(.failure(DBusError(.unknownObject, "Closed")))
    let failure = #expect(throws: CallFailure.self) { try question.answer() }
    #expect(failure?.error.name == .unknownObject)
  }
}
