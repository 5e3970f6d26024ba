// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

final class MonitorCommand: Command {
  static let name = "monitor"
  static let summary = tr("Show each change of the service, GeoClue and this user's access")
  static let examples: Examples = [
    ("monitor", tr("Print each change until Ctrl-C, without using the location.")),
    ("monitor --listen --json", tr("Use the location, and print one JSON object for each change.")),
  ]

  static func declareOptions(_ parser: OptionParser) {
    parser.addSwitch("listen", "l", tr("Also use the location, so that GeoClue runs and its errors are shown"))
  }

  private static let shown = ["State", "StateReason", "AvailableAccuracy", "InUse"]

  let invocation: Invocation
  private var changes: PropertyWatch?
  private var subscription: ServiceSubscription?
  private var authorization: (status: Value, reason: Value)?
  private var state = ""
  private var stateReason = ""

  init(_ invocation: Invocation) throws(UsageError) { self.invocation = invocation }

  func begin() {
    guard let service = invocation.connect() else { return }
    service.onPresence = { [weak self] isThere in self?.presenceChanged(isThere) }
    changes = service.onProperties { [weak self] properties in self?.report(properties) }
    // Makes the bus start the service. If it cannot, the command waits for the service to appear.
    service.get(Location1Interface.version) { [invocation] result in
      if case .failure(let error) = result { invocation.complain(Failure(error, on: invocation.busName).message) }
    }
  }

  func interrupted() { invocation.finish(ExitStatus.success) }

  private func presenceChanged(_ isThere: Bool) {
    subscription = nil
    authorization = nil
    print("Service", [("Present", .boolean(isThere))], isThere ? tr("is running") : tr("has exited"))
    guard isThere, let service = invocation.service else { return }
    // A subscription that is never started receives the authorization, and does not use the location.
    subscription = ServiceSubscription(on: service, ClientOptions(), starts: invocation.parser.isSet("listen")) {
      [weak self] event in self?.handle(event)
    }
  }

  private func handle(_ event: ServiceSubscription.Event) {
    switch event {
    case .authorization(let new):
      reportAuthorization([
        "AuthorizationStatus": .string(new.status.rawValue), "AuthorizationReason": .string(new.reason.rawValue),
      ])
    case .failure(let error):
      print(
        "Error", [("Name", .string(error.name.rawValue)), ("Message", .string(error.message))],
        error.message, .bad)
    case .failed(let error, _), .refused(let error): invocation.complain(Failure(error, on: invocation.busName).message)
    case .closed(let reason): print("Closed", [("Reason", .string(reason))], reason)
    case .update, .interrupted, .resumed: break
    }
  }

  private func reportAuthorization(_ properties: [String: Value]) {
    guard let status = properties["AuthorizationStatus"], let reason = properties["AuthorizationReason"] else { return }
    // Starting the subscription repeats what is already known.
    guard authorization.map({ $0 != (status, reason) }) ?? true else { return }
    authorization = (status, reason)
    print(
      "Authorization", [("AuthorizationStatus", status), ("AuthorizationReason", reason)],
      "\(status.string ?? "?"): \(Sentences.authorization(reason: reason.string ?? "", state: state))",
      Sentences.emphasis(status: status.string ?? ""))
  }

  private func report(_ values: [String: Value]) {
    let shown = Self.shown.compactMap { name in values[name].map { (name, $0) } }
    guard !shown.isEmpty else { return }
    defer { reportAuthorization(values) }
    state = values["State"]?.string ?? state
    stateReason = values["StateReason"]?.string ?? stateReason
    guard !invocation.isJSON else { return print("Service", shown, "") }
    if values["State"] != nil || values["StateReason"] != nil {
      let sentence = Sentences.source(state: state, reason: stateReason)
      print("GeoClue", [], "\(state): \(sentence)", Sentences.emphasis(state: state))
    }
    if let accuracy = values["AvailableAccuracy"]?.string {
      print("Sources", [], Sentences.sources(accuracy))
    }
    if let isUsed = values["InUse"]?.boolean { print(tr("In use"), [], isUsed ? tr("yes") : tr("no")) }
  }

  /// Prints an event: the time, the subject, and the text or, with `--json`, the members.
  private func print(_ subject: String, _ members: [(String, Value)], _ text: String, _ emphasis: Emphasis? = nil) {
    let (output, now) = (invocation.output, Moment.now)
    guard !invocation.isJSON else { return output.line(JSONText.event(subject, members)) }
    guard output.isTerminal else { return output.line("\(Moment.iso(now)) \(subject) \(text)") }
    let head = "\(Emphasis.faint.around(Moment.local(now), output.hasColors)) \(Text.padded(subject, to: 13))"
    // On a narrow terminal the text is below the time, otherwise beside it.
    let indent = output.columns < 70 ? 2 : 34
    let lines = Text.wrapped(text, to: output.columns - indent).map { emphasis?.around($0, output.hasColors) ?? $0 }
    if indent == 2 { output.line(head) } else { output.line("\(head) \(lines[0])") }
    for line in lines.dropFirst(indent == 2 ? 0 : 1) { output.line(String(repeating: " ", count: indent) + line) }
  }
}
