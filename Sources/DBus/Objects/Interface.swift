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
public final class Interface<Owner: AnyObject> {
  let table: InterfaceTable

  /// The name of the interface.
  public var name: InterfaceName { table.name }

  /// Creates an interface from its members. If two members have the same name, the later one is used.
  public init(_ name: InterfaceName, _ members: [InterfaceMember<Owner>]) {
    table = InterfaceTable(name)
    for member in members { member.add(table) }
  }
}

/// A member of an interface.
public struct InterfaceMember<Owner: AnyObject> {
  /// Receives a value of the declared type. Must answer the call, immediately or later, or throw.
  public typealias PropertyWriter = (Owner, Value, MethodCall) throws(DBusError) -> Void

  fileprivate let add: (InterfaceTable) -> Void

  /// Declares a method. File descriptors are accepted only in arguments declared as `h`. The handler answers the call, immediately or later. An error that it throws becomes the answer.
  public static func method(
    _ name: MemberName, in inputs: Arguments = [:], out outputs: Arguments = [:],
    _ handler: @escaping (Owner, MethodCall) throws(DBusError) -> Void
  ) -> Self {
    Self { table in
      table.methods[name] = Method(name: name, inputs: inputs, outputs: outputs) { owner, call throws(DBusError) in
        try handler(unsafeDowncast(owner, to: Owner.self), call)
      }
    }
  }

  /// Declares a signal.
  public static func signal(_ name: MemberName, _ arguments: Arguments = [:]) -> Self {
    Self { $0.signals[name] = arguments }
  }

  /// Declares a property whose value is available immediately.
  public static func property(
    _ name: MemberName, _ type: Signature, emits: EmitsChange, write: PropertyWriter? = nil,
    _ read: @escaping (Owner) -> Value
  ) -> Self {
    property(name, type, emits, write, .now { read(unsafeDowncast($0, to: Owner.self)) })
  }

  /// Declares a property whose value depends on the caller or is available only later.
  public static func property(
    _ name: MemberName, _ type: Signature, emits: EmitsChange, write: PropertyWriter? = nil,
    readLater: @escaping (Owner, PropertyRead) -> Void
  ) -> Self {
    property(name, type, emits, write, .later { readLater(unsafeDowncast($0, to: Owner.self), $1) })
  }

  private static func property(
    _ name: MemberName, _ type: Signature, _ emits: EmitsChange, _ write: PropertyWriter?, _ read: Property.Reader
  ) -> Self {
    let property = Property(name, type, emits, read)
    if let write {
      property.write = { owner, value, call throws(DBusError) in
        try write(unsafeDowncast(owner, to: Owner.self), value, call)
      }
    }
    return Self { $0.properties[name] = property }
  }
}

/// An interface without the type of the objects that implement it. ``Implementation`` passes only objects of that type.
final class InterfaceTable {
  let name: InterfaceName
  fileprivate(set) var methods: [MemberName: Method] = [:]
  fileprivate(set) var properties: [MemberName: Property] = [:]
  fileprivate(set) var signals: [MemberName: Arguments] = [:]
  /// The properties in the order of their names.
  private(set) lazy var sortedProperties = properties.values.sorted { $0.name < $1.name }
  /// The introspection XML, generated once because it is the same for every object.
  private(set) lazy var xml = introspectionXML()

  fileprivate init(_ name: InterfaceName) { self.name = name }
}

/// A method and its handler.
struct Method {
  let name: MemberName
  let inputs: Arguments
  let outputs: Arguments
  let handler: (AnyObject, MethodCall) throws(DBusError) -> Void
}

/// A property with its getter and, if it is writable, its setter.
final class Property {
  enum Reader {
    case now((AnyObject) -> Value)
    case later((AnyObject, PropertyRead) -> Void)
  }

  let name: MemberName
  let type: Signature
  let emits: EmitsChange
  let read: Reader
  fileprivate(set) var write: ((AnyObject, Value, MethodCall) throws(DBusError) -> Void)?

  fileprivate init(_ name: MemberName, _ type: Signature, _ emits: EmitsChange, _ read: Reader) {
    (self.name, self.type, self.emits, self.read) = (name, type, emits, read)
  }

  /// Returns the value, or an error if it does not have the declared type.
  func checked(_ value: Value) -> Result<Value, DBusError> {
    if value.signature == type.rawValue { return .success(value) }
    return .failure(DBusError(.failed, "The value of \(name) does not match its signature"))
  }
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
