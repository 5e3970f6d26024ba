// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// `geopublicist status`: the bridge, GeoClue, its sources, and what this user may have.
final class StatusCommand: Command {
  static let name = "status"
  static let summary = "Show the bridge, GeoClue, its sources, and what this user may have"

  private let invocation: Invocation
  private var bridge: Bridge?

  init(_ invocation: Invocation) throws(OptionParser.UsageError) { self.invocation = invocation }

  func begin() {
    do throws(DBusError) {
      let bridge = try Bridge(on: invocation.bus)
      self.bridge = bridge
      bridge.readProperties { [invocation] result in
        switch result {
        case .success(let properties):
          Self.show(properties, on: invocation)
          invocation.finish(ExitStatus.success)
        case .failure(let error): invocation.fail(error)
        }
      }
    } catch {
      invocation.fail(error)
    }
  }

  func interrupted() { invocation.finish(ExitStatus.interrupted) }

  private static func show(_ properties: Value, on invocation: Invocation) {
    guard !invocation.isJSON else { return invocation.output.line(JSONText.text(properties)) }
    let values = properties.properties ?? [:]
    func text(_ name: String) -> String { Text.plain(values[name]?.string ?? "") }
    let (state, status, reason) = (text("State"), text("AuthorizationStatus"), text("AuthorizationReason"))
    var rows = Rows()
    rows.add("Bridge", "geopublicist \(text("Version")) on \(invocation.busName)")
    rows.add(
      "GeoClue", state, Sentences.emphasis(state: state),
      detail: Sentences.upstream(state: state, reason: text("StateReason")))
    rows.add("Sources", Sentences.sources(text("AvailableAccuracy")))
    rows.add("In use", values["InUse"]?.boolean == true ? "yes" : "no")
    rows.add(
      "Authorization", status, Sentences.emphasis(status: status),
      detail: Sentences.authorization(reason: reason, state: state))
    for line in rows.lines(for: invocation.output) { invocation.output.line(line) }
  }
}
