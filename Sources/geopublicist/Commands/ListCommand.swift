// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCGLib
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// `geopublicist list`: the programs that use the location.
final class ListCommand: Command {
  static let name = "list"
  static let summary = "Show which programs use the location"

  static func declareOptions(_ parser: OptionParser) {
    parser.addText("format", "f", "Print each as this text, such as '{program} {level}'", value: "TEXT")
  }

  static let examples: Examples = [
    ("list", "Show the programs of this user; as root, of all users."),
    ("list --format '{pid} {program}'", "Print two words for each program."),
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
    invocation.connect()?.manager.call("ListSubscriptions", expecting: "aa{sv}", handler)
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
      texts ?? (isIdle ? ["No program uses the location."] : table.lines(for: output)),
      orJSON: subscriptions.map(JSONText.text))
  }
}

/// A subscription or region in the list.
private nonisolated struct ListEntry {
  static let fields = ["user", "uid", "pid", "program", "desktop-id", "kind", "level", "active", "delivered", "since"]

  let properties: [String: Value]

  init(_ properties: [String: Value]) { self.properties = properties }

  var row: [String] {
    ["user", "pid", "program", "desktop-id", "level", "active", "delivered", "since"].map { field in
      switch value(field) {
      case .text(let text): text
      case .number(let number, _): Number.fixed(number, 0)
      case nil: field == "desktop-id" ? "-" : "?"
      }
    }
  }

  func value(_ field: String) -> Template.Field? {
    let process = properties["ProcessId"]?.uint32 ?? 0
    func text(_ key: String) -> Template.Field? {
      properties[key]?.string.flatMap { $0.isEmpty ? nil : .text(Text.plain($0)) }
    }
    func number(_ number: UInt64?) -> Template.Field? { number.map { .number(Double($0), digits: 0) } }
    switch field {
    case "user": return properties["UserId"]?.uint32.map { .text(Processes.userName($0)) }
    case "uid": return number(properties["UserId"]?.uint32.map(UInt64.init))
    case "pid": return process == 0 ? nil : number(UInt64(process))
    case "program": return process == 0 ? nil : Processes.program(of: process).map { .text($0) }
    case "desktop-id": return text("DesktopId")
    case "kind": return text("Kind")
    case "level": return text("Level")
    case "active": return .text(properties["Active"]?.boolean == true ? "yes" : "no")
    case "delivered": return number(properties["Delivered"]?.uint64 ?? 0)
    default: return Timestamp(properties["Since"]).map { .text(Moment.local($0)) }
    }
  }
}
