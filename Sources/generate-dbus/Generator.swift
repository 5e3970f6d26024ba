// SPDX-License-Identifier: Apache-2.0

/// Writes the Swift code of one interface.
struct Generator {
  typealias Member = InterfaceDescription.Member
  typealias Argument = InterfaceDescription.Argument

  private var interface: InterfaceDescription
  /// What the names of types begin with.
  private let prefix: String
  /// `public `, `package ` or nothing.
  private let access: String
  private let isAsync: Bool
  /// The properties that the skeleton answers later.
  private let later: Set<String>

  init(_ interface: InterfaceDescription, prefix: String, access: String, isAsync: Bool, later: Set<String>) {
    (self.interface, self.prefix, self.access, self.isAsync) = (interface, prefix, access, isAsync)
    self.later = later
    var taken: Set = ["interface", "proxy", "`self`"]
    self.interface.methods = labelled(interface.methods, "Method", &taken) { [identifier($0.label)] }
    self.interface.properties = labelled(interface.properties, "Property", &taken) { property in
      let name = capitalized(property.label)
      return [identifier(property.label), variable(property), "read\(name)", "write\(name)"]
    }
    self.interface.signals = labelled(interface.signals, "Signal", &taken) { signal in
      [identifier(signal.label), "on\(capitalized(signal.label))"]
    }
  }

  private func constant(_ member: Member) -> String { "\(prefix)Interface.\(identifier(member.label))" }

  /// The names of the members, for both sides.
  func names() -> String {
    let members = (interface.methods + interface.properties + interface.signals)
      .sorted { ($0.name, $0.label) < ($1.name, $1.label) }
    return """

      /// The names of `\(interface.name)`.
      \(access)nonisolated enum \(prefix)Interface {
        /// The interface itself.
        \(access)static let interface: InterfaceName = "\(interface.name)"
      \(members.map { "  \(access)static let \(identifier($0.label)): MemberName = \"\($0.name)\"\n" }.joined())}

      """
  }

  func proxy(_ hasProperties: Bool) -> String {
    let accessors = hasProperties ? interface.properties.map(accessors) : []
    let members = interface.methods.map(call) + accessors + interface.signals.map(handler)
    return """

      /// Calls an object with the interface `\(interface.name)`.
      @MainActor \(access)struct \(prefix)Proxy {
        /// Calls by name.
        \(access)let proxy: Proxy

        /// Creates a proxy without sending anything.
        \(access)init(on connection: Connection, destination: BusName, path: ObjectPath) {
          proxy = Proxy(on: connection, destination: destination, path: path, interface: \(prefix)Interface.interface)
        }
      \(members.joined())}

      """
  }

  private func call(_ method: Member) -> String {
    let parameters = zip(labels(method.inputs, not: ["timeout", "interactive"]), method.inputs).enumerated()
      .map { "\($1.0) value\($0): \(SwiftType($1.1.type).name)" }
    let arguments = method.inputs.enumerated().map { SwiftType($1.type).value("value\($0)") }
    guard method.hasReply else {
      let values = "[\(arguments.joined(separator: ", "))]"
      let target = "of: proxy.interface, at: proxy.path, on: proxy.destination"
      return "\n" + documentation(method) + """
          \(access)func \(identifier(method.label))\(tuple(parameters)) {
            let call = Message(calling: \(constant(method)), \(target), \(values))
            call.wantsReply = false
            proxy.connection.send(call)
          }

        """
    }
    let options = ["timeout: timeout", "interactive: interactive", "expecting: \(quoted(method.outputs))"]
    let types = declarations(method.outputs, "")
    return function(
      method, identifier(method.label),
      parameters + ["timeout: CallTimeout = .standard", "interactive: Bool = false"],
      returns: types.count == 1 ? SwiftType(method.outputs[0].type).name : types.isEmpty ? "Void" : tuple(types),
      "call(\(([constant(method)] + arguments + options).joined(separator: ", ")))",
      method.outputs.isEmpty ? "_ in ()" : "values in \(result(method.outputs))", canIgnore: true)
  }

  private func accessors(_ property: Member) -> String {
    let type = SwiftType(property.type)
    let (name, constant) = (capitalized(property.label), constant(property))
    let read = function(property, "read\(name)", [], returns: type.name, "get(\(constant))", "$0\(type.reader)")
    let write = function(
      property, "write\(name)", ["_ value: \(type.name)"], returns: "Void",
      "set(\(constant), to: \(type.value("value")))", "$0", canIgnore: true)
    return (property.isReadable ? read : "") + (property.isWritable ? write : "")
  }

  /// Writes a function that calls its handler with the result, or that is asynchronous.
  private func function(
    _ member: Member, _ name: String, _ parameters: [String], returns output: String, _ call: String,
    _ conversion: String, canIgnore: Bool = false
  ) -> String {
    let ignored = canIgnore ? " = { _ in }" : ""
    let handler = "_ handler: @escaping (Result<\(output), CallFailure>) -> Void\(ignored)"
    let all = (parameters + (isAsync ? [] : [handler])).joined(separator: ", ")
    let signature = "\(name)(\(all))" + (isAsync ? " async throws(CallFailure) -> \(output)" : "")
    let body =
      isAsync
      ? "try Result<_, CallFailure>.success(await proxy.\(call)).typed { \(conversion) }.get()"
      : "proxy.\(call) { result in handler(result.typed { \(conversion) }) }"
    return "\n" + documentation(member) + "  \(access)func \(signature) {\n    \(body)\n  }\n"
  }

  private func handler(_ signal: Member) -> String {
    let parameters = declarations(signal.outputs, "_ ")
    let (conditions, values) = unpacked(signal.outputs, from: "signal.arguments")
    let guards = ["signal.arguments.count == \(signal.outputs.count)"] + conditions
    return "\n" + documentation(signal) + """
        \(access)func on\(capitalized(signal.label))(_ handler: @escaping \(tuple(parameters)) -> Void) -> SignalMatch {
          proxy.onSignal(\(constant(signal))) { signal in
            guard \(guards.joined(separator: ", ")) else { return }
            handler(\(values.joined(separator: ", ")))
          }
        }

      """
  }

  func skeleton() -> String {
    let requirements = interface.methods.map(requirement) + interface.properties.map(requirements)
    let rows = interface.methods.map(row) + interface.properties.map(propertyRow) + interface.signals.map(signalRow)
    return """

      /// Implements `\(interface.name)`. A method answers its call, immediately or later; an error that it throws is the
      /// answer.
      @MainActor \(access)protocol \(prefix)Skeleton: AnyObject {
      \(requirements.joined())}

      extension \(prefix)Skeleton {
        /// Returns the table for an `Implementation`. It is the same for all objects of a type, so make it once.
        \(access)static func \(identifier(prefix + "Table"))() -> Interface<Self> {
          Interface(
            \(prefix)Interface.interface,
            [
      \(rows.map { "        \($0),\n" }.joined())      ])
        }
      }

      """
  }

  private func requirement(_ method: Member) -> String {
    let parameters = declarations(method.inputs, "_ ", not: ["call"]) + ["_ call: MethodCall"]
    return documentation(method) + "  func \(identifier(method.label))\(tuple(parameters)) throws(DBusError)\n"
  }

  private func requirements(_ property: Member) -> String {
    let type = SwiftType(property.type).name
    let name = capitalized(property.label)
    let read =
      later.contains(property.name)
      ? "  func read\(name)(_ request: PropertyRead)\n" : "  var \(variable(property)): \(type) { get }\n"
    let write = "  func write\(name)(_ value: \(type), _ call: MethodCall) throws(DBusError)\n"
    return documentation(property) + (property.isReadable ? read : "") + (property.isWritable ? write : "")
  }

  private func row(_ method: Member) -> String {
    let (conditions, values) = unpacked(method.inputs, from: "call.arguments")
    let guards = conditions.isEmpty ? "" : "guard \(conditions.joined(separator: ", ")) else { return }; "
    let types = [("in", method.inputs), ("out", method.outputs)].compactMap { label, arguments in
      arguments.isEmpty ? nil : "\(label): \(list(arguments))"
    }
    return ".method(\(([constant(method)] + types).joined(separator: ", "))) { object, call throws(DBusError) in "
      + "\(guards)try object.\(identifier(method.label))\(tuple(values + ["call"])) }"
  }

  private func propertyRow(_ property: Member) -> String {
    let type = SwiftType(property.type)
    let name = capitalized(property.label)
    var arguments = [constant(property), "\"\(property.type)\"", "emits: \(property.emits)"]
    if property.isWritable {
      let value = type.reader.isEmpty ? "value" : "value0"
      let guards = type.reader.isEmpty ? "" : "guard let value0 = value\(type.reader) else { return }; "
      arguments.append(
        "write: { object, value, call throws(DBusError) in \(guards)try object.write\(name)(\(value), call) }")
    }
    guard property.isReadable else {
      let error = "DBusError(.accessDenied, \"The property \(property.name) is write-only\")"
      return ".property(\((arguments + ["readLater: { $1.answer(.failure(\(error))) }"]).joined(separator: ", ")))"
    }
    if later.contains(property.name) { arguments.append("readLater: { $0.read\(name)($1) }") }
    let read = later.contains(property.name) ? "" : " { \(type.value("$0.\(variable(property))")) }"
    return ".property(\(arguments.joined(separator: ", ")))\(read)"
  }

  private func signalRow(_ signal: Member) -> String {
    ".signal(\(constant(signal))\(signal.outputs.isEmpty ? "" : ", \(list(signal.outputs))"))"
  }
}

// MARK: - Parts
extension Generator {
  private func documentation(_ member: Member) -> String { "  /// \(member.summary ?? "`\(member.name)`")\n" }

  private func tuple(_ parts: [String]) -> String { "(\(parts.joined(separator: ", ")))" }

  private func declarations(_ arguments: [Argument], _ start: String, not taken: Set<String> = []) -> [String] {
    zip(labels(arguments, not: taken), arguments).map { "\(start)\($0): \(SwiftType($1.type).name)" }
  }

  /// The names of arguments. A name that is taken gets a number.
  private func labels(_ arguments: [Argument], not taken: Set<String> = []) -> [String] {
    var taken = taken
    return arguments.map { identifier(free($0.name, "", &taken) { [identifier($0)] }) }
  }

  /// The members with labels that make distinct names. A name that is taken gets the member's kind, then a number.
  private func labelled(
    _ members: [Member], _ kind: String, _ taken: inout Set<String>, _ names: (Member) -> [String]
  ) -> [Member] {
    members.map { member in
      var new = member
      _ = free(member.name, kind, &taken) { label in
        new.label = label
        return names(new)
      }
      return new
    }
  }

  /// The first of `name`, `nameSuffix`, `nameSuffix2`, … that makes only free names, which are then taken.
  private func free(
    _ name: String, _ suffix: String, _ taken: inout Set<String>, _ names: (String) -> [String]
  ) -> String {
    var (candidate, number) = (name, 1)
    while !taken.isDisjoint(with: names(candidate)) {
      candidate = name + suffix + (number == 1 ? "" : "\(number)")
      number += 1
    }
    taken.formUnion(names(candidate))
    return candidate
  }

  private func quoted(_ arguments: [Argument]) -> String { "\"\(arguments.map(\.type).joined())\"" }

  private func list(_ arguments: [Argument]) -> String {
    "[\(arguments.map { "\"\($0.name)\": \"\($0.type)\"" }.joined(separator: ", "))]"
  }

  /// The conditions that read arguments into `value0`, `value1`, …, and the resulting values.
  private func unpacked(_ arguments: [Argument], from source: String) -> (conditions: [String], values: [String]) {
    let readers = arguments.map { SwiftType($0.type).reader }
    return (
      readers.enumerated().compactMap { $1.isEmpty ? nil : "let value\($0) = \(source)[\($0)]\($1)" },
      readers.enumerated().map { $1.isEmpty ? "\(source)[\($0)]" : "value\($0)" }
    )
  }

  /// An expression for the results of a call, or nil.
  private func result(_ outputs: [Argument]) -> String {
    if outputs.count == 1 { return "values[0]\(SwiftType(outputs[0].type).reader)" }
    let (conditions, values) = unpacked(outputs, from: "values")
    return conditions.isEmpty
      ? tuple(values) : "if \(conditions.joined(separator: ", ")) { \(tuple(values)) } else { nil }"
  }

  private func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

  /// A property's name in the skeleton: `isActive` for a boolean `Active`.
  private func variable(_ property: Member) -> String {
    guard property.type == "b", !["Is", "Has", "Can"].contains(where: property.label.hasPrefix) else {
      return identifier(property.label)
    }
    return "is\(capitalized(property.label))"
  }

  /// Turns `GetID` into `getID`, `IDs` into `ids` and `xml_data` into `xmlData`.
  private func identifier(_ name: String) -> String {
    let words = name.split { !$0.isLetter && !$0.isNumber }
    let start = words.first.map { $0.first?.isLetter == true ? "" : "_" } ?? "__"
    let joined = start + words.enumerated().map { $0 == 0 ? String($1) : capitalized(String($1)) }.joined()
    let head = joined.prefix { $0.isUppercase }
    let kept = head.count > 1 && head.count < joined.count ? head.dropLast() : head
    let lowered = kept.lowercased() + joined.dropFirst(kept.count)
    return Self.keywords.contains(lowered) ? "`\(lowered)`" : lowered
  }

  private static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while",
  ]
}

/// How a D-Bus type appears in Swift. A type that is not listed stays a `Value`.
struct SwiftType {
  let name: String
  /// The accessor that reads it from a `Value`, such as `.uint32`; empty for a `Value`.
  let reader: String
  private let constructor: String

  init(_ signature: String) {
    let types = [
      "y": ("UInt8", "byte"), "b": ("Bool", "boolean"), "n": ("Int16", "int16"), "q": ("UInt16", "uint16"),
      "i": ("Int32", "int32"), "u": ("UInt32", "uint32"), "x": ("Int64", "int64"), "t": ("UInt64", "uint64"),
      "d": ("Double", "double"), "s": ("String", "string"), "o": ("ObjectPath", "objectPath"),
      "g": ("Signature", "signatureValue"), "h": ("OwnedDescriptor", "descriptor"), "ay": ("[UInt8]", "bytes"),
      "as": ("[String]", "strings"),
    ]
    let type = types[signature]
    name = type?.0 ?? "Value"
    reader = type.map { ".\($0.1)" } ?? ""
    constructor = type.map { $0.1 == "signatureValue" ? ".signature" : ".\($0.1)" } ?? ""
  }

  /// The expression for a `Value`.
  func value(_ expression: String) -> String { constructor.isEmpty ? expression : "\(constructor)(\(expression))" }
}
