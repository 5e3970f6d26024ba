// SPDX-License-Identifier: Apache-2.0
import DBus

/// NetworkManager, which announces that the machine has connected to another network.
final class NetworkManager: SystemService {
  private static let path = "/org/freedesktop/NetworkManager"
  private static let service = "org.freedesktop.NetworkManager"
  private var connection = 0

  init(_ world: World) { super.init(world, Self.service, user: 0) }

  func changeConnection() {
    guard isRunning else { return }
    connection += 1
    let path = ObjectPath(unchecked: "\(Self.path)/ActiveConnection/\(connection)")
    propertiesChanged(Self.path, Self.service, [("PrimaryConnection", .objectPath(path))])
  }
}
