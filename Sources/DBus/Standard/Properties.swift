// SPDX-License-Identifier: Apache-2.0
/// Implements `org.freedesktop.DBus.Properties` for any object.
enum Properties {
  static func get(_ call: MethodCall, of object: ExportedObject?) throws(DBusError) {
    let (interface, shape) = try find(call, in: object)
    interface.read(
      shape.name,
      PropertyRead(of: shape, by: call.sender) { result in
        switch result {
        case .success(let value): call.reply(.variant(value))
        case .failure(let error): call.fail(error)
        }
      })
  }

  static func set(_ call: MethodCall, on object: ExportedObject?) throws(DBusError) {
    let (interface, shape) = try find(call, in: object)
    guard shape.isWritable else {
      throw DBusError(.propertyReadOnly, "The property \(shape.name) is read-only")
    }
    guard case .variant(let value) = call.arguments[2], value.signature == shape.type.rawValue else {
      throw DBusError(.invalidArgs, "The property \(shape.name) must have the type '\(shape.type)'")
    }
    try interface.write(shape.name, value, call)
  }

  static func getAll(_ call: MethodCall, of object: ExportedObject?) throws(DBusError) {
    let name = call.arguments.first?.string ?? ""
    if isStandard(name) { return call.reply(.options([])) }
    let interface = try self.interface(named: name, of: object)
    let shapes = interface.table.propertyShapes.sorted { $0.name < $1.name }
    Collection(call, of: shapes) { interface.read($0.name, PropertyRead(of: $0, by: call.sender, $1)) }.begin()
  }

  /// Collects the values of all properties, whose getters may answer later. Properties that fail are omitted.
  private final class Collection {
    private struct Entry {
      let shape: PropertyShape
      var value: Value?
      var isLate = false
    }

    private let call: MethodCall
    private let read: (PropertyShape, @escaping (Result<Value, DBusError>) -> Void) -> Void
    private var entries: [Entry]
    private var missing: Int
    private var isAsking = true

    init(
      _ call: MethodCall, of shapes: [PropertyShape],
      _ read: @escaping (PropertyShape, @escaping (Result<Value, DBusError>) -> Void) -> Void
    ) {
      self.call = call
      self.read = read
      entries = shapes.map { Entry(shape: $0) }
      missing = entries.count + 1
    }

    func begin() {
      for index in entries.indices {
        read(entries[index].shape) { [self] result in
          entries[index].value = try? result.get()
          entries[index].isLate = !isAsking
          finishOne()
        }
      }
      isAsking = false
      finishOne()
    }

    private func finishOne() {
      missing -= 1
      guard missing == 0 else { return }
      if entries.contains(where: \.isLate) { readAgain() }
      call.reply(.options(entries.compactMap { entry in entry.value.map { (entry.shape.name.rawValue, $0) } }))
    }

    /// Values read immediately may have been changed and signalled since. The reply follows those signals, so it must
    /// not contain the old values.
    private func readAgain() {
      var isOpen = true
      for index in entries.indices where !entries[index].isLate {
        read(entries[index].shape) { [self] result in
          if isOpen { entries[index].value = try? result.get() }
        }
      }
      isOpen = false
    }
  }

  private static func find(
    _ call: MethodCall, in object: ExportedObject?
  ) throws(DBusError) -> (any BoundInterface, PropertyShape) {
    let name = call.arguments[1].string ?? ""
    let interfaceName = call.arguments[0].string ?? ""
    guard !isStandard(interfaceName) else {
      throw DBusError(.unknownProperty, "The standard interfaces have no properties")
    }
    let interface = try self.interface(named: interfaceName, of: object)
    guard let member = MemberName(validating: name), let shape = interface.shape(ofProperty: member) else {
      throw DBusError(.unknownProperty, "The interface \(interface.table.name) has no such property")
    }
    return (interface, shape)
  }

  private static func interface(
    named name: String, of object: ExportedObject?
  ) throws(DBusError) -> any BoundInterface {
    guard let interface = object?.interface(named: name) else {
      throw DBusError(.unknownInterface, "The object does not have that interface")
    }
    return interface
  }

  private static func isStandard(_ name: String) -> Bool {
    [InterfaceName.properties, .introspectable, .peer].contains { $0.rawValue == name }
  }
}
