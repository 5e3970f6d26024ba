// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import Glibc

/// Finds other agents of this user among the connections of the bus.
///
/// Agents own no names on the bus. Some announce their level, and the programs of desktops' agents are known.
final class RivalWatch {
  private let connection: Connection
  private let user = getuid()
  private let onRival: (_ name: BusName, _ hasAnnounced: Bool) -> Void
  private let onDeparture: (BusName) -> Void
  private var announcements: SignalMatch?
  private var arrivals: SignalMatch?
  private var departures: SignalMatch?

  init(
    on connection: Connection, onRival: @escaping (_ name: BusName, _ hasAnnounced: Bool) -> Void,
    onDeparture: @escaping (BusName) -> Void
  ) {
    self.connection = connection
    self.onRival = onRival
    self.onDeparture = onDeparture
    let own = connection.uniqueName
    let isOther: (BusName) -> Bool = { $0 != own }
    announcements = connection.onSignal(
      MatchRule(path: GeoClueNames.agentPath, interface: .properties, member: .propertiesChanged), from: isOther
    ) { [weak self] signal in
      guard signal.arguments.first?.string == GeoClueNames.agent.rawValue else { return }
      self?.ifOwn(signal.sender) { [weak self] in self?.onRival(signal.sender, true) }
    }
  }

  func scan() {
    list { [weak self] names in for name in names { self?.inspect(name) } }
  }

  /// Examines new connections, as long as this program is the agent.
  func followArrivals(_ wanted: Bool) {
    guard wanted != (arrivals != nil) else { return }
    arrivals = wanted ? onNames { [weak self] name, isThere in if isThere { self?.inspect(name) } } : nil
  }

  func followDepartures(_ wanted: Bool) {
    guard wanted != (departures != nil) else { return }
    departures = wanted ? onNames { [weak self] name, isThere in if !isThere { self?.onDeparture(name) } } : nil
  }

  /// Returns this user's other connections.
  func listOwn(_ handler: @escaping (Set<BusName>) -> Void) {
    list { [weak self] names in
      var (own, open): (Set<BusName>, Int) = ([], names.count)
      for name in names {
        self?.askUser(of: name) { isOwn in
          if isOwn { own.insert(name) }
          open -= 1
          if open == 0 { handler(own) }
        }
      }
    }
  }

  private func inspect(_ name: BusName) {
    ifOwn(name) { [weak self] in
      self?.ask("GetConnectionUnixProcessID", [.string(name.rawValue)], expecting: "u") { [weak self] values in
        if let process = values?.first?.uint32, Self.isAgent(process) { self?.onRival(name, false) }
      }
    }
  }

  private static func isAgent(_ process: UInt32) -> Bool {
    Processes.executable(of: process).map(isAgent(executable:)) ?? false
  }

  nonisolated static func isAgent(executable path: String) -> Bool {
    let names = ["gnome-shell", "phosh", "lipstick", "io.elementary.desktop.agent-geoclue2"]
    return path.split(separator: "/").last.map { names.contains(String($0)) } ?? false
      || path.hasSuffix("/geoclue-2.0/demos/agent")
  }

  private func ifOwn(_ name: BusName, _ action: @escaping () -> Void) {
    askUser(of: name) { isOwn in if isOwn { action() } }
  }

  private func askUser(of name: BusName, _ handler: @escaping (Bool) -> Void) {
    ask("GetConnectionUnixUser", [.string(name.rawValue)], expecting: "u") { [user] values in
      handler(values?.first?.uint32 == user)
    }
  }

  private func list(_ handler: @escaping ([BusName]) -> Void) {
    let own = connection.uniqueName
    ask("ListNames", [], expecting: "as") { values in
      let names = values?.first?.array?.compactMap { $0.string.flatMap(BusName.init(validating:)) } ?? []
      handler(names.filter { $0.isUnique && $0 != own })
    }
  }

  private func onNames(_ handler: @escaping (BusName, Bool) -> Void) -> SignalMatch {
    let rule = MatchRule(sender: .bus, path: .bus, interface: .bus, member: "NameOwnerChanged")
    return connection.onSignal(rule) { signal in
      guard signal.arguments.count == 3, let name = signal.arguments[0].string.flatMap(BusName.init(validating:)),
        name.isUnique
      else { return }
      handler(name, signal.arguments[2].string?.isEmpty == false)
    }
  }

  private func ask(
    _ member: MemberName, _ arguments: [Value], expecting signature: Signature, _ handler: @escaping ([Value]?) -> Void
  ) {
    connection.call(Message(callingBus: member, arguments), expecting: signature) { handler(try? $0.get()) }.keep()
  }
}
