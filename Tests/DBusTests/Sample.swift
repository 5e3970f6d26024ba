// SPDX-License-Identifier: Apache-2.0
@testable import DBus

/// An object with a member of every kind.
final class Sample {
  static let name: InterfaceName = "org.example.Sample"
  static let path: ObjectPath = "/org/example/Sample"

  var kept: [MethodCall] = []
  var reads: [PropertyRead] = []
  var seen: [[Value]] = []
  var title = "first"
  var count: UInt32 = 0
  var onDo: ((MethodCall) throws(DBusError) -> Void)?

  static let interface = Interface<Sample>(
    name,
    [
      .method("Echo", in: ["value": "v"], out: ["value": "v"]) { _, call in call.reply(call.arguments) },
      .method("Add", in: ["left": "u", "right": "u"], out: ["sum": "t"]) { _, call in
        let numbers = call.arguments.compactMap { $0.uint32.map(UInt64.init) }
        call.reply(.uint64(numbers.reduce(0, &+)))
      },
      .method("Later", out: ["word": "s"]) { sample, call in sample.kept.append(call) },
      .method("Nothing") { _, call in call.reply() },
      .method("Refuse") { _, _ throws(DBusError) in throw DBusError("org.example.Error.No", "No, because") },
      .method("Forget") { _, _ in },
      .method("LieAboutTypes", out: ["number": "u"]) { _, call in call.reply(.string("no number")) },
      .method("Do", in: ["options": "a{sv}"]) { sample, call throws(DBusError) in
        sample.seen.append(call.arguments)
        if let action = sample.onDo { try action(call) } else { call.reply() }
      },
      .signal("Happened", ["what": "s"]),
      .signal("Moved", ["where": "(dd)"]),
      .property(
        "Title", "s", emits: .changed,
        write: { sample, value, call in
          sample.title = value.string ?? ""
          call.reply()
        }
      ) { .string($0.title) },
      .property("Count", "u", emits: .changed) { .uint32($0.count) },
      .property("Secret", "s", emits: .invalidates) { _ in .string("hidden") },
      .property("Version", "s", emits: .const) { _ in .string("1") },
      .property("Quiet", "u", emits: .nothing) { .uint32($0.count) },
      .property("Deferred", "s", emits: .changed, readLater: { sample, read in sample.reads.append(read) }),
      .property(
        "LateWrite", "u", emits: .nothing,
        write: { sample, value, call throws(DBusError) in
          guard value != .uint32(0) else { throw DBusError(.invalidArgs, "Not nought") }
          sample.kept.append(call)
        }
      ) { .uint32($0.count) },
    ])

  /// A second interface that has a method of the same name as the first.
  static let other = Interface<Sample>(
    "org.example.Other",
    [
      .method("Nothing", out: ["from": "s"]) { _, call in call.reply(.string("other")) },
      .method("OnlyHere", out: ["from": "s"]) { _, call in call.reply(.string("other")) },
    ])

  @discardableResult
  func export(on connection: Connection, at path: ObjectPath = path, owner: BusName? = nil) -> ExportedObject {
    connection.objects.export(
      path, owner: owner, Implementation(of: Self.interface, by: self), Implementation(of: Self.other, by: self))
  }
}
