// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// An object on a connection: a path with interfaces, visible to all peers or to one only.
public final class ExportedObject {
  /// The path of the object.
  public let path: ObjectPath
  /// The only connection that sees the object and receives its signals, or nil for all connections.
  public let owner: BusName?
  /// Called for a recorded change of a property, whose signal then waits for ``flushChanges()``. If nil, all changes of
  /// one turn of the loop are signalled at its end.
  public var onChange: (() -> Void)?
  let interfaces: [Implementation]
  private weak var tree: ObjectTree?
  private var changed: [(interface: InterfaceName, property: MemberName)] = []
  private var flush: LoopSource?

  init(_ path: ObjectPath, owner: BusName?, _ interfaces: [Implementation], in tree: ObjectTree) {
    self.path = path
    self.owner = owner
    self.interfaces = interfaces
    self.tree = tree
  }

  /// Removes the object from the bus. Unsent property changes are dropped.
  public func unexport() {
    let tree = tree
    detach()
    tree?.remove(self)
  }

  func detach() {
    flush = nil
    onChange = nil
    changed = []
    tree = nil
  }

  func isVisible(to peer: BusName) -> Bool { owner == nil || owner == peer }

  func interface(named name: String) -> (Implementation)? {
    interfaces.first { $0.table.name.rawValue == name }
  }

  /// Sends a signal to the owner, or as a broadcast if there is none.
  public func emit(_ member: MemberName, of interface: InterfaceName, _ values: Value...) {
    assert(
      isDeclared(member, of: interface, values.map(\.signature).joined()),
      "\(interface).\(member): the arguments do not match the interface")
    tree?.connection?.send(Message(signal: member, of: interface, at: path, to: owner, values))
  }

  private func isDeclared(_ member: MemberName, of interface: InterfaceName, _ signature: String) -> Bool {
    if interface == .properties { return true }
    return self.interface(named: interface.rawValue)?.table.signals[member]?.signature == signature
  }

  /// Records that a property has a new value. Recorded changes are signalled together, with the values at that time.
  public func propertyChanged(_ property: MemberName, of interface: InterfaceName) {
    let isNoted = changed.contains { $0.property == property && $0.interface == interface }
    guard tree != nil, !isNoted else { return }
    changed.append((interface, property))
    if let onChange { return onChange() }
    if flush == nil { flush = MainLoop.main.nextTurn { [weak self] in self?.flushChanges() } }
  }

  /// Records all properties whose changes are signalled, because the bus may have lost signals.
  public func allPropertiesChanged() {
    for table in interfaces.map(\.table) {
      for property in table.sortedProperties { propertyChanged(property.name, of: table.name) }
    }
  }

  /// Signals the recorded changes now, for instance before the object is removed.
  public func flushChanges() {
    flush = nil
    let pending = changed
    changed = []
    for interface in interfaces {
      let names = pending.filter { $0.interface == interface.table.name }.map(\.property)
      if !names.isEmpty { sendChanges(of: names, in: interface) }
    }
  }

  private func sendChanges(of names: [MemberName], in interface: Implementation) {
    var values: [(String, Value)] = []
    var invalidated: [String] = []
    for name in names {
      guard let property = interface.table.properties[name] else { continue }
      switch property.emits {
      case .const, .nothing: continue
      case .invalidates: invalidated.append(name.rawValue)
      case .changed:
        var now: Value?
        interface.read(property, for: nil) { now = try? $0.get() }
        if let now { values.append((name.rawValue, now)) } else { invalidated.append(name.rawValue) }
      }
    }
    guard !values.isEmpty || !invalidated.isEmpty else { return }
    emit(
      .propertiesChanged, of: .properties, .string(interface.table.name.rawValue),
      .options(values), .strings(invalidated))
  }
}

/// An interface together with the object that implements it, for ``ObjectTree/export(_:owner:_:)``.
public struct Implementation {
  let table: InterfaceTable
  private weak var owner: AnyObject?

  /// Pairs an interface with an object, which is not retained. Calls fail once it has been released.
  public init<Owner: AnyObject>(of interface: Interface<Owner>, by owner: Owner) {
    table = interface.table
    self.owner = owner
  }

  func liveOwner() throws(DBusError) -> AnyObject {
    guard let owner else { throw DBusError(.unknownObject, "The object at this path no longer exists") }
    return owner
  }

  /// Reads a property for a call, or for a signal.
  func read(
    _ property: Property, for call: MethodCall?, isRepeated: Bool = false,
    _ handler: @escaping (Result<Value, DBusError>) -> Void
  ) {
    do throws(DBusError) {
      switch property.read {
      case .now(let read): handler(property.checked(read(try liveOwner())))
      case .later(let read):
        read(try liveOwner(), PropertyRead(of: property, for: call, isRepeated: isRepeated, handler))
      }
    } catch {
      handler(.failure(error))
    }
  }
}
