// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by: swift package generate-dbus Examples/articles/counter.xml Examples/articles/Counter.swift --async
import DBus
import MainLoopTasks

/// The names of `org.example.Counter`.
nonisolated enum CounterInterface {
  /// The interface itself.
  static let interface: InterfaceName = "org.example.Counter"
  static let count: MemberName = "Count"
  static let increase: MemberName = "Increase"
}

/// Calls an object with the interface `org.example.Counter`.
@MainActor struct CounterProxy {
  /// Calls by name.
  let proxy: Proxy

  /// Creates a proxy without sending anything.
  init(on connection: Connection, destination: BusName, path: ObjectPath) {
    proxy = Proxy(on: connection, destination: destination, path: path, interface: CounterInterface.interface)
  }

  /// Adds a number and returns the count.
  func increase(by value0: UInt32, timeout: CallTimeout = .standard, interactive: Bool = false) async throws(CallFailure) -> UInt32 {
    try Result<_, CallFailure>.success(await proxy.call(CounterInterface.increase, .uint32(value0), timeout: timeout, interactive: interactive, expecting: "u")).typed { values in values[0].uint32 }.get()
  }

  /// The sum of all numbers.
  func readCount() async throws(CallFailure) -> UInt32 {
    try Result<_, CallFailure>.success(await proxy.get(CounterInterface.count)).typed { $0.uint32 }.get()
  }
}

/// Implements `org.example.Counter`. A method answers its call, immediately or later; an error that it throws is the
/// answer.
@MainActor protocol CounterSkeleton: AnyObject {
  /// Adds a number and returns the count.
  func increase(_ by: UInt32, _ call: MethodCall) throws(DBusError)
  /// The sum of all numbers.
  var count: UInt32 { get }
}

extension CounterSkeleton {
  /// Returns the table for an `Implementation`. It is the same for all objects of a type, so make it once.
  static func counterTable() -> Interface<Self> {
    Interface(
      CounterInterface.interface,
      [
        .method(CounterInterface.increase, in: ["by": "u"], out: ["count": "u"]) { object, call throws(DBusError) in guard let value0 = call.arguments[0].uint32 else { return }; try object.increase(value0, call) },
        .property(CounterInterface.count, "u", emits: .changed) { .uint32($0.count) },
      ])
  }
}
