// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// Reports that the machine has connected to a different network and may therefore have moved.
public final class NetworkWatch {
  /// The minimum time between reports, so that an unstable connection does not keep the source busy.
  private static let gap = Duration.seconds(60)

  private var matches: [SignalMatch] = []
  private let onChange: () -> Void
  private var lastChange: MonotonicInstant?

  /// Tracks NetworkManager's primary connection and the state that systemd-networkd reports. Without either, nothing is
  /// reported.
  public init(on connection: Connection, _ onChange: @escaping () -> Void) {
    self.onChange = onChange
    follow(
      "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager", "org.freedesktop.NetworkManager",
      "PrimaryConnection", on: connection)
    follow(
      "org.freedesktop.network1", "/org/freedesktop/network1", "org.freedesktop.network1.Manager", "OperationalState",
      on: connection)
  }

  private func follow(
    _ service: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ property: String, on connection: Connection
  ) {
    matches.append(
      connection.onSignal(
        MatchRule(sender: service, path: path, interface: .properties, member: .propertiesChanged)
      ) { [weak self] signal in
        guard signal.arguments.count == 3, signal.arguments[0].string == interface.rawValue,
          signal.arguments[1].properties?[property] != nil
        else { return }
        self?.changed()
      })
  }

  private func changed() {
    let now = MainLoop.main.clock.monotonic()
    guard lastChange.map({ now - $0 >= Self.gap }) ?? true else { return }
    lastChange = now
    onChange()
  }
}
