// SPDX-License-Identifier: Apache-2.0
/// An interface as a table: its members with their signatures and handlers.
///
/// Dispatch, `Properties` and `Introspect` all come from the same table, so that they cannot disagree.
///
/// ```swift
/// let interface = Interface<Counter>(
///   "org.example.Counter",
///   [
///     .method("Increase", in: ["by": "u"], out: ["count": "u"]) { counter, call in
///       counter.count &+= call.arguments[0].uint32 ?? 0
///       call.reply(.uint32(counter.count))
///     },
///     .property("Count", "u", emits: .changed) { .uint32($0.count) },
///   ])
/// let counter = Counter()
/// connection.objects.export("/org/example/Counter", Implementation(of: interface, by: counter))
/// try connection.own("org.example.Counter")
/// ```
public final class Interface<Owner: AnyObject>: InterfaceTable {
  /// The name on the bus.
  public let name: InterfaceName
  let methods: [MemberName: MethodEntry<Owner>]
  let properties: [MemberName: PropertyEntry<Owner>]
  let signals: [MemberName: Arguments]
  /// The table in XML, made once: it is the same for every object.
  private(set) lazy var xml = introspectionXML()

  /// Creates a table of the given rows; of two rows with the same name, the later one counts.
  public init(_ name: InterfaceName, _ members: [InterfaceMember<Owner>]) {
    self.name = name
    var methods: [MemberName: MethodEntry<Owner>] = [:]
    var properties: [MemberName: PropertyEntry<Owner>] = [:]
    var signals: [MemberName: Arguments] = [:]
    for member in members {
      switch member {
      case .methodEntry(let entry): methods[entry.name] = entry
      case .propertyEntry(let entry): properties[entry.shape.name] = entry
      case .signalEntry(let name, let arguments): signals[name] = arguments
      }
    }
    self.methods = methods
    self.properties = properties
    self.signals = signals
  }

  var methodShapes: [MethodShape] {
    methods.values.map { MethodShape(name: $0.name, inputs: $0.inputs, outputs: $0.outputs) }
  }
  var propertyShapes: [PropertyShape] { properties.values.map(\.shape) }
  var signalShapes: [(name: MemberName, arguments: Arguments)] { signals.map { ($0.key, $0.value) } }
}

/// One row of the table.
public enum InterfaceMember<Owner: AnyObject> {
  /// Made by ``method(_:in:out:_:)``.
  case methodEntry(MethodEntry<Owner>)
  /// Made by the functions for properties below.
  case propertyEntry(PropertyEntry<Owner>)
  /// Made by ``signal(_:_:)``.
  case signalEntry(MemberName, Arguments)

  /// A method. The handler answers the call, or keeps it and answers later; an error that it throws is the answer.
  public static func method(
    _ name: MemberName, in inputs: Arguments = [:], out outputs: Arguments = [:],
    _ handler: @escaping (Owner, MethodCall) throws(DBusError) -> Void
  ) -> Self {
    .methodEntry(MethodEntry(name: name, inputs: inputs, outputs: outputs, handler: handler))
  }

  /// A signal.
  public static func signal(_ name: MemberName, _ arguments: Arguments = [:]) -> Self {
    .signalEntry(name, arguments)
  }

  /// A property whose value is known at once.
  public static func property(
    _ name: MemberName, _ type: Signature, emits: EmitsChange, write: PropertyEntry<Owner>.Writer? = nil,
    _ read: @escaping (Owner) -> Value
  ) -> Self {
    .propertyEntry(
      PropertyEntry(
        shape: PropertyShape(name: name, type: type, emits: emits, isWritable: write != nil),
        read: { owner, request in request.answer(read(owner)) }, write: write))
  }

  /// A property whose value depends on the caller, or is available later.
  public static func property(
    _ name: MemberName, _ type: Signature, emits: EmitsChange, write: PropertyEntry<Owner>.Writer? = nil,
    readLater: @escaping (Owner, PropertyRead) -> Void
  ) -> Self {
    .propertyEntry(
      PropertyEntry(
        shape: PropertyShape(name: name, type: type, emits: emits, isWritable: write != nil), read: readLater,
        write: write))
  }
}

/// A method with its handler.
public struct MethodEntry<Owner: AnyObject> {
  let name: MemberName
  let inputs: Arguments
  let outputs: Arguments
  let handler: (Owner, MethodCall) throws(DBusError) -> Void
}

/// A property with its getter and setter.
public struct PropertyEntry<Owner: AnyObject> {
  /// Receives a value of the right type; answers the call now or later, or throws.
  public typealias Writer = (Owner, Value, MethodCall) throws(DBusError) -> Void
  let shape: PropertyShape
  let read: (Owner, PropertyRead) -> Void
  let write: Writer?
}

/// What is signalled when a property changes (`org.freedesktop.DBus.Property.EmitsChangedSignal`).
nonisolated public enum EmitsChange: String, Sendable {
  /// The new value.
  case changed = "true"
  /// Only that there is a new one.
  case invalidates
  /// It never changes.
  case const
  /// Nothing.
  case nothing = "false"
}

/// Named arguments in their order, written as a dictionary literal: `["options": "a{sv}"]`.
nonisolated public struct Arguments: ExpressibleByDictionaryLiteral, Sendable {
  let list: [(name: String, type: Signature)]
  /// All types one after the other, as a message has them.
  let signature: String

  public init(dictionaryLiteral elements: (StaticString, Signature)...) {
    list = elements.map { ($0.0.description, $0.1) }
    signature = elements.map(\.1.rawValue).joined()
  }
}

/// What the outside sees of a method.
nonisolated struct MethodShape {
  let name: MemberName
  let inputs: Arguments
  let outputs: Arguments
}

/// What the outside sees of a property.
nonisolated public struct PropertyShape {
  let name: MemberName
  let type: Signature
  let emits: EmitsChange
  let isWritable: Bool
}

/// An interface table without the type of its objects.
protocol InterfaceTable: AnyObject {
  var name: InterfaceName { get }
  var xml: String { get }
  var methodShapes: [MethodShape] { get }
  var propertyShapes: [PropertyShape] { get }
  var signalShapes: [(name: MemberName, arguments: Arguments)] { get }
}
