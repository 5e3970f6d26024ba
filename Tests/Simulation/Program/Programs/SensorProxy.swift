// SPDX-License-Identifier: Apache-2.0
import DBus

/// iio-sensor-proxy, which may not tell other users whether there is a compass.
final class SensorProxy: SystemService {
  /// Whether the machine has one.
  let isInstalled: Bool
  private let isReadable: Bool

  init(_ world: World) {
    isInstalled = !world.seed.isMultiple(of: 2)
    isReadable = world.seed % 4 == 1
    super.init(world, "net.hadess.SensorProxy", user: 0)
  }

  override func serve(_ call: Parcel) {
    guard call.member == "Get", isReadable else { return refuse(call, "AccessDenied", "Rejected") }
    answer(call, [.variant(.boolean(true))])
  }
}
