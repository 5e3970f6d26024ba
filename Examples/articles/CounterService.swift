// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// What the service is about; it knows nothing of the bus.
final class Counter {
  private(set) var count: UInt32 = 0

  func increase(by step: UInt32) throws(DBusError) {
    let (sum, overflow) = count.addingReportingOverflow(step)
    guard !overflow else { throw DBusError(.invalidArgs, "The count would be too large") }
    count = sum
  }
}

enum CounterService {
  static let name: InterfaceName = "org.example.Counter"

  static func run(on connection: Connection) throws {
    let counter = Counter()
    var object: ExportedObject?
    let interface = Interface<Counter>(
      name,
      [
        .method("Increase", in: ["by": "u"], out: ["count": "u"]) { counter, call throws(DBusError) in
          try counter.increase(by: call.arguments[0].uint32 ?? 0)
          object?.propertyChanged("Count", of: name)
          call.reply(.uint32(counter.count))
        },
        .property("Count", "u", emits: .changed) { .uint32($0.count) },
      ])
    object = connection.objects.export("/org/example/Counter", Implementation(of: interface, by: counter))
    try connection.own("org.example.Counter")
    MainLoop.main.run()
    withExtendedLifetime(counter) {}
  }
}
