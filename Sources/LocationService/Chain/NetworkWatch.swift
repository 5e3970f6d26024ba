// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// Reports that the machine has connected to a different network and may therefore have moved.
public final class NetworkWatch {
  /// The minimum time between reports, so that an unstable connection does not keep the source busy.
  private let gap: Duration

  private var matches: [SignalMatch] = []
  private let onChange: () -> Void
  private var lastReport: MonotonicInstant?
  /// Reports the changes since the last report together.
  private var later: LoopSource?

  /// Tracks NetworkManager's primary connection and the state that systemd-networkd reports. Without either, nothing is
  /// reported.
  public init(on connection: Connection, gap: Duration = .seconds(60), _ onChange: @escaping () -> Void) {
    (self.gap, self.onChange) = (gap, onChange)
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
    // The last change may be the one that matters.
    guard later == nil else { return }
    guard let end = lastReport.map({ $0 + gap }), end > MainLoop.main.clock.monotonic() else { return report() }
    later = MainLoop.main.at(end) { [weak self] in self?.report() }
  }

  private func report() {
    later = nil
    lastReport = MainLoop.main.clock.monotonic()
    onChange()
  }
}
