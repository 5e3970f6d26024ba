// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The code that is generated from introspection XML. Its behaviour is tested with the service and the articles.
struct GeneratorTests {
  private static nonisolated let mark = "// Written by: swift package generate-dbus "

  private func generate(_ arguments: [String]) throws -> CommandResult {
    try run(["env", "-C", Rig.sourceFile("."), Rig.product("generate-dbus")] + arguments)
  }

  /// The code for an XML file with this content.
  private func code(for content: String) throws -> String {
    let directory = TemporaryDirectory()
    let (file, output) = (directory.file("a.xml"), directory.file("Code.swift"))
    try content.write(toFile: file, atomically: true, encoding: .utf8)
    let result = try generate([file, output])
    #expect(result.succeeded, "\(result.standardError)")
    return try String(contentsOfFile: output, encoding: .utf8)
  }

  @Test func `the generated code in the repository is up to date`() throws {
    let directory = TemporaryDirectory()
    var count = 0
    for folder in ["Examples", "Sources", "Tests"].map(Rig.sourceFile) {
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where name.hasSuffix(".swift") {
        let code = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        guard let line = code.split(separator: "\n").prefix(3).first(where: { $0.hasPrefix(Self.mark) }) else {
          continue
        }
        count += 1
        let arguments = line.dropFirst(Self.mark.count).split(separator: " ").map(String.init)
        let output = try #require(arguments.first { $0.hasSuffix(".swift") })
        let file = directory.file("Code.swift")
        let result = try generate(arguments.map { $0 == output ? file : $0 })
        #expect(result.succeeded, "\(result.standardError)")
        let new = try String(contentsOfFile: file, encoding: .utf8)
        #expect(new.replacing(file, with: output) == code, "\(line)")
      }
    }
    #expect(count == 5)
  }

  @Test func `the standard interfaces are generated only from a file without others`() throws {
    let (peer, own) = ("<interface name=\"org.freedesktop.DBus.Peer\"/>", "<interface name=\"a.B\"/>")
    #expect(try code(for: "<node>\(peer)</node>").contains("struct PeerProxy"))
    let both = try code(for: "<node>\(peer)\(own)</node>")
    #expect(both.contains("struct BProxy") && !both.contains("Peer"))
  }

  @Test func `a doc element documents its member`() throws {
    let code = try code(
      for: """
        <node xmlns:doc="http://www.freedesktop.org/dbus/1.0/doc.dtd"><interface name="a.B">
          <doc:doc><doc:description><doc:para>The interface.</doc:para></doc:description></doc:doc>
          <method name="A">
            <arg name="a" type="s"><doc:doc><doc:summary>An argument.</doc:summary></doc:doc></arg>
            <doc:doc><doc:description>
              <doc:para>returns
                <doc:tt>a</doc:tt>. Twice.</doc:para>
              <doc:para>More.</doc:para>
            </doc:description></doc:doc>
          </method>
          <method name="C"><doc:doc/></method>
        </interface></node>
        """)
    #expect(code.contains("  /// Returns a.\n  func a(") && code.contains("  /// `C`\n  func c("), "\(code)")
  }

  @Test func `a write-only property is not read`() throws {
    let property = "<property name=\"Secret\" type=\"s\" access=\"write\"/>"
    let code = try code(for: "<node><interface name=\"a.B\">\(property)</interface></node>")
    #expect(code.contains("func writeSecret(_ value: String, _ handler:"))
    #expect(code.contains("func writeSecret(_ value: String, _ call: MethodCall)"))
    #expect(!code.contains("readSecret") && !code.contains("var secret") && code.contains("emits: .nothing"))
  }

  @Test func `an annotation of an interface applies to its properties`() throws {
    func annotation(_ value: String) -> String {
      "<annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"\(value)\"/>"
    }
    let properties = """
      <property name="A" type="s" access="read"/>
      <property name="C" type="s" access="read">\(annotation("const"))</property>
      """
    let code = try code(for: "<node><interface name=\"a.B\">\(properties)\(annotation("false"))</interface></node>")
    #expect(code.contains(".a, \"s\", emits: .nothing") && code.contains(".c, \"s\", emits: .const"), "\(code)")
  }

  @Test func `types begin with an upper-case letter and are distinct`() throws {
    let names = ["org.example.hostname1", "a.b.Device", "a.c.Device", "a.Default", "a.Default"]
    let code = try code(for: "<node>\(names.map { "<interface name=\"\($0)\"/>" }.joined())</node>")
    let types = code.matches(of: #/struct (\w+)Proxy/#).map { String($0.1) }
    #expect(types == ["Hostname1", "BDevice", "CDevice", "Default"])
    #expect(code.contains("func hostname1Table()") && code.contains("func defaultTable()"))
  }

  @Test(arguments: [
    #"<method name="A}"/>"#, #"<method name="A"><arg type="s x" direction="in"/></method>"#,
    #"<signal name="A"><arg name="&quot;" type="s"/></signal>"#, #"<property name="A" access="read"/>"#, "<",
    #"<method name="a.b"/>"#, #"<property name="A" type="ss"/>"#, #"<property name="A" type="a{vs}"/>"#,
    #"<property name="A" type="(a{s(aas)}"/>"#, #"<property name="A" type="aa"/>"#,
  ])
  func `the generator refuses invalid names and types`(member: String) throws {
    let directory = TemporaryDirectory()
    let file = directory.file("a.xml")
    try "<node><interface name=\"a.B\">\(member)</interface></node>".write(
      toFile: file, atomically: true, encoding: .utf8)
    let result = try generate([file, directory.file("Code.swift")])
    #expect(result.exit == .status(1) && !result.standardError.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: directory.file("Code.swift")))
  }
}
