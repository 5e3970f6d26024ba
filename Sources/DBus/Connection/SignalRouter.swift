// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// A signal that has arrived.
nonisolated public struct Signal {
  /// The sender: a unique name, set by the bus, or the bus itself.
  public let sender: BusName
  /// The object that sent it.
  public let path: ObjectPath
  /// The interface that the signal belongs to.
  public let interface: InterfaceName
  /// The name of the signal.
  public let member: MemberName
  /// The arguments, of types chosen by the sender: they have not been compared with any interface.
  public let arguments: [Value]
}

/// The header of a signal, known before its body is read.
nonisolated struct SignalHeader {
  let sender: BusName
  let path: ObjectPath
  let interface: InterfaceName
  let member: MemberName

  /// Nil for a message that no bus sends, and for a path that is too long.
  init?(_ message: Message) {
    guard let sender = message.sender, let path = message.path, let interface = message.interface,
      let member = message.member
    else { return nil }
    self.init(sender: sender, path: path, interface: interface, member: member)
  }

  init(sender: BusName, path: ObjectPath, interface: InterfaceName, member: MemberName) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
  }
}

nonisolated extension Signal {
  fileprivate init(_ header: SignalHeader, _ arguments: [Value]) {
    self.init(
      sender: header.sender, path: header.path, interface: header.interface, member: header.member,
      arguments: arguments)
  }
}

/// A subscription to signals, until it is released or cancelled.
///
/// ``keep()`` leaves it to the connection, for matches that last as long as the connection:
///
/// ```swift
/// connection.onSignal(.nameVanished) { signal in print("\(signal.arguments) has gone") }.keep()
/// ```
@MainActor public final class SignalMatch {
  let rule: MatchRule
  /// The owner of the rule's well-known name.
  private let owner: NameWatch?
  private let isExpected: ((BusName) -> Bool)?
  private var handler: ((Signal) -> Void)?
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

  /// Ends the match and removes the rule from the bus.
  public func cancel() {
    handler = nil
    let router = router
    self.router = nil
    let held = held
    self.held = nil
    router?.remove(self)
    withExtendedLifetime(held) {}
  }

  /// Lets the connection keep the match until it is cancelled or the connection is closed.
  public func keep() { keep(with: nil) }

  /// Lets the connection keep also the owner of the match.
  func keep(with owner: AnyObject?) {
    guard let router, router.connection?.isOpen == true else { return }
    held = owner
    router.keep(self)
  }

  /// Whether the header matches.
  fileprivate func accepts(_ header: SignalHeader) -> Bool {
    guard handler != nil, rule.matches(header), owner == nil || owner?.owner == header.sender else { return false }
    return isExpected?(header.sender) ?? true
  }

  fileprivate func receive(_ signal: Signal) { handler?(signal) }
}

/// Delivers each signal to its matches, in the order of their creation.
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
    // No error pointer: with one the call would block until the bus answers. A lost connection may be joined again.
    if connection.isConnected { dbus_bus_add_match(connection.raw, rule.text, nil) }
    return match
  }

  /// Follows the owner of a rule's well-known name, once for all rules with that name: the bus compares the senders of
  /// broadcasts, but passes on every unicast signal.
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
    // Not by assigning nil: the match may release a watch that has a match itself.
    _ = kept.removeValue(forKey: ObjectIdentifier(match))
    guard let index = matches.firstIndex(where: { $0.id == ObjectIdentifier(match) }) else { return }
    matches.remove(at: index)
    if let connection, connection.isConnected { dbus_bus_remove_match(connection.raw, match.rule.text, nil) }
  }

  /// Adds the same rules again after the connection was joined again.
  func rejoin() {
    guard let connection else { return }
    for entry in matches {
      if let match = entry.match.match { dbus_bus_add_match(connection.raw, match.rule.text, nil) }
    }
  }

  /// Ends every match; the bus has forgotten them, or soon will.
  func removeAll() {
    let (ended, held) = (matches, kept)
    matches = []
    kept = [:]
    defer { withExtendedLifetime(held) {} }
    for entry in ended { entry.match.match?.cancel() }
  }

  /// Reads only the header of a signal unless a match expects it from this sender, and then no more than
  /// ``ReadBudget/signal``: any process may send any signal to any connection.
  func dispatch(_ message: Message) {
    guard let header = SignalHeader(message) else { return }
    let candidates = matches.filter { $0.match.match?.accepts(header) ?? false }
    guard !candidates.isEmpty, let arguments = try? message.arguments(within: .signal) else { return }
    let signal = Signal(header, arguments)
    for candidate in candidates {
      guard let match = candidate.match.match, match.rule.matches(arguments: arguments) else { continue }
      match.receive(signal)
    }
  }
}

extension Connection {
  /// Calls the handler for each signal that matches the rule, until the returned match ends.
  ///
  /// Any process may send a signal to any connection, wanted or not. Signals of other senders than the rule's are
  /// dropped with their bodies unread; for a well-known name, only its current owner counts. A rule
  /// without a sender should come with `isExpected`, which decides by the sender's unique name. Signals larger than
  /// ``ReadBudget/signal`` are dropped, too.
  public func onSignal(
    _ rule: MatchRule, from isExpected: ((BusName) -> Bool)? = nil, _ handler: @escaping (Signal) -> Void
  ) -> SignalMatch {
    signals.add(rule, from: isExpected, handler)
  }
}
