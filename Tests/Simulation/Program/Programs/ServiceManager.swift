// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport
import Glibc

/// Receives what the service tells systemd about its state.
final class ServiceManager {
  /// The path of the socket.
  let address: String
  private let descriptor: Int32
  /// What was told since ``states()`` was last called.
  private var told: [String] = []

  /// How often the service must show that it works, in microseconds.
  static let watchdogTime: Int64 = 180_000_000
  private var isAlive = false

  /// Returns whether it has done so since the last time.
  func hasShownLife() -> Bool {
    read()
    defer { isAlive = false }
    return isAlive
  }

  init(at address: String) {
    self.address = address
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard withSocketAddress(address, { bind(descriptor, $0, $1) }) == 0 else { fatalError("bind: \(address)") }
  }

  /// Must be called often enough that the socket is never full, because the service would wait for that.
  func read() {
    var bytes = [UInt8](repeating: 0, count: 200)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return }
      let state = String(String(decoding: bytes[..<count], as: UTF8.self).prefix { $0 != "=" })
      if state == "WATCHDOG" { isAlive = true } else { told.append(state) }
    }
  }

  var isReloading: Bool {
    read()
    return told.last == "RELOADING"
  }

  /// Returns what was told, such as `READY`, and forgets it.
  func states() -> [String] {
    read()
    defer { told = [] }
    return told
  }
}
