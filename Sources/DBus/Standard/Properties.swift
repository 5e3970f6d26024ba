/// `org.freedesktop.DBus.Properties` for any object.
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
      throw DBusError(.propertyReadOnly, "The property \(shape.name) cannot be written")
    }
    guard case .variant(let value) = call.arguments[2], value.signature == shape.type.rawValue else {
      throw DBusError(.invalidArgs, "The property \(shape.name) has the type '\(shape.type)'")
    }
    try interface.write(shape.name, value, call)
  }

  static func getAll(_ call: MethodCall, of object: ExportedObject?) throws(DBusError) {
    let name = call.arguments.first?.string ?? ""
    if isStandard(name) { return call.reply(.options([])) }
    let interface = try self.interface(named: name, of: object)
    let collection = Collection(call)
    for shape in interface.table.propertyShapes.sorted(by: { $0.name < $1.name }) {
      let index = collection.expect(shape.name.rawValue)
      interface.read(shape.name, PropertyRead(of: shape, by: call.sender) { collection.take($0, at: index) })
    }
    collection.allAsked()
  }

  /// Gathers the values of all properties, whose getters may answer later; one that fails is left out.
  private final class Collection {
    private let call: MethodCall
    private var values: [(String, Value?)] = []
    private var missing = 1

    init(_ call: MethodCall) { self.call = call }

    func expect(_ name: String) -> Int {
      missing += 1
      values.append((name, nil))
      return values.count - 1
    }

    func take(_ result: Result<Value, DBusError>, at index: Int) {
      values[index].1 = try? result.get()
      finishOne()
    }

    func allAsked() { finishOne() }

    private func finishOne() {
      missing -= 1
      guard missing == 0 else { return }
      call.reply(.options(values.compactMap { name, value in value.map { (name, $0) } }))
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
    [StandardInterface.properties, StandardInterface.introspectable, StandardInterface.peer]
      .contains { $0.rawValue == name }
  }
}
