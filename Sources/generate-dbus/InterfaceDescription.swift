// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationXML

/// Why code cannot be generated, for the user.
struct Problem: Error { let text: String }

/// An interface of introspection XML. Its names and types are safe to be written into Swift code.
struct InterfaceDescription {
  struct Member {
    let name: String
    let summary: String?
    /// What its Swift names are made of. Differs from `name` if another member has the same Swift name.
    var label: String
    var inputs: [Argument] = []
    var outputs: [Argument] = []
    /// Whether a method is answered.
    var hasReply = true
    /// The type of a property.
    var type = ""
    var isReadable = false
    var isWritable = false
    var emits = ".changed"
  }

  struct Argument {
    let name: String
    let type: String
  }

  let name: String
  var methods: [Member] = []
  var signals: [Member] = []
  var properties: [Member] = []

  /// What the names of its types can begin with: the last component of its name, the last two, …
  var typeNames: [String] {
    let components = name.split(separator: ".").map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return components.indices.reversed().map { components[$0...].joined() }
  }

  private static let standard: Set = [
    "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Properties",
  ]

  /// Reads the interfaces of a file. The standard ones, which every introspected object has, are read only from a file
  /// without others.
  static func read(_ path: String) throws -> [Self] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    // The parser runs first, because `XMLDocument` ignores errors.
    let parser = XMLParser(data: data)
    guard parser.parse() else { throw Problem(text: "\(path) is not valid XML, line \(parser.lineNumber)") }
    let all = try (try XMLDocument(data: data).rootElement()?.elements(forName: "interface") ?? []).map(Self.init)
    let own = all.filter { !standard.contains($0.name) }
    return own.isEmpty ? all : own
  }

  private init(_ interface: XMLElement) throws {
    name = try Self.attribute("name", of: interface, #/[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+/#)
    var comment: String?
    for node in interface.children ?? [] {
      if node.kind == .comment { comment = node.stringValue }
      // Elements of other namespaces, such as `doc:doc`, are not members.
      guard let element = node as? XMLElement, let kind = element.name,
        ["method", "signal", "property"].contains(kind)
      else { continue }
      let name = try Self.attribute("name", of: element, #/[A-Za-z_][A-Za-z0-9_]*/#)
      let summary = try comment.flatMap { Self.summary($0, of: name) } ?? Self.documentation(of: element)
      var member = Member(name: name, summary: summary, label: name)
      comment = nil
      for (index, argument) in element.elements(forName: "arg").enumerated() {
        let isNamed = argument.attribute(forName: "name")?.stringValue?.isEmpty == false
        let new = Argument(
          name: isNamed ? try Self.attribute("name", of: argument, #/[A-Za-z0-9_-]+/#) : "argument\(index)",
          type: try Self.type(of: argument))
        let isOutput = kind == "signal" || argument.attribute(forName: "direction")?.stringValue == "out"
        if isOutput { member.outputs.append(new) } else { member.inputs.append(new) }
      }
      switch kind {
      case "method":
        member.hasReply = Self.annotation("org.freedesktop.DBus.Method.NoReply", of: element) != "true"
        methods.append(member)
      case "signal": signals.append(member)
      case "property":
        member.type = try Self.type(of: element)
        let access = element.attribute(forName: "access")?.stringValue
        (member.isReadable, member.isWritable) = (access != "write", access != "read")
        let annotation = "org.freedesktop.DBus.Property.EmitsChangedSignal"
        switch Self.annotation(annotation, of: element) ?? Self.annotation(annotation, of: interface) {
        case _ where access == "write": member.emits = ".nothing"
        case "false": member.emits = ".nothing"
        case "const": member.emits = ".const"
        case "invalidates": member.emits = ".invalidates"
        default: break
        }
        properties.append(member)
      default: break
      }
    }
  }

  private static func type(of element: XMLElement) throws -> String {
    let type = try attribute("type", of: element, #/[ybnqiuxtdsogvha{}()]+/#)
    // Replaces complete types from the inside out, until a single one remains.
    var (rest, last) = (type, "")
    while rest != last {
      last = rest
      rest.replace(#/a[ybnqiuxtdsogvh]|a\{[ybnqiuxtdsogh][ybnqiuxtdsogvh]\}|\([ybnqiuxtdsogvh]+\)/#, with: "v")
    }
    guard rest.wholeMatch(of: #/[ybnqiuxtdsogvh]/#) != nil else {
      throw Problem(text: "<\(element.name ?? "")> has no valid type: '\(type)'")
    }
    return type
  }

  private static func annotation(_ name: String, of element: XMLElement) -> String? {
    element.elements(forName: "annotation").first { $0.attribute(forName: "name")?.stringValue == name }?
      .attribute(forName: "value")?.stringValue
  }

  private static func attribute(_ name: String, of element: XMLElement, _ form: Regex<some Any>) throws -> String {
    let value = element.attribute(forName: name)?.stringValue ?? ""
    guard value.wholeMatch(of: form) != nil else {
      throw Problem(text: "<\(element.name ?? "")> has no valid \(name): '\(value)'")
    }
    return value
  }

  /// The first sentence of a comment in the form `Name: what it does.`
  private static func summary(_ comment: String, of name: String) -> String? {
    let words = comment.split(whereSeparator: \.isWhitespace)
    return words.first == name + ":" ? firstSentence(words.dropFirst()) : nil
  }

  /// The first sentence of a `doc:doc` element.
  private static func documentation(of element: XMLElement) throws -> String? {
    let path = "*[local-name()='doc']//*[local-name()='summary' or local-name()='para']"
    let words = try element.nodes(forXPath: path).first?.stringValue?.split(whereSeparator: \.isWhitespace)
    return words.flatMap { $0.isEmpty ? nil : firstSentence($0[...]) }
  }

  private static func firstSentence(_ words: ArraySlice<Substring>) -> String {
    let text = words.joined(separator: " ")
    let sentence = text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
    return sentence.prefix(1).uppercased() + sentence.dropFirst()
  }
}
