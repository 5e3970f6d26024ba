// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// The logic of the service, independent of the bus.
final class Counter {
  private(set) var count: UInt32 = 0

  func increase(by step: UInt32) throws(DBusError) {
    let (sum, overflow) = count.addingReportingOverflow(step)
    guard !overflow else { throw DBusError(.invalidArgs, "The count would be too large") }
    count = sum
  }
}

final class CounterService: CounterSkeleton {
  static let interface = CounterService.counterTable()
  private let counter = Counter()
  private var object: ExportedObject?

  var count: UInt32 { counter.count }

  func increase(_ by: UInt32, _ call: MethodCall) throws(DBusError) {
    try counter.increase(by: by)
    object?.propertyChanged(CounterInterface.count, of: CounterInterface.interface)
    call.reply(.uint32(count))
  }

  func run(on connection: Connection) throws {
    object = connection.objects.export("/org/example/Counter", Implementation(of: Self.interface, by: self))
    try connection.own("org.example.Counter")
    MainLoop.main.run()
  }
}
