// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import DBus

@Suite struct MatchRuleTests {
  @Test func `a match rule is written in the syntax of the bus`() {
    #expect(MatchRule().text == "type='signal'")
    let rule = MatchRule(
      sender: "org.example.Name", path: "/a", interface: "a.b", member: "M", argument0: "x", argument2: "")
    #expect(
      rule.text
        == "type='signal',sender='org.example.Name',path='/a',interface='a.b',member='M',arg0='x',arg2=''")
  }

  @Test func `apostrophes in a match rule are escaped`() {
    #expect(MatchRule(argument0: "it's").text == "type='signal',arg0='it'\\''s'")
    #expect(MatchRule(argument0: "a\\b,c").text == "type='signal',arg0='a\\b,c'")
  }

  @Test(arguments: ["it's", "''", "'", "a\\'b", "a,b='c'", "\\", "ü 🌍", "", "a'\u{73F}b'"])
  func `a match rule with unusual characters in an argument works on the bus`(text: String) throws {
    let peers = try Peers()
    var received: [String] = []
    peers.client.onSignal(MatchRule(interface: "a.b", member: "S", argument0: text)) {
      received.append($0.arguments[0].string ?? "")
    }.keep()
    try peers.settle()
    for word in [text, text + "x", "other"] {
      peers.service.send(Message(signal: "S", of: "a.b", at: "/", [.string(word)]))
    }
    try peers.settle()
    #expect(received == [text])
  }

  @Test func `a match rule compares headers`() {
    func header(
      _ sender: BusName, _ path: ObjectPath = "/a", _ interface: InterfaceName = "a.b", _ member: MemberName = "M"
    ) -> Signal { Signal(sender: sender, path: path, interface: interface, member: member) }
    let rule = MatchRule(sender: ":1.1", path: "/a", interface: "a.b", member: "M")
    #expect(rule.matches(header: header(":1.1")))
    #expect(!rule.matches(header: header(":1.2")))
    #expect(!rule.matches(header: header(":1.1", "/a/b")))
    #expect(!rule.matches(header: header(":1.1", "/a", "a.c")))
    #expect(!rule.matches(header: header(":1.1", "/a", "a.b", "N")))
    let wellKnown = MatchRule(sender: "org.example.Name")
    #expect(wellKnown.matches(header: header(":1.7")), "the owner of a name is compared elsewhere")
    #expect(!MatchRule(sender: .bus).matches(header: header(":1.7")))
  }

  @Test func `a match rule compares arguments`() {
    let rule = MatchRule(argument0: "x", argument2: "")
    #expect(rule.matches(arguments: [.string("x"), .byte(1), .string("")]))
    #expect(!rule.matches(arguments: [.string("x"), .byte(1), .string("y")]))
    #expect(!rule.matches(arguments: [.string("x")]))
    #expect(!rule.matches(arguments: []))
    #expect(!rule.matches(arguments: [.objectPath("/x"), .byte(1), .string("")]))
    #expect(MatchRule().matches(arguments: []))
  }
}
