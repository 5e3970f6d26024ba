// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import MainLoop
import MainLoopTasks
import Publicist
import Testing

/// Almanacs for programs in Swift, from the real service in the session deployment.
@Suite(.serialized) final class AlmanacTests {
  private let bus: PrivateBus
  private let geoclue: FakeGeoClue
  private let agent: DesktopAgent
  private var service: Service
  private let connection: ServiceConnection

  init() throws {
    bus = try PrivateBus(.session)
    geoclue = try FakeGeoClue(on: bus)
    agent = try DesktopAgent(at: bus.address)
    service = try Service(.session, on: bus)
    try geoclue.fix(latitude: 52.52, longitude: 13.4)
    connection = try ServiceConnection(to: .address(bus.address))
  }

  @Test func `a subscriber receives almanacs, nil when access is lost, and nothing after it is cancelled`() async throws
  {
    var (zones, others): ([String?], [DayPhase?]) = ([], [])
    var cancelled = false
    let almanacs = connection.almanacPublisher().handleEvents(receiveCancel: { cancelled = true })
    var subscription: AnyCancellable? = almanacs.sink { zones.append($0?.timeZone) }
    var options = ClientOptions()
    options.almanac.twilight = .astronomical
    let other = connection.almanacPublisher(options).sink { others.append($0?.phase) }
    try await settle("both almanacs") { zones.last == "Europe/Berlin" && others.last.flatMap(\.self) != nil }
    try agent.setLevel(0)
    try await settle("the loss of access") { zones.last == .some(nil) && others.last == .some(nil) }
    let count = zones.count
    subscription = nil
    #expect(cancelled && subscription == nil)
    try agent.setLevel(8)
    try geoclue.fix(latitude: 52.53, longitude: 13.41)
    try await settle("access again") {
      try? geoclue.fix(latitude: 52.53, longitude: 13.41)
      return others.last.flatMap(\.self) != nil
    }
    #expect(zones.count == count, "\(zones)")
    withExtendedLifetime(other) {}
  }

  @Test func `a loop over almanacs continues after a restart of the service and ends when its task is cancelled`()
    async throws
  {
    var zones: [String] = []
    var hasEnded = false
    let task = Task {
      for await almanac in connection.almanacs() { if let zone = almanac?.timeZone { zones.append(zone) } }
      hasEnded = true
    }
    try await settle("the almanac") { zones == ["Europe/Berlin"] }
    service.kill()
    try geoclue.fix(latitude: 48.2, longitude: 16.37)
    service = try Service(.session, on: bus)
    try await settle("the next almanac") { zones == ["Europe/Berlin", "Europe/Vienna"] }
    task.cancel()
    try await settle("the end") { hasEnded }
  }
}
