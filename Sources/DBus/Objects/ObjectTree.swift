// SPDX-License-Identifier: Apache-2.0
/// The exported objects of a connection. Routes calls to them.
public final class ObjectTree {
  weak var connection: Connection?
  private var objects: [ObjectPath: ExportedObject] = [:]

  /// Receives each incoming call, including calls to standard interfaces, and must refuse it or pass it to
  /// ``perform(_:)`` when its turn comes. If nil, calls are performed immediately.
  public var intake: ((MethodCall) -> Void)?

  /// Exports an object. Replaces an earlier one at the same path.
  ///
  /// With an `owner`, the object does not exist for other connections, and its signals are sent to the owner only.
  @discardableResult
  public func export(
    _ path: ObjectPath, owner: BusName? = nil, _ implementations: Implementation...
  ) -> ExportedObject {
    let object = ExportedObject(path, owner: owner, implementations, in: self)
    objects.updateValue(object, forKey: path)?.detach()
    return object
  }

  func remove(_ object: ExportedObject) {
    if objects[object.path] === object { objects.removeValue(forKey: object.path) }
  }

  func removeAll() {
    for object in objects.values { object.detach() }
    objects = [:]
    intake = nil
  }

  func dispatch(_ message: Message) {
    guard let connection, let call = MethodCall(message, on: connection, acceptsDescriptors: hasDescriptors)
    else { return }
    if let intake { intake(call) } else { perform(call) }
  }

  /// Answers a call or passes it to its method.
  public func perform(_ call: MethodCall) {
    do throws(DBusError) {
      try route(call)
    } catch {
      call.fail(error)
    }
  }

  private func route(_ call: MethodCall) throws(DBusError) {
    guard !call.hasLongPath else { throw DBusError(.limitsExceeded, "The path is too long") }
    if try StandardInterface.handlePeer(call) { return }
    let object = object(for: call)
    let children = { self.children(of: call.path, for: call.sender) }
    guard object != nil || call.path == .root || !children().isEmpty else {
      throw DBusError(.unknownObject, "There is no object at this path")
    }
    if try StandardInterface.handle(call, object: object, children: children) { return }
    let interface = try interface(for: call, of: object)
    guard let method = interface.table.methods[call.member] else {
      throw DBusError(.unknownMethod, "The interface \(interface.table.name) has no method \(call.member)")
    }
    guard call.signature == method.inputs.signature else {
      throw DBusError(
        .invalidArgs,
        "\(call.member) takes arguments with the signature '\(method.inputs.signature)', not '\(call.signature)'")
    }
    try call.readArguments()
    call.outputs = method.outputs.signature
    try method.handler(try interface.liveOwner(), call)
  }

  private func object(for call: MethodCall) -> ExportedObject? {
    objects[call.path].flatMap { $0.isVisible(to: call.sender) ? $0 : nil }
  }

  /// Whether the called method declares file descriptors among its arguments, and the call has that signature.
  private func hasDescriptors(_ call: MethodCall) -> Bool {
    let method = try? interface(for: call, of: object(for: call)).table.methods[call.member]
    return method?.inputs.signature == call.signature && call.signature.contains("h")
  }

  /// Returns the interface named in the call or, if it names none, the first one with the member.
  private func interface(for call: MethodCall, of object: ExportedObject?) throws(DBusError) -> Implementation {
    guard let name = call.interface else {
      if let found = object?.interfaces.first(where: { $0.table.methods[call.member] != nil }) { return found }
      throw DBusError(.unknownMethod, "The object has no method \(call.member)")
    }
    guard let found = object?.interface(named: name.rawValue) else {
      throw DBusError(.unknownInterface, "The object does not have the interface \(name)")
    }
    return found
  }

  /// Returns the sorted names of the path elements below a path that lead to objects visible to the peer.
  private func children(of path: ObjectPath, for peer: BusName) -> [String] {
    let prefix = path.childPrefix.utf8
    var names: Set<String> = []
    for (candidate, object) in objects where object.isVisible(to: peer) && candidate.rawValue.utf8.starts(with: prefix)
    {
      let rest = candidate.rawValue.utf8.dropFirst(prefix.count)
      if let name = String(rest.prefix { $0 != UInt8(ascii: "/") }), !name.isEmpty { names.insert(name) }
    }
    return names.sorted()
  }
}
