// SPDX-License-Identifier: Apache-2.0
/// Implements `org.freedesktop.DBus.Properties` for any object.
enum Properties {
  static func get(_ call: MethodCall, of object: ExportedObject?) throws(DBusError) {
    let (interface, property) = try find(call, in: object)
    interface.read(property, for: call) { result in
      switch result {
      case .success(let value): call.reply(.variant(value))
      case .failure(let error): call.fail(error)
      }
    }
  }

  static func set(_ call: MethodCall, on object: ExportedObject?) throws(DBusError) {
    let (interface, property) = try find(call, in: object)
    guard let write = property.write else {
      throw DBusError(.propertyReadOnly, "The property \(property.name) is read-only")
    }
    guard case .variant(let value) = call.arguments[2], value.signature == property.type.rawValue else {
      throw DBusError(.invalidArgs, "The property \(property.name) must have the type '\(property.type)'")
    }
    try write(try interface.liveOwner(), value, call)
  }

  static func getAll(_ call: MethodCall, of object: ExportedObject?) throws(DBusError) {
    let name = call.arguments.first?.string ?? ""
    if isStandard(name) { return call.reply(.options([])) }
    Collection(call, of: try interface(named: name, of: object)).begin()
  }

  /// Collects the values of all properties, whose getters may answer later. Properties that fail are omitted, unless
  /// the object has ended.
  private final class Collection {
    private let call: MethodCall
    private let interface: Implementation
    /// The values of properties whose getters may answer later.
    private var values: [MemberName: Value] = [:]
    private var missing = 1
    private var isAsking = true
    /// The property whose getter was the last to answer after ``begin()``.
    private var lastAnswered: MemberName?
    /// The error of a getter whose object has ended.
    private var endedError: DBusError?

    init(_ call: MethodCall, of interface: Implementation) {
      self.call = call
      self.interface = interface
    }

    func begin() {
      for property in interface.table.sortedProperties {
        guard case .later = property.read else { continue }
        missing += 1
        interface.read(property, for: call) { [self] result in
          values[property.name] = value(of: result)
          if !isAsking { lastAnswered = property.name }
          finishOne()
        }
      }
      isAsking = false
      finishOne()
    }

    private func finishOne() {
      missing -= 1
      guard missing == 0 else { return }
      if let lastAnswered, endedError == nil { readAgain(except: lastAnswered) }
      let options = interface.table.sortedProperties.compactMap { property in
        var value = values[property.name]
        if case .now = property.read { interface.read(property, for: call) { [self] in value = self.value(of: $0) } }
        return value.map { (property.name.rawValue, $0) }
      }
      if let endedError { call.fail(endedError) } else { call.reply(.options(options)) }
    }

    /// Returns the value of a property, unless its getter has failed.
    private func value(of result: Result<Value, DBusError>) -> Value? {
      do throws(DBusError) {
        return try result.get()
      } catch {
        if error.name == .unknownObject { endedError = error }
        return nil
      }
    }

    /// Other values may have been changed and signalled before the last answer. The reply follows those signals, so it
    /// must not contain the old values.
    private func readAgain(except last: MemberName) {
      var isOpen = true
      for property in interface.table.sortedProperties where property.name != last {
        guard case .later = property.read else { continue }
        interface.read(property, for: call, isRepeated: true) { [self] result in
          if isOpen { values[property.name] = value(of: result) }
        }
      }
      isOpen = false
    }
  }

  private static func find(
    _ call: MethodCall, in object: ExportedObject?
  ) throws(DBusError) -> (Implementation, Property) {
    let name = call.arguments[1].string ?? ""
    let interfaceName = call.arguments[0].string ?? ""
    guard !isStandard(interfaceName) else {
      throw DBusError(.unknownProperty, "The standard interfaces have no properties")
    }
    let interface = try self.interface(named: interfaceName, of: object)
    guard let member = MemberName(validating: name), let property = interface.table.properties[member] else {
      throw DBusError(.unknownProperty, "The interface \(interface.table.name) has no such property")
    }
    return (interface, property)
  }

  private static func interface(
    named name: String, of object: ExportedObject?
  ) throws(DBusError) -> Implementation {
    guard let interface = object?.interface(named: name) else {
      throw DBusError(.unknownInterface, "The object does not have that interface")
    }
    return interface
  }

  private static func isStandard(_ name: String) -> Bool {
    [InterfaceName.properties, .introspectable, .peer].contains { $0.rawValue == name }
  }
}
