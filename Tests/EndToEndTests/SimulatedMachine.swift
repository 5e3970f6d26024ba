// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport

/// The service with a simulated GeoClue and one client, on a bus of their own.
class SimulatedMachine {
  let bus: PrivateBus
  let geoclue: FakeGeoClue
  let daemon: Daemon
  let client: ConsumerProgram

  init(on bus: PrivateBus? = nil) throws {
    let bus = try bus ?? PrivateBus(.system)
    self.bus = bus
    geoclue = try FakeGeoClue(on: bus)
    daemon = try Daemon(.system, on: bus)
    client = try ConsumerProgram(on: bus)
  }
}

extension BusClient {
  /// Announces a suspend or its end, as logind does.
  func prepareForSleep(_ isBefore: Bool) throws {
    try emit(
      "PrepareForSleep", of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1", signature: "b",
      [.bool(isBefore)])
  }
}
