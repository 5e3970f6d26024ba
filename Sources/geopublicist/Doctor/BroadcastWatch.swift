// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import MainLoop

/// Listens for coordinates that GeoClue broadcasts.
///
/// Before 2.8.1, a fix below the threshold of a client changes that client's location object, and GeoClue broadcasts
/// `PropertiesChanged` to every user. Other programs cannot read thresholds, so listening is the only way to find out.
final class BroadcastWatch {
  /// Whether coordinates have been received; they are not kept.
  private(set) var hasHeardCoordinates = false
  private var match: SignalMatch?
  private var deadline: LoopSource?
  private var isOver = false

  /// A GPS receiver measures once per second.
  private static let patience = Duration.milliseconds(1_200)

  init(on connection: Connection) {
    match = connection.onSignal(
      MatchRule(
        sender: GeoClueNames.service, interface: .properties, member: .propertiesChanged,
        argument0: GeoClueNames.location.rawValue)
    ) { [weak self] signal in
      guard signal.arguments.count == 3, let changes = signal.arguments[1].properties else { return }
      if changes["Latitude"] != nil || changes["Longitude"] != nil { self?.hasHeardCoordinates = true }
    }
    deadline = MainLoop.main.after(Self.patience) { [weak self] in self?.isOver = true }
  }

  /// Runs the main loop until coordinates have been received, for little more than a second.
  func wait() {
    while !isOver, !hasHeardCoordinates { MainLoop.main.iterate(mayBlock: true) }
  }
}
