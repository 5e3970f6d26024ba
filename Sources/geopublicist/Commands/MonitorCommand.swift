// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport
import MainLoop

/// `geopublicist monitor`: changes of the status, errors, the state; the location is not used for it unless asked.
final class MonitorCommand: Command {
  static let name = "monitor"
  static let summary = "Show what changes: the bridge, GeoClue, what this user may have"

  static func declareOptions(_ parser: OptionParser) {
    parser.addSwitch("listen", "l", "Use the location meanwhile, so that GeoClue runs and errors are told")
  }

  private static let shown = ["State", "StateReason", "AvailableAccuracy", "InUse"]

  private let invocation: Invocation
  private var bridge: Bridge?
  private var changes: SignalMatch?
  private var subscription: SubscriptionClient?
  private var authorization: (status: Value, reason: Value)?
  private var state = ""
  private var stateReason = ""

  init(_ invocation: Invocation) throws(OptionParser.UsageError) { self.invocation = invocation }

  func begin() {
    do throws(DBusError) {
      let bridge = try Bridge(on: invocation.bus)
      self.bridge = bridge
      bridge.connection.onDisconnected = { [invocation] in
        invocation.complain("The message bus has gone")
        invocation.finish(ExitStatus.unavailable)
      }
      bridge.onPresence = { [weak self] isThere in self?.presenceChanged(isThere) }
      changes = bridge.onSignal(of: .properties, at: Contract.path) { [weak self] signal in
        if signal.arguments.count > 1 { self?.report("PropertiesChanged", signal.arguments[1]) }
      }
      // Starts the bridge if the bus can; if it cannot, there is still its coming to be seen.
      bridge.call("Ping", of: .peer) { [invocation] result in
        if case .failure(let error) = result { invocation.complain(Failure(error, on: invocation.busName).message) }
      }
    } catch {
      invocation.fail(error)
    }
  }

  func interrupted() { invocation.finish(ExitStatus.success) }

  private func presenceChanged(_ isThere: Bool) {
    subscription = nil
    authorization = nil
    print("Bridge", [("Present", .boolean(isThere))], isThere ? "is there" : "has gone")
    guard isThere, let bridge else { return }
    bridge.readProperties { [weak self] result in
      guard case .success(let properties) = result else { return }
      self?.report("Properties", properties)
      self?.reportAuthorization(properties.properties ?? [:])
    }
    // A subscription that is never started hears of the authorization, and costs nobody anything.
    subscription = SubscriptionClient(on: bridge, [], starts: invocation.parser.isSet("listen")) {
      [weak self] event in self?.handle(event)
    }
  }

  private func handle(_ event: SubscriptionClient.Event) {
    switch event {
    case .authorization(let status, let reason):
      reportAuthorization(["AuthorizationStatus": .string(status), "AuthorizationReason": .string(reason)])
    case .error(let name, let message):
      print("Error", [("Name", .string(name)), ("Message", .string(message))], Text.plain(message), .bad)
    case .failed(let error): invocation.complain(Failure(error, on: invocation.busName).message)
    case .closed(let reason): print("Closed", [("Reason", .string(reason))], reason)
    case .location: break
    }
  }

  private func reportAuthorization(_ properties: [String: Value]) {
    guard let status = properties["AuthorizationStatus"], let reason = properties["AuthorizationReason"] else { return }
    // A start of the subscription tells once more what is known.
    guard authorization.map({ $0 != (status, reason) }) ?? true else { return }
    authorization = (status, reason)
    print(
      "Authorization", [("AuthorizationStatus", status), ("AuthorizationReason", reason)],
      "\(status.string ?? "?"): \(Sentences.authorization(reason: reason.string ?? "", state: state))",
      Sentences.emphasis(status: status.string ?? ""))
  }

  private func report(_ event: String, _ properties: Value) {
    let shown = (properties.options ?? []).filter { Self.shown.contains($0.name) }
    guard !shown.isEmpty else { return }
    let values = properties.properties ?? [:]
    state = values["State"]?.string ?? state
    stateReason = values["StateReason"]?.string ?? stateReason
    guard !invocation.isJSON else { return print("Bridge", shown.map { ($0.name, $0.value) }, "") }
    if values["State"] != nil || values["StateReason"] != nil {
      let sentence = Sentences.upstream(state: state, reason: stateReason)
      print("GeoClue", [], "\(Text.plain(state)): \(Text.plain(sentence))", Sentences.emphasis(state: state))
    }
    if let accuracy = values["AvailableAccuracy"]?.string {
      print("Sources", [], Text.plain(Sentences.sources(accuracy)))
    }
    if let isUsed = values["InUse"]?.boolean { print("In use", [], isUsed ? "yes" : "no") }
  }

  /// One line: the time, what it is about, what has happened.
  private func print(_ subject: String, _ members: [(String, Value)], _ text: String, _ emphasis: Emphasis? = nil) {
    let (output, now) = (invocation.output, Moment.now)
    guard !invocation.isJSON else {
      let head: [(String, Value)] = [
        ("Event", .string(subject)), ("Timestamp", .structure([.uint64(now.seconds), .uint64(now.microseconds)])),
      ]
      return output.line(JSONText.object(head + members))
    }
    let time = output.isTerminal ? Emphasis.faint.around(Moment.local(now), output.hasColors) : Moment.iso(now)
    let body = emphasis?.around(text, output.hasColors) ?? text
    output.line("\(time) \(output.isTerminal ? Text.padded(subject, to: 13) : subject) \(body)")
  }
}
