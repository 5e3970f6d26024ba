// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import Testing

@testable import DBus

@Suite struct PropertiesChangedTests {
  /// The signals about changes that one connection receives.
  private final class Listener {
    var heard: [Signal] = []
    private var match: SignalMatch?

    init(_ connection: Connection) {
      match = connection.onSignal(MatchRule(interface: "org.freedesktop.DBus.Properties")) { [unowned self] in
        heard.append($0)
      }
    }
  }

  @Test func `property changes in one turn of the loop are sent in one signal`() throws {
    let (peers, sample, object) = try Peers.withObject()
    let listener = Listener(peers.client)
    try peers.settle()
    sample.title = "one"
    object.propertyChanged("Title", of: Sample.name)
    sample.count = 1
    object.propertyChanged("Count", of: Sample.name)
    object.propertyChanged("Secret", of: Sample.name)
    object.propertyChanged("Title", of: Sample.name)
    sample.title = "two"
    #expect(listener.heard.isEmpty)
    try turning("they arrive") { !listener.heard.isEmpty }
    try peers.settle()
    #expect(listener.heard.count == 1)
    let signal = listener.heard[0]
    #expect(signal.member == "PropertiesChanged" && signal.path == Sample.path)
    #expect(
      signal.arguments == [
        .string(Sample.name.rawValue), .options([("Title", .string("two")), ("Count", .uint32(1))]),
        .strings(["Secret"]),
      ])
    object.propertyChanged("Count", of: Sample.name)
    try turning("the next turn sends its own signal") { listener.heard.count == 2 }
    #expect(listener.heard[1].arguments[1] == .options([("Count", .uint32(1))]))
  }

  @Test func `changes of properties that are declared without signals are not sent`() throws {
    let (peers, _, object) = try Peers.withObject()
    let listener = Listener(peers.client)
    try peers.settle()
    object.propertyChanged("Quiet", of: Sample.name)
    object.propertyChanged("Version", of: Sample.name)
    object.propertyChanged("Unheard", of: Sample.name)
    object.propertyChanged("Title", of: "org.example.Other")
    object.flushChanges()
    try peers.settle()
    try turning(for: .milliseconds(10), "nothing is sent") { listener.heard.isEmpty }
  }

  @Test func `a changed property whose value arrives later is only invalidated`() throws {
    let (peers, sample, object) = try Peers.withObject()
    let listener = Listener(peers.client)
    try peers.settle()
    object.propertyChanged("Deferred", of: Sample.name)
    try turning("it arrives") { !listener.heard.isEmpty }
    #expect(listener.heard[0].arguments == [.string(Sample.name.rawValue), .options([]), .strings(["Deferred"])])
    #expect(sample.reads.count == 1 && sample.reads[0].sender == nil)
    sample.reads[0].answer(.string("too late"))
    try peers.settle()
    #expect(listener.heard.count == 1)
  }

  @Test func `flushChanges sends pending changes, and unexport drops them`() throws {
    let (peers, _, object) = try Peers.withObject()
    let listener = Listener(peers.client)
    try peers.settle()
    object.propertyChanged("Title", of: Sample.name)
    object.flushChanges()
    object.propertyChanged("Count", of: Sample.name)
    object.unexport()
    try turning("the first has arrived") { listener.heard.count == 1 }
    try peers.settle()
    #expect(listener.heard.count == 1)
    #expect(listener.heard[0].arguments[1] == .options([("Title", .string("first"))]))
  }
}
