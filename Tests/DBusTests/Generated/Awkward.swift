// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by: swift package generate-dbus Tests/DBusTests/Generated/awkward.xml Tests/DBusTests/Generated/Awkward.swift
import DBus

/// The names of `org.example.awkward1`.
nonisolated enum Awkward1Interface {
  /// The interface itself.
  static let interface: InterfaceName = "org.example.awkward1"
  static let activeProperty: MemberName = "Active"
  static let fooBarProperty: MemberName = "FooBar"
  static let forget: MemberName = "Forget"
  static let interfaceProperty: MemberName = "Interface"
  static let isActive: MemberName = "IsActive"
  static let overloaded: MemberName = "Overloaded"
  static let overloadedMethod: MemberName = "Overloaded"
  static let proxyProperty: MemberName = "Proxy"
  static let readSecret: MemberName = "ReadSecret"
  static let secretProperty: MemberName = "Secret"
  static let stateProperty: MemberName = "State"
  static let stateSignal: MemberName = "State"
  static let type: MemberName = "Type"
  static let __: MemberName = "_"
  static let _1: MemberName = "_1"
  static let `default`: MemberName = "default"
  static let `fallthrough`: MemberName = "fallthrough"
  static let fooBar: MemberName = "fooBar"
  static let fooBarProperty2: MemberName = "foo_bar"
  static let `init`: MemberName = "init"
  static let selfMethod: MemberName = "self"
  static let state: MemberName = "state"
}

/// Calls an object with the interface `org.example.awkward1`.
@MainActor struct Awkward1Proxy {
  /// Calls by name.
  let proxy: Proxy

  /// Creates a proxy without sending anything.
  init(on connection: Connection, destination: BusName, path: ObjectPath) {
    proxy = Proxy(on: connection, destination: destination, path: path, interface: Awkward1Interface.interface)
  }

  /// Returns the state.
  func state(timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<UInt32, CallFailure>) -> Void = { _ in }) {
    proxy.call(Awkward1Interface.state, timeout: timeout, interactive: interactive, expecting: "u") { result in handler(result.typed { values in values[0].uint32 }) }
  }

  /// `init`
  func `init`(timeout2 value0: UInt32, interactive2 value1: Bool, call value2: String, `in` value3: String, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<(`self`: String, `class`: String), CallFailure>) -> Void = { _ in }) {
    proxy.call(Awkward1Interface.`init`, .uint32(value0), .boolean(value1), .string(value2), .string(value3), timeout: timeout, interactive: interactive, expecting: "ss") { result in handler(result.typed { values in if let value0 = values[0].string, let value1 = values[1].string { (value0, value1) } else { nil } }) }
  }

  /// `self`
  func selfMethod(argument0 value0: String, argument02 value1: String, argument2 value2: String, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<(x: Value, x2: Value), CallFailure>) -> Void = { _ in }) {
    proxy.call(Awkward1Interface.selfMethod, .string(value0), .string(value1), .string(value2), timeout: timeout, interactive: interactive, expecting: "(sa{sv})a{s(ii)}") { result in handler(result.typed { values in (values[0], values[1]) }) }
  }

  /// `Type`
  func type(timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Void, CallFailure>) -> Void = { _ in }) {
    proxy.call(Awkward1Interface.type, timeout: timeout, interactive: interactive, expecting: "") { result in handler(result.typed { _ in () }) }
  }

  /// `IsActive`
  func isActive(timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Void, CallFailure>) -> Void = { _ in }) {
    proxy.call(Awkward1Interface.isActive, timeout: timeout, interactive: interactive, expecting: "") { result in handler(result.typed { _ in () }) }
  }

  /// `ReadSecret`
  func readSecret(timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Void, CallFailure>) -> Void = { _ in }) {
    proxy.call(Awkward1Interface.readSecret, timeout: timeout, interactive: interactive, expecting: "") { result in handler(result.typed { _ in () }) }
  }

  /// `_1`
  func _1(timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Void, CallFailure>) -> Void = { _ in }) {
    proxy.call(Awkward1Interface._1, timeout: timeout, interactive: interactive, expecting: "") { result in handler(result.typed { _ in () }) }
  }

  /// `_`
  func __(timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Void, CallFailure>) -> Void = { _ in }) {
    proxy.call(Awkward1Interface.__, timeout: timeout, interactive: interactive, expecting: "") { result in handler(result.typed { _ in () }) }
  }

  /// `fallthrough`
  func `fallthrough`(_2nd value0: String, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Void, CallFailure>) -> Void = { _ in }) {
    proxy.call(Awkward1Interface.`fallthrough`, .string(value0), timeout: timeout, interactive: interactive, expecting: "") { result in handler(result.typed { _ in () }) }
  }

  /// `Overloaded`
  func overloaded(a value0: String, timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Void, CallFailure>) -> Void = { _ in }) {
    proxy.call(Awkward1Interface.overloaded, .string(value0), timeout: timeout, interactive: interactive, expecting: "") { result in handler(result.typed { _ in () }) }
  }

  /// `Overloaded`
  func overloadedMethod(timeout: CallTimeout = .standard, interactive: Bool = false, _ handler: @escaping (Result<Void, CallFailure>) -> Void = { _ in }) {
    proxy.call(Awkward1Interface.overloadedMethod, timeout: timeout, interactive: interactive, expecting: "") { result in handler(result.typed { _ in () }) }
  }

  /// `Forget`
  func forget(count value0: UInt32) {
    let call = Message(calling: Awkward1Interface.forget, of: proxy.interface, at: proxy.path, on: proxy.destination, [.uint32(value0)])
    call.wantsReply = false
    proxy.connection.send(call)
  }

  /// `Interface`
  func readInterfaceProperty(_ handler: @escaping (Result<String, CallFailure>) -> Void) {
    proxy.get(Awkward1Interface.interfaceProperty) { result in handler(result.typed { $0.string }) }
  }

  /// `State`
  func readStateProperty(_ handler: @escaping (Result<UInt32, CallFailure>) -> Void) {
    proxy.get(Awkward1Interface.stateProperty) { result in handler(result.typed { $0.uint32 }) }
  }

  /// `Active`
  func readActiveProperty(_ handler: @escaping (Result<Bool, CallFailure>) -> Void) {
    proxy.get(Awkward1Interface.activeProperty) { result in handler(result.typed { $0.boolean }) }
  }

  /// `Secret`
  func writeSecretProperty(_ value: String, _ handler: @escaping (Result<Void, CallFailure>) -> Void = { _ in }) {
    proxy.set(Awkward1Interface.secretProperty, to: .string(value)) { result in handler(result.typed { $0 }) }
  }

  /// `default`
  func readDefault(_ handler: @escaping (Result<String, CallFailure>) -> Void) {
    proxy.get(Awkward1Interface.`default`) { result in handler(result.typed { $0.string }) }
  }

  /// `default`
  func writeDefault(_ value: String, _ handler: @escaping (Result<Void, CallFailure>) -> Void = { _ in }) {
    proxy.set(Awkward1Interface.`default`, to: .string(value)) { result in handler(result.typed { $0 }) }
  }

  /// `Proxy`
  func readProxyProperty(_ handler: @escaping (Result<String, CallFailure>) -> Void) {
    proxy.get(Awkward1Interface.proxyProperty) { result in handler(result.typed { $0.string }) }
  }

  /// `fooBar`
  func readFooBar(_ handler: @escaping (Result<UInt32, CallFailure>) -> Void) {
    proxy.get(Awkward1Interface.fooBar) { result in handler(result.typed { $0.uint32 }) }
  }

  /// `FooBar`
  func readFooBarProperty(_ handler: @escaping (Result<UInt32, CallFailure>) -> Void) {
    proxy.get(Awkward1Interface.fooBarProperty) { result in handler(result.typed { $0.uint32 }) }
  }

  /// `foo_bar`
  func readFoo_barProperty2(_ handler: @escaping (Result<UInt32, CallFailure>) -> Void) {
    proxy.get(Awkward1Interface.fooBarProperty2) { result in handler(result.typed { $0.uint32 }) }
  }

  /// `State`
  func onStateSignal(_ handler: @escaping (_ new: UInt32, _ new2: UInt32) -> Void) -> SignalMatch {
    proxy.onSignal(Awkward1Interface.stateSignal) { signal in
      guard signal.arguments.count == 2, let value0 = signal.arguments[0].uint32, let value1 = signal.arguments[1].uint32 else { return }
      handler(value0, value1)
    }
  }
}

/// Implements `org.example.awkward1`. A method answers its call, immediately or later; an error that it throws is the
/// answer.
@MainActor protocol Awkward1Skeleton: AnyObject {
  /// Returns the state.
  func state(_ call: MethodCall) throws(DBusError)
  /// `init`
  func `init`(_ timeout: UInt32, _ interactive: Bool, _ call2: String, _ `in`: String, _ call: MethodCall) throws(DBusError)
  /// `self`
  func selfMethod(_ argument0: String, _ argument02: String, _ argument2: String, _ call: MethodCall) throws(DBusError)
  /// `Type`
  func type(_ call: MethodCall) throws(DBusError)
  /// `IsActive`
  func isActive(_ call: MethodCall) throws(DBusError)
  /// `ReadSecret`
  func readSecret(_ call: MethodCall) throws(DBusError)
  /// `_1`
  func _1(_ call: MethodCall) throws(DBusError)
  /// `_`
  func __(_ call: MethodCall) throws(DBusError)
  /// `fallthrough`
  func `fallthrough`(_ _2nd: String, _ call: MethodCall) throws(DBusError)
  /// `Overloaded`
  func overloaded(_ a: String, _ call: MethodCall) throws(DBusError)
  /// `Overloaded`
  func overloadedMethod(_ call: MethodCall) throws(DBusError)
  /// `Forget`
  func forget(_ count: UInt32, _ call: MethodCall) throws(DBusError)
  /// `Interface`
  var interfaceProperty: String { get }
  /// `State`
  var stateProperty: UInt32 { get }
  /// `Active`
  var isActiveProperty: Bool { get }
  /// `Secret`
  func writeSecretProperty(_ value: String, _ call: MethodCall) throws(DBusError)
  /// `default`
  var `default`: String { get }
  func writeDefault(_ value: String, _ call: MethodCall) throws(DBusError)
  /// `Proxy`
  var proxyProperty: String { get }
  /// `fooBar`
  var fooBar: UInt32 { get }
  /// `FooBar`
  var fooBarProperty: UInt32 { get }
  /// `foo_bar`
  var fooBarProperty2: UInt32 { get }
}

extension Awkward1Skeleton {
  /// Returns the table for an `Implementation`. It is the same for all objects of a type, so make it once.
  static func awkward1Table() -> Interface<Self> {
    Interface(
      Awkward1Interface.interface,
      [
        .method(Awkward1Interface.state, out: ["state": "u"]) { object, call throws(DBusError) in try object.state(call) },
        .method(Awkward1Interface.`init`, in: ["timeout": "u", "interactive": "b", "call": "s", "in": "s"], out: ["self": "s", "class": "s"]) { object, call throws(DBusError) in guard let value0 = call.arguments[0].uint32, let value1 = call.arguments[1].boolean, let value2 = call.arguments[2].string, let value3 = call.arguments[3].string else { return }; try object.`init`(value0, value1, value2, value3, call) },
        .method(Awkward1Interface.selfMethod, in: ["argument0": "s", "argument0": "s", "argument2": "s"], out: ["x": "(sa{sv})", "x": "a{s(ii)}"]) { object, call throws(DBusError) in guard let value0 = call.arguments[0].string, let value1 = call.arguments[1].string, let value2 = call.arguments[2].string else { return }; try object.selfMethod(value0, value1, value2, call) },
        .method(Awkward1Interface.type) { object, call throws(DBusError) in try object.type(call) },
        .method(Awkward1Interface.isActive) { object, call throws(DBusError) in try object.isActive(call) },
        .method(Awkward1Interface.readSecret) { object, call throws(DBusError) in try object.readSecret(call) },
        .method(Awkward1Interface._1) { object, call throws(DBusError) in try object._1(call) },
        .method(Awkward1Interface.__) { object, call throws(DBusError) in try object.__(call) },
        .method(Awkward1Interface.`fallthrough`, in: ["2nd": "s"]) { object, call throws(DBusError) in guard let value0 = call.arguments[0].string else { return }; try object.`fallthrough`(value0, call) },
        .method(Awkward1Interface.overloaded, in: ["a": "s"]) { object, call throws(DBusError) in guard let value0 = call.arguments[0].string else { return }; try object.overloaded(value0, call) },
        .method(Awkward1Interface.overloadedMethod) { object, call throws(DBusError) in try object.overloadedMethod(call) },
        .method(Awkward1Interface.forget, in: ["count": "u"]) { object, call throws(DBusError) in guard let value0 = call.arguments[0].uint32 else { return }; try object.forget(value0, call) },
        .property(Awkward1Interface.interfaceProperty, "s", emits: .nothing) { .string($0.interfaceProperty) },
        .property(Awkward1Interface.stateProperty, "u", emits: .const) { .uint32($0.stateProperty) },
        .property(Awkward1Interface.activeProperty, "b", emits: .nothing) { .boolean($0.isActiveProperty) },
        .property(Awkward1Interface.secretProperty, "s", emits: .nothing, write: { object, value, call throws(DBusError) in guard let value0 = value.string else { return }; try object.writeSecretProperty(value0, call) }, readLater: { $1.answer(.failure(DBusError(.accessDenied, "The property Secret is write-only"))) }),
        .property(Awkward1Interface.`default`, "s", emits: .nothing, write: { object, value, call throws(DBusError) in guard let value0 = value.string else { return }; try object.writeDefault(value0, call) }) { .string($0.`default`) },
        .property(Awkward1Interface.proxyProperty, "s", emits: .nothing) { .string($0.proxyProperty) },
        .property(Awkward1Interface.fooBar, "u", emits: .nothing) { .uint32($0.fooBar) },
        .property(Awkward1Interface.fooBarProperty, "u", emits: .nothing) { .uint32($0.fooBarProperty) },
        .property(Awkward1Interface.fooBarProperty2, "u", emits: .nothing) { .uint32($0.fooBarProperty2) },
        .signal(Awkward1Interface.stateSignal, ["new": "u", "new": "u"]),
      ])
  }
}
