// SPDX-License-Identifier: Apache-2.0
import DBus

/// NetworkManager or systemd-networkd, which announces that the machine has connected to another network.
final class NetworkManager: SystemService {
  private let isNetworkd: Bool
  private var connection = 0

  init(_ world: World) {
    isNetworkd = (world.seed / 2).isMultiple(of: 2)
    super.init(world, "org.freedesktop.\(isNetworkd ? "network1" : "NetworkManager")", user: 0)
  }

  func changeConnection() {
    guard isRunning else { return }
    guard !isNetworkd else {
      return propertiesChanged(
        "/org/freedesktop/network1", "\(service).Manager", [("OperationalState", .string("routable"))])
    }
    connection += 1
    let path = "/org/freedesktop/NetworkManager"
    let primary = ObjectPath(unchecked: "\(path)/ActiveConnection/\(connection)")
    propertiesChanged(path, service, [("PrimaryConnection", .objectPath(primary))])
  }
}
