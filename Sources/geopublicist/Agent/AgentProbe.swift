// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import MainLoop

/// Asks GeoClue for a client on a separate connection: GeoClue answers only users who have an agent.
///
/// Closing the connection also ends the client, or the call that GeoClue would answer later.
final class AgentProbe {
  /// Milliseconds that GeoClue may take for the client after it has answered another call. An agent registers sooner.
  private static let patience: Int64 = 1_000

  private let connection: Connection
  private var deadline: LoopSource?
  private var onResult: ((Bool) -> Void)?

  /// Calls `onResult` once with whether GeoClue has returned a client, unless this object is released first.
  init(_ bus: Connection.Bus, _ owner: BusName, _ onResult: @escaping (Bool) -> Void) throws(DBusError) {
    connection = try Connection(to: bus)
    self.onResult = onResult
    let create = try Message(calling: "CreateClient", of: GeoClueNames.manager, at: GeoClueNames.managerPath, on: owner)
    connection.call(create) { [weak self] result in
      // An error says nothing about agents. It counts as none, since registering can be undone.
      if case .success = result { self?.end(true) } else { self?.end(false) }
    }.keep()
    let sign = try Message(
      calling: "Get", of: .properties, at: GeoClueNames.managerPath, on: owner,
      [.string(GeoClueNames.manager.rawValue), .string("InUse")])
    connection.call(sign) { [weak self] _ in
      self?.deadline = MainLoop.main.after(milliseconds: Self.patience) { [weak self] in self?.end(false) }
    }.keep()
  }

  private func end(_ isAnotherRegistered: Bool) {
    deadline = nil
    let action = onResult
    onResult = nil
    action?(isAnotherRegistered)
  }
}
