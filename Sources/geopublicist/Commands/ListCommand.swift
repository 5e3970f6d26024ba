// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCGLib
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// `geopublicist list`: who uses location.
final class ListCommand: Command {
  static let name = "list"
  static let summary = "Show who uses the location: this user's programs, or everybody's for root"

  private let invocation: Invocation
  private var service: ServiceConnection?

  init(_ invocation: Invocation) throws(OptionParser.UsageError) { self.invocation = invocation }

  func begin() {
    service = invocation.connect()
    service?.manager.call("ListSubscriptions", expecting: "aa{sv}") { [invocation] result in
      switch result {
      case .success(let values):
        Self.show(values.first?.array ?? [], on: invocation)
        invocation.finish(ExitStatus.success)
      case .failure(let error): invocation.fail(error)
      }
    }
  }

  func interrupted() { invocation.finish(ExitStatus.interrupted) }

  private static func show(_ subscriptions: [Value], on invocation: Invocation) {
    let output = invocation.output
    if invocation.isJSON {
      for subscription in subscriptions { output.line(JSONText.text(subscription)) }
      return
    }
    if subscriptions.isEmpty, output.isTerminal { return output.line("Nobody uses the location.") }
    var table = Table(header: ["USER", "PID", "PROGRAM", "DESKTOP-ID", "LEVEL", "ACTIVE", "FIXES", "SINCE"])
    for subscription in subscriptions.compactMap(\.properties) { table.rows.append(row(subscription)) }
    for line in table.lines(for: output) { output.line(line) }
  }

  private static func row(_ subscription: [String: Value]) -> [String] {
    let process = subscription["ProcessId"]?.uint32 ?? 0
    let since = subscription["Since"]?.structure?.compactMap(\.uint64) ?? []
    let id = Text.plain(subscription["DesktopId"]?.string ?? "")
    return [
      subscription["UserId"]?.uint32.map(Processes.userName) ?? "?",
      process == 0 ? "?" : "\(process)",
      process == 0 ? "?" : Processes.program(of: process) ?? "?",
      id.isEmpty ? "-" : id,
      subscription["Level"]?.string ?? "?",
      subscription["Active"]?.boolean == true ? "yes" : "no",
      "\(subscription["Delivered"]?.uint64 ?? 0)",
      since.count == 2 ? Moment.local(Timestamp(seconds: since[0], microseconds: since[1])) : "?",
    ]
  }
}
