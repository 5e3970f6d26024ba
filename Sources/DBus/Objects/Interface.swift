// SPDX-License-Identifier: Apache-2.0
/// An interface as a table of its members with their signatures and handlers.
///
/// Dispatch, `Properties` and `Introspect` all use the same table, so they cannot disagree.
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
  /// The name of the interface.
  public let name: InterfaceName
  let methods: [MemberName: MethodEntry<Owner>]
  let properties: [MemberName: PropertyEntry<Owner>]
  let signals: [MemberName: Arguments]
  /// The introspection XML, generated once because it is the same for every object.
  private(set) lazy var xml = introspectionXML()

  /// Creates an interface from its members. If two members have the same name, the later one is used.
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

/// A member of an interface.
public enum InterfaceMember<Owner: AnyObject> {
  /// Created by ``method(_:in:out:_:)``.
  case methodEntry(MethodEntry<Owner>)
  /// Created by the `property` functions.
  case propertyEntry(PropertyEntry<Owner>)
  /// Created by ``signal(_:_:)``.
  case signalEntry(MemberName, Arguments)

  /// Declares a method. The handler answers the call, immediately or later. An error that it throws becomes the answer.
  public static func method(
    _ name: MemberName, in inputs: Arguments = [:], out outputs: Arguments = [:],
    _ handler: @escaping (Owner, MethodCall) throws(DBusError) -> Void
  ) -> Self {
    .methodEntry(MethodEntry(name: name, inputs: inputs, outputs: outputs, handler: handler))
  }

  /// Declares a signal.
  public static func signal(_ name: MemberName, _ arguments: Arguments = [:]) -> Self {
    .signalEntry(name, arguments)
  }

  /// Declares a property whose value is available immediately.
  public static func property(
    _ name: MemberName, _ type: Signature, emits: EmitsChange, write: PropertyEntry<Owner>.Writer? = nil,
    _ read: @escaping (Owner) -> Value
  ) -> Self {
    .propertyEntry(
      PropertyEntry(
        shape: PropertyShape(name: name, type: type, emits: emits, isWritable: write != nil),
        read: { owner, request in request.answer(read(owner)) }, write: write))
  }

  /// Declares a property whose value depends on the caller or is available only later.
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

/// A method and its handler.
public struct MethodEntry<Owner: AnyObject> {
  let name: MemberName
  let inputs: Arguments
  let outputs: Arguments
  let handler: (Owner, MethodCall) throws(DBusError) -> Void
}

/// A property with its getter and setter.
public struct PropertyEntry<Owner: AnyObject> {
  /// Receives a value of the declared type. Must answer the call, immediately or later, or throw.
  public typealias Writer = (Owner, Value, MethodCall) throws(DBusError) -> Void
  let shape: PropertyShape
  let read: (Owner, PropertyRead) -> Void
  let write: Writer?
}

/// What to signal when a property changes (`org.freedesktop.DBus.Property.EmitsChangedSignal`).
nonisolated public enum EmitsChange: String, Sendable {
  /// The new value.
  case changed = "true"
  /// Only that there is a new value.
  case invalidates
  /// Nothing, because the property never changes.
  case const
  /// Nothing.
  case nothing = "false"
}

/// Named arguments in order, written as a dictionary literal: `["options": "a{sv}"]`.
nonisolated public struct Arguments: ExpressibleByDictionaryLiteral, Sendable {
  let list: [(name: String, type: Signature)]
  /// The concatenated types of all arguments.
  let signature: String

  public init(dictionaryLiteral elements: (StaticString, Signature)...) {
    list = elements.map { ($0.0.description, $0.1) }
    signature = elements.map(\.1.rawValue).joined()
  }
}

/// The public description of a method.
nonisolated struct MethodShape {
  let name: MemberName
  let inputs: Arguments
  let outputs: Arguments
}

/// The public description of a property.
nonisolated public struct PropertyShape {
  let name: MemberName
  let type: Signature
  let emits: EmitsChange
  let isWritable: Bool
}

/// An interface without the type of the objects that implement it.
protocol InterfaceTable: AnyObject {
  var name: InterfaceName { get }
  var xml: String { get }
  var methodShapes: [MethodShape] { get }
  var propertyShapes: [PropertyShape] { get }
  var signalShapes: [(name: MemberName, arguments: Arguments)] { get }
}
