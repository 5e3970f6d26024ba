// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport

final class StatusCommand: Command {
  static let name = "status"
  static let summary = tr("Show the state of the service, GeoClue and this user's access")
  static let examples: Examples = [
    ("status", tr("Show the state of the service and the authorization.")),
    ("status --json", tr("Print the status as one JSON object, with the limits of the service.")),
  ]

  /// The service promises to answer within 5 s.
  private static let patience = CallTimeout.milliseconds(5_500)

  let invocation: Invocation

  init(_ invocation: Invocation) throws(UsageError) { self.invocation = invocation }

  func begin() {
    guard let service = invocation.connect() else { return }
    // The properties are read directly, since the JSON output keeps their order.
    let properties = Proxy(
      on: service.connection, destination: ServiceContract.service, path: ServiceContract.path, interface: .properties)
    properties.call(
      "GetAll", .string(Location1Interface.interface.rawValue), timeout: Self.patience, expecting: .variantDictionary
    ) { [invocation] result in
      switch result {
      case .success(let values):
        Self.show(values.first ?? .options([]), on: invocation)
        invocation.finish(ExitStatus.success)
      case .failure(.lost(let error)) where error.name == .noReply:
        invocation.fail(
          tr("The service does not answer; `geopublicist doctor` shows the reason"), ExitStatus.unavailable)
      case .failure(let error): invocation.fail(error.printable)
      }
    }
  }

  private static func show(_ properties: Value, on invocation: Invocation) {
    let values = (properties.properties ?? [:]).received
    func text(_ name: String) -> String { values[name]?.string ?? "" }
    let (state, status, reason) = (text("State"), text("AuthorizationStatus"), text("AuthorizationReason"))
    var rows = Rows()
    rows.add(tr("Service"), tr("geopublicist \(text("Version")) on \(invocation.busName)"))
    rows.add(
      tr("GeoClue"), state, Sentences.emphasis(state: state),
      detail: Sentences.source(state: state, reason: text("StateReason")))
    rows.add(tr("Sources"), Sentences.sources(text("AvailableAccuracy")))
    rows.add(tr("In use"), values["InUse"]?.boolean == true ? tr("yes") : tr("no"))
    rows.add(
      tr("Authorization"), status, Sentences.emphasis(status: status),
      detail: Sentences.authorization(reason: reason, state: state))
    invocation.show(rows.lines(for: invocation.output), orJSON: [JSONText.text(properties)])
  }
}
