// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCGLib
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport

final class ListCommand: Command {
  static let name = "list"
  static let summary = tr("Show which programs use the location")

  static func declareOptions(_ parser: OptionParser) {
    parser.addText("format", "f", tr("Print this text for each program, such as '{program} {level}'"), value: "TEXT")
  }

  static let examples: Examples = [
    ("list", tr("Show the programs of this user; as root, of all users.")),
    ("list --format '{pid} {program}'", tr("Print two words for each program.")),
  ]

  let invocation: Invocation
  private let template: Template?

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    template = try invocation.parser.format().map { text throws(UsageError) in
      try Template(text, fields: ListEntry.fields)
    }
  }

  func begin() {
    let handler = invocation.unlessFailed { [weak self, invocation] (values: [Value]) in
      self?.show(values.first?.array ?? [])
      invocation.finish(ExitStatus.success)
    }
    invocation.connect()?.call(Location1Interface.listSubscriptions, expecting: "aa{sv}", handler)
  }

  private func show(_ subscriptions: [Value]) {
    let output = invocation.output
    let entries = subscriptions.compactMap(\.properties).map(ListEntry.init)
    let table = Table(
      header: ["USER", "PID", "PROGRAM", "DESKTOP-ID", "LEVEL", "ACTIVE", "DELIVERED", "SINCE"],
      rows: entries.map(\.row)
    )
    let isIdle = entries.isEmpty && output.isTerminal
    let texts = template.map { template in entries.map { template.text($0.value) } }
    invocation.show(
      texts ?? (isIdle ? [tr("No program uses the location.")] : table.lines(for: output)),
      orJSON: subscriptions.map(JSONText.text))
  }
}

private nonisolated struct ListEntry {
  static let fields = ListEntry([:]).values.map(\.name)

  private let values: [(name: String, value: Template.Field?)]

  var row: [String] {
    ["user", "pid", "program", "desktop-id", "level", "active", "delivered", "since"].map { field in
      switch value(field) {
      case .text(let text): text
      case .number(let number, _): Number.fixed(number, 0)
      case nil: field == "desktop-id" ? "-" : "?"
      }
    }
  }

  func value(_ field: String) -> Template.Field? { values.first { $0.name == field }?.value }

  init(_ properties: [String: Value]) {
    func text(_ key: String) -> Template.Field? {
      properties[key]?.string.flatMap { $0.isEmpty ? nil : .text($0.printable) }
    }
    func number(_ number: UInt64?) -> Template.Field? { number.map { .number(Double($0), digits: 0) } }
    let user = properties["UserId"]?.uint32
    let process = properties["ProcessId"]?.uint32.flatMap { $0 == 0 ? nil : $0 }
    values = [
      ("user", user.map { .text(Processes.userName($0)) }), ("uid", number(user.map(UInt64.init))),
      ("pid", number(process.map(UInt64.init))), ("program", process.flatMap(Processes.program).map { .text($0) }),
      ("desktop-id", text("DesktopId")), ("kind", text("Kind")), ("level", text("Level")),
      ("active", .text(properties["Active"]?.boolean == true ? "yes" : "no")),
      ("delivered", number(properties["Delivered"]?.uint64 ?? 0)),
      ("since", Timestamp(properties["Since"]).map { .text(Moment.local($0)) }),
    ]
  }
}
