// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// Reports that the machine has connected to a different network and may therefore have moved.
public final class NetworkWatch {
  private static let manager: InterfaceName = "org.freedesktop.NetworkManager"
  /// The minimum time between reports in microseconds, so that an unstable connection does not keep the source busy.
  private static let gap: Int64 = 60_000_000

  private var name: NameWatch?
  private var match: SignalMatch?
  private var lastChange: Int64?

  /// Tracks NetworkManager's primary connection. Without NetworkManager, nothing is reported.
  public init(on connection: Connection, _ onChange: @escaping () -> Void) {
    name = NameWatch("org.freedesktop.NetworkManager", on: connection) { _ in }
    match = connection.onSignal(
      MatchRule(
        sender: "org.freedesktop.NetworkManager", path: "/org/freedesktop/NetworkManager",
        interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
    ) { [weak self] signal in
      guard let self, signal.sender == name?.owner, signal.arguments.count == 3,
        signal.arguments[0].string == Self.manager.rawValue, signal.arguments[1].properties?["PrimaryConnection"] != nil
      else { return }
      let now = MainLoop.main.clock.monotonic()
      guard lastChange.map({ now - $0 >= Self.gap }) ?? true else { return }
      lastChange = now
      onChange()
    }
  }
}
