import GeopublicistCDBus

/// A signal that has arrived.
nonisolated public struct Signal {
  /// The unique name of the connection that sent it, stamped by the bus, or the bus itself.
  public let sender: BusName
  /// The object that sent it.
  public let path: ObjectPath
  /// The interface that the signal belongs to.
  public let interface: InterfaceName
  /// The signal's own name.
  public let member: MemberName
  /// What it carries, of whatever types the sender chose: nothing has compared them with any interface.
  public let arguments: [Value]
}

/// An interest in signals; ends with its owner.
@MainActor public final class SignalMatch {
  let rule: MatchRule
  private var handler: ((Signal) -> Void)?
  private weak var router: SignalRouter?

  init(_ rule: MatchRule, _ router: SignalRouter, _ handler: @escaping (Signal) -> Void) {
    self.rule = rule
    self.router = router
    self.handler = handler
  }

  isolated deinit { cancel() }

  /// Ends the interest and takes the rule back from the bus.
  public func cancel() {
    handler = nil
    router?.remove(self)
    router = nil
  }

  fileprivate func receive(_ signal: Signal) { handler?(signal) }
}

/// Hands each signal to those who have a match for it, in the order in which they came.
final class SignalRouter {
  weak var connection: Connection?
  private var matches: [(id: ObjectIdentifier, match: Unowned)] = []

  private struct Unowned { weak var match: SignalMatch? }

  func add(_ rule: MatchRule, _ handler: @escaping (Signal) -> Void) -> SignalMatch {
    let match = SignalMatch(rule, self, handler)
    guard let connection, connection.isConnected else { return match }
    matches.append((ObjectIdentifier(match), Unowned(match: match)))
    // No error pointer: with one the call would block until the bus answers.
    dbus_bus_add_match(connection.raw, rule.text, nil)
    return match
  }

  fileprivate func remove(_ match: SignalMatch) {
    guard let index = matches.firstIndex(where: { $0.id == ObjectIdentifier(match) }) else { return }
    matches.remove(at: index)
    if let connection, connection.isConnected { dbus_bus_remove_match(connection.raw, match.rule.text, nil) }
  }

  /// Ends every match; the bus has forgotten them, or soon will.
  func removeAll() {
    let ended = matches
    matches = []
    for entry in ended { entry.match.match?.cancel() }
  }

  func dispatch(_ message: Message) {
    guard let sender = message.sender, let path = message.path, let interface = message.interface,
      let member = message.member
    else { return }
    let candidates = matches.filter {
      $0.match.match?.rule.matchesHeader(sender: sender, path: path, interface: interface, member: member) ?? false
    }
    guard !candidates.isEmpty, let arguments = try? message.arguments() else { return }
    let signal = Signal(sender: sender, path: path, interface: interface, member: member, arguments: arguments)
    for candidate in candidates {
      guard let match = candidate.match.match, match.rule.matches(arguments: arguments) else { continue }
      match.receive(signal)
    }
  }
}

extension Connection {
  /// Calls the handler for each signal that fits the rule, until the returned match ends.
  ///
  /// Any process may send a signal to any connection, wanted or not: the handler has to compare ``Signal/sender`` with
  /// the owner of the service that it believes in, unless the rule names the bus itself.
  public func onSignal(_ rule: MatchRule, _ handler: @escaping (Signal) -> Void) -> SignalMatch {
    signals.add(rule, handler)
  }
}
