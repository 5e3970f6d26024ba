// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import DBus

@Suite struct IntrospectionTests {
  private func introspect(_ path: ObjectPath, _ peers: Peers) throws -> String {
    let answer = try peers.call("Introspect", of: "org.freedesktop.DBus.Introspectable", at: path)
    return try #require(answer.first?.string)
  }

  private func names(_ tag: String, in text: String) -> [String] {
    text.components(separatedBy: "\n").compactMap { line in
      line.trimmingCharacters(in: .whitespaces).hasPrefix("<\(tag) ")
        ? line.components(separatedBy: "name=\"").dropFirst().first?.components(separatedBy: "\"").first : nil
    }
  }

  @Test func `introspection lists all declared members in sorted order`() throws {
    let (peers, _) = try Peers.withSample()
    let text = try introspect(Sample.path, peers)
    #expect(text.hasPrefix("<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\""))
    let own = try #require(text.components(separatedBy: "<interface name=\"org.example.Sample\">").last)
    #expect(names("method", in: own) == ["Add", "Do", "Echo", "Forget", "Later", "LieAboutTypes", "Nothing", "Refuse"])
    #expect(names("signal", in: own) == ["Happened", "Moved"])
    #expect(names("property", in: own) == ["Count", "Deferred", "LateWrite", "Quiet", "Secret", "Title", "Version"])
    #expect(own.contains("<arg name=\"left\" type=\"u\" direction=\"in\"/>"))
    #expect(own.contains("<arg name=\"sum\" type=\"t\" direction=\"out\"/>"))
    #expect(own.contains("<arg name=\"where\" type=\"(dd)\"/>"))
    #expect(own.contains("<property name=\"Title\" type=\"s\" access=\"readwrite\">"))
    #expect(own.contains("<property name=\"Count\" type=\"u\" access=\"read\">"))
    let emits = own.matches(of: #/EmitsChangedSignal" value="([a-z]*)"/#).map { String($0.1) }
    #expect(emits == ["true", "true", "false", "false", "invalidates", "true", "const"])
    #expect(
      names("interface", in: text) == [
        "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Properties",
        "org.example.Other", "org.example.Sample",
      ])
  }

  @Test func `introspection is the same on two connections`() throws {
    let texts = try (0..<2).map { _ in
      let peers = try Peers()
      let sample = Sample()
      for number in UInt64(0)..<20 { sample.export(on: peers.service, at: Sample.path.child(number)) }
      sample.export(on: peers.service)
      return try introspect(Sample.path, peers)
    }
    #expect(texts[0] == texts[1])
    #expect(names("node", in: texts[0]) == (0..<20).map(String.init).sorted())
  }

  @Test func `introspection of intermediate nodes lists their children`() throws {
    let (peers, sample) = try Peers.withSample()
    sample.export(on: peers.service, at: "/org/example2")
    #expect(names("node", in: try introspect("/", peers)) == ["org"])
    #expect(names("node", in: try introspect("/org", peers)) == ["example", "example2"])
    #expect(names("node", in: try introspect("/org/example", peers)) == ["Sample"])
    #expect(names("node", in: try introspect(Sample.path, peers)) == [])
    #expect(
      try peers.refusal("Introspect", of: "org.freedesktop.DBus.Introspectable", at: "/org/exa") == .unknownObject)
  }

  @Test func `introspection of a connection without objects has a root node`() throws {
    let peers = try Peers()
    let text = try introspect("/", peers)
    #expect(names("node", in: text) == [])
    #expect(names("interface", in: text).count == 3)
  }
}
