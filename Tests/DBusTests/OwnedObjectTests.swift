// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import Testing

@testable import DBus

/// An object with an owner is visible only to the owner.
@Suite struct OwnedObjectTests {
  private let path: ObjectPath = "/org/example/Sample/owned/1"
  private let introspectable: InterfaceName = "org.freedesktop.DBus.Introspectable"
  private let properties: InterfaceName = "org.freedesktop.DBus.Properties"

  private func children(of path: ObjectPath, _ peers: Peers, from caller: Connection? = nil) throws -> [String] {
    let text = try peers.call("Introspect", of: introspectable, at: path, from: caller).first?.string ?? ""
    return text.matches(of: #/<node name="([^"]*)"/#).map { String($0.1) }
  }

  @Test func `an object with an owner is visible to its owner`() throws {
    let peers = try Peers()
    let (sample, owned) = (Sample(), Sample())
    sample.export(on: peers.service)
    owned.export(on: peers.service, at: path, owner: peers.client.uniqueName)
    #expect(try peers.refusal("Nothing", at: path) == nil)
    #expect(try children(of: Sample.path, peers) == ["owned"])
    #expect(try children(of: "/org/example/Sample/owned", peers) == ["1"])
    #expect(try peers.refusal("GetAll", of: properties, at: path, .string("org.example.Other")) == nil)
  }

  @Test func `other clients do not see an owned object`() throws {
    let peers = try Peers()
    let other = try peers.connect()
    let (sample, owned) = (Sample(), Sample())
    sample.export(on: peers.service)
    owned.export(on: peers.service, at: path, owner: peers.client.uniqueName)
    let nowhere: ObjectPath = "/org/example/Sample/owned/2"
    func answers(at path: ObjectPath) throws -> [ErrorName?] {
      [
        try peers.refusal("Nothing", at: path, from: other), try peers.refusal("Unheard", at: path, from: other),
        try peers.refusal("Add", at: path, .string("wrong"), from: other),
        try peers.refusal("Nothing", of: nil, at: path, from: other),
        try peers.refusal("Introspect", of: introspectable, at: path, from: other),
        try peers.refusal(
          "Get", of: properties, at: path, .string(Sample.name.rawValue), .string("Title"), from: other),
        try peers.refusal("GetAll", of: properties, at: path, .string(Sample.name.rawValue), from: other),
        try peers.refusal("GetAll", of: properties, at: path, .string("x"), from: other),
        try peers.refusal("Get", of: properties, at: path, from: other),
      ]
    }
    #expect(try answers(at: path) == Array(repeating: .unknownObject, count: 9))
    #expect(try answers(at: path) == answers(at: nowhere), "it looks like a missing object")
    #expect(try children(of: Sample.path, peers, from: other) == [])
    #expect(
      try peers.refusal("Introspect", of: introspectable, at: "/org/example/Sample/owned", from: other)
        == .unknownObject)
    #expect(owned.seen.isEmpty)
  }

  @Test func `the error for another client's object is the same as for a missing object`() throws {
    let peers = try Peers()
    let other = try peers.connect()
    let owned = Sample()
    owned.export(on: peers.service, at: path, owner: peers.client.uniqueName)
    let errors = ["/org/example/Sample/owned/1", "/org/example/Sample/owned/2"].map { path in
      #expect(throws: CallFailure.self) { try peers.call("Nothing", at: ObjectPath(unchecked: path), from: other) }
    }
    #expect(errors[0] == errors[1])
  }

  @Test func `signals of an owned object are sent only to its owner`() throws {
    let peers = try Peers()
    let other = try peers.connect()
    var heard: [String] = []
    for (connection, name) in [(peers.client, "owner"), (other, "other")] {
      connection.onSignal(MatchRule(path: path)) { heard.append("\(name) \($0.member)") }.keep()
    }
    try peers.settle()
    let owned = Sample()
    let object = owned.export(on: peers.service, at: path, owner: peers.client.uniqueName)
    object.emit("Happened", of: Sample.name, .string("secret"))
    object.propertyChanged("Title", of: Sample.name)
    object.flushChanges()
    try peers.settle()
    try turning(for: .milliseconds(20), "only the owner receives them") { heard.count <= 2 }
    #expect(heard == ["owner Happened", "owner PropertiesChanged"])
  }
}
