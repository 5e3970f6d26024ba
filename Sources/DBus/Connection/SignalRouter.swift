// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// A signal that a connection has received.
nonisolated public struct Signal {
  /// The sender's unique name, set by the bus, or the bus itself.
  public let sender: BusName
  /// The path of the sending object.
  public let path: ObjectPath
  /// The interface of the signal.
  public let interface: InterfaceName
  /// The name of the signal.
  public let member: MemberName
  /// The arguments. Their types are the sender's choice and have not been checked against any interface.
  public internal(set) var arguments: [Value] = []
}

nonisolated extension Signal {
  /// Reads the header. Returns nil for a message that no bus sends and for a path that is too long.
  fileprivate init?(headerOf message: Message) {
    guard let sender = message.sender, let path = message.path, let interface = message.interface,
      let member = message.member
    else { return nil }
    self.init(sender: sender, path: path, interface: interface, member: member)
  }
}

/// A subscription to signals. Ends when it is released or cancelled.
///
/// ``keep()`` leaves the match to the connection, for matches that last as long as the connection:
///
/// ```swift
/// connection.onSignal(.nameVanished) { signal in print("\(signal.arguments) vanished") }.keep()
/// ```
@MainActor public final class SignalMatch {
  let rule: MatchRule
  /// Watches the owner of the rule's well-known name.
  private let owner: NameWatch?
  private let isExpected: ((BusName) -> Bool)?
  fileprivate var handler: ((Signal) -> Void)?
  private weak var router: SignalRouter?
  private var held: AnyObject?

  init(
    _ rule: MatchRule, owner: NameWatch?, isExpected: ((BusName) -> Bool)?, _ router: SignalRouter,
    _ handler: @escaping (Signal) -> Void
  ) {
    self.rule = rule
    self.owner = owner
    self.isExpected = isExpected
    self.router = router
    self.handler = handler
  }

  isolated deinit { cancel() }

  /// Ends the match and removes its rule from the bus.
  public func cancel() {
    let (router, handler, held) = (router, handler, held)
    self.router = nil
    self.handler = nil
    self.held = nil
    router?.remove(self)
    // Released last, because that may close the connection, which cancels every match.
    withExtendedLifetime((handler, held)) {}
  }

  /// Leaves the match to the connection until it is cancelled or the connection is closed.
  public func keep() { keep(with: nil) }

  /// Leaves the match and the object that owns it to the connection.
  func keep(with owner: AnyObject?) {
    guard let router, router.connection?.isOpen == true else { return }
    held = owner
    router.keep(self)
  }

  fileprivate func accepts(_ header: Signal) -> Bool {
    guard handler != nil, rule.matches(header: header), owner == nil || owner?.owner == header.sender else {
      return false
    }
    return isExpected?(header.sender) ?? true
  }
}

/// Delivers each signal to its matches in the order of their creation.
final class SignalRouter {
  weak var connection: Connection?
  private var matches: [(id: ObjectIdentifier, match: Unowned)] = []

  private var kept: [ObjectIdentifier: SignalMatch] = [:]
  private var owners: [BusName: WeakWatch] = [:]

  private struct Unowned { weak var match: SignalMatch? }
  private struct WeakWatch { weak var watch: NameWatch? }

  func add(
    _ rule: MatchRule, from isExpected: ((BusName) -> Bool)?, _ handler: @escaping (Signal) -> Void
  ) -> SignalMatch {
    let match = SignalMatch(rule, owner: owner(for: rule), isExpected: isExpected, self, handler)
    guard let connection, connection.isOpen else { return match }
    matches.append((ObjectIdentifier(match), Unowned(match: match)))
    // Without an error pointer, because otherwise the call would block until the bus answers. A lost connection may be
    // rejoined.
    if connection.isConnected { dbus_bus_add_match(connection.raw, rule.text, nil) }
    return match
  }

  /// Watches the owner of a rule's well-known name, once for all rules with that name. The bus checks the sender of
  /// broadcasts against the rule, but delivers every unicast signal.
  private func owner(for rule: MatchRule) -> NameWatch? {
    guard let connection, let name = rule.sender, !name.isUnique, name != .bus else { return nil }
    if let watch = owners[name]?.watch { return watch }
    let watch = NameWatch(name, on: connection) { _ in }
    owners = owners.filter { $0.value.watch != nil }
    owners[name] = WeakWatch(watch: watch)
    return watch
  }

  fileprivate func keep(_ match: SignalMatch) { kept[ObjectIdentifier(match)] = match }

  fileprivate func remove(_ match: SignalMatch) {
    // Assigning nil would not do, because the match may release a watch that has a match itself.
    _ = kept.removeValue(forKey: ObjectIdentifier(match))
    guard let index = matches.firstIndex(where: { $0.id == ObjectIdentifier(match) }) else { return }
    matches.remove(at: index)
    if let connection, connection.isConnected { dbus_bus_remove_match(connection.raw, match.rule.text, nil) }
  }

  /// Adds the same rules again after the connection has been rejoined.
  func rejoin() {
    guard let connection else { return }
    for entry in matches {
      if let match = entry.match.match { dbus_bus_add_match(connection.raw, match.rule.text, nil) }
    }
  }

  /// Ends every match. The bus discards the rules along with the connection.
  func removeAll() {
    let (ended, held) = (matches, kept)
    matches = []
    kept = [:]
    defer { withExtendedLifetime(held) {} }
    for entry in ended { entry.match.match?.cancel() }
  }

  /// Parses only the header of a signal unless a match expects it from this sender, and then at most
  /// ``ReadBudget/signal``, because any process may send any signal to any connection.
  func dispatch(_ message: Message) {
    guard var signal = Signal(headerOf: message) else { return }
    let candidates = matches.filter { $0.match.match?.accepts(signal) ?? false }
    guard !candidates.isEmpty, let arguments = try? message.arguments(within: .signal) else { return }
    signal.arguments = arguments
    for candidate in candidates {
      guard let match = candidate.match.match, match.rule.matches(arguments: arguments) else { continue }
      match.handler?(signal)
    }
  }
}

extension Connection {
  /// Calls the handler for each signal that matches the rule, until the returned match ends.
  ///
  /// Any process may send any signal to any connection. Signals from senders other than the rule's are dropped with
  /// their bodies unread. For a well-known name, only its current owner counts. A rule without a sender should be
  /// combined with `isExpected`, which decides by the sender's unique name. Signals larger than ``ReadBudget/signal``
  /// are dropped as well.
  public func onSignal(
    _ rule: MatchRule, from isExpected: ((BusName) -> Bool)? = nil, _ handler: @escaping (Signal) -> Void
  ) -> SignalMatch {
    signals.add(rule, from: isExpected, handler)
  }
}
