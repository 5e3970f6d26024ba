// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import DBus

@Suite struct NamesTests {
  nonisolated private static let tooLong = "a." + String(repeating: "b", count: 254)
  nonisolated private static let longest = "a." + String(repeating: "b", count: 253)

  @Test(arguments: ["a.b", ":1.42", "org.example.Name", "org.example-hyphen.x", "_a._b", ":a.1", longest])
  func `valid bus names are accepted`(text: String) { #expect(BusName(validating: text)?.rawValue == text) }

  @Test(arguments: [
    "", "a", ".a.b", "a..b", "a.b.", "1a.b", "a.1b", "a b.c", "a.b\0", "\0", "ä.b", "a.b/c", "a.b:", tooLong, "a,b.c",
  ])
  func `invalid bus names are refused`(text: String) { #expect(BusName(validating: text) == nil) }

  @Test(arguments: ["/", "/a", "/a/b_1/C", "/_", "/0", "/" + String(repeating: "a", count: 10_000)])
  func `valid object paths are accepted`(text: String) { #expect(ObjectPath(validating: text)?.rawValue == text) }

  @Test(arguments: ["", "a", "//", "/a/", "/a//b", "/a-b", "/a.b", "/ä", "/a\0", "/a b", "/a\0b"])
  func `invalid object paths are refused`(text: String) { #expect(ObjectPath(validating: text) == nil) }

  @Test(arguments: ["a.b", "org.example.Interface1", "_a._1", longest])
  func `valid interface names are accepted`(text: String) { #expect(InterfaceName(validating: text)?.rawValue == text) }

  @Test(arguments: ["", "a", "a.b-c", ":1.2", "a..b", ".a.b", "a.b.", "1.a", "ä.ö", "a.b\0c.d", tooLong, "a b.c"])
  func `invalid interface names are refused`(text: String) {
    #expect(InterfaceName(validating: text) == nil)
    #expect(ErrorName(validating: text) == nil)
  }

  @Test(arguments: ["a", "Get", "_x1", String(repeating: "m", count: 255)])
  func `valid member names are accepted`(text: String) { #expect(MemberName(validating: text)?.rawValue == text) }

  @Test(arguments: ["", "1a", "a.b", "a-b", "ä", "a b", "a\0", "\0a", String(repeating: "m", count: 256)])
  func `invalid member names are refused`(text: String) { #expect(MemberName(validating: text) == nil) }

  @Test(arguments: [
    "", "s", "a{sv}", "(ii)", "aa{s(iv)}", "ybnqiuxtdsogvh", String(repeating: "a", count: 32) + "s",
    String(repeating: "(", count: 32) + "s" + String(repeating: ")", count: 32), String(repeating: "s", count: 255),
  ])
  func `valid signatures are accepted`(text: String) { #expect(Signature(validating: text)?.rawValue == text) }

  @Test(arguments: [
    "a", "()", "(", ")", "{sv}", "a{s}", "a{vs}", "a{svv}", "z", "s\0", "ä", "a{(s)v}", "a{sv", "*",
    String(repeating: "a", count: 33) + "s", String(repeating: "s", count: 256),
    String(repeating: "(", count: 33) + "s" + String(repeating: ")", count: 33),
  ])
  func `invalid signatures are refused`(text: String) { #expect(Signature(validating: text) == nil) }

  @Test func `a signature of exactly one complete type is recognised`() {
    for text in ["s", "v", "a{sv}", "(ss)", "as", "aas"] { #expect(Signature(unchecked: text).isSingle, "\(text)") }
    for text in ["", "ss", "a{sv}s"] { #expect(!Signature(unchecked: text).isSingle, "\(text)") }
  }

  @Test func `a signature of one basic type is recognised`() {
    for text in "ybnqiuxtdsog" { #expect(Signature(unchecked: String(text)).isBasic, "\(text)") }
    for text in ["", "v", "as", "(s)", "ss"] { #expect(!Signature(unchecked: text).isBasic, "\(text)") }
  }

  @Test func `unique names begin with a colon`() {
    #expect(BusName(":1.2").isUnique)
    #expect(!BusName("org.example.Name").isUnique)
    #expect(!BusName.bus.isUnique)
  }

  @Test func `the children of an object path are found`() {
    #expect(ObjectPath.root.child(7) == "/7")
    #expect(ObjectPath("/a/b").child(.max) == "/a/b/18446744073709551615")
    #expect(ObjectPath.root.childPrefix == "/")
    #expect(ObjectPath("/a").childPrefix == "/a/")
  }

  @Test func `names are ordered and printed as text`() {
    #expect(["/b", "/a", "/a/b"].compactMap(ObjectPath.init(validating:)).sorted() == ["/a", "/a/b", "/b"])
    #expect("\(MemberName("Get"))" == "Get")
    #expect(DBusError(.failed, "It broke").description == "org.freedesktop.DBus.Error.Failed: It broke")
  }
}
