// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistLocationModel
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import MainLoop
import Publicist
import Testing

@testable import GeopublicistService

@Suite struct ServiceLifetimeTests {
  private func clientsOfAnEndedService() throws -> () -> ClientRegistry? {
    let bus = try PrivateBus(.session)
    let connection = try Connection(to: .address(bus.address))
    let manager = LocationManager(source: GeoClueSource(on: connection, desktopID: "org.example.Test"))
    let service = LocationService(connection, manager)
    return { [weak clients = service.clients] in clients }
  }

  /// Regression: clients and the idle watch retained each other.
  @Test func `clients are released with the service`() throws {
    let clients = try clientsOfAnEndedService()
    #expect(clients() == nil)
  }

  /// Regression: such a subscription remained without a bus name, and its owner was not informed.
  @Test func `a service that is shutting down creates no more subscriptions`() throws {
    let bus = try PrivateBus(.session)
    let connection = try Connection(to: .address(bus.address))
    let manager = LocationManager(source: GeoClueSource(on: connection, desktopID: "org.example.Test"))
    let service = LocationService(connection, manager)
    let client = try Connection(to: .address(bus.address))
    func create() throws -> Result<[Value], CallFailure> {
      let call = Message(
        calling: "CreateSubscription", of: "org.geopublicist.Location1", at: "/org/geopublicist/Location1",
        on: connection.uniqueName, [.options([])])
      var answer: Result<[Value], CallFailure>?
      client.call(call) { answer = $0 }.keep()
      try turning("an answer") { answer != nil }
      return try #require(answer)
    }
    #expect(throws: Never.self) { try create().get() }
    service.closeSubscriptions()
    #expect(service.clients.objects.isEmpty)
    let failure = #expect(throws: CallFailure.self) { try create().get() }
    #expect(failure?.error.name == .locationUnavailable)
    #expect(service.clients.objects.isEmpty)
  }
}

extension LocationService {
  fileprivate convenience init(_ connection: Connection, _ manager: LocationManager) {
    self.init(on: connection, LocationPublicist(manager), for: .session, Configuration()) { () throws(DBusError) in
      connection
    }
  }
}

@Suite struct CrowdTests {
  private func moments(_ counts: [Int]) -> [Int] {
    var peak = ClientPeak()
    return counts.filter { count in
      guard peak.countChanged(to: count) else { return false }
      peak.trimmed()
      return true
    }
  }

  @Test func `a small number of clients does not cause the heap to be trimmed`() {
    #expect(moments(Array(0...15) + (0...15).reversed()) == [])
  }

  @Test func `the heap is trimmed each time the number of clients has halved`() {
    #expect(moments(Array(0...1_000) + (0...1_000).reversed()) == [500, 250, 125, 62, 31, 15])
  }

  @Test func `the heap is trimmed before the last clients have left`() {
    #expect(moments([1_000, 999, 501, 500, 499, 500, 501]) == [500])
  }

  @Test func `new clients raise the number at which the heap is trimmed next`() {
    #expect(moments([100, 50, 100, 51, 50]) == [50, 50])
  }
}

@Suite struct SleepMeterTests {
  private func clock(boottime: UInt64, monotonic: Int64) -> LoopClock {
    LoopClock(
      monotonic: { MonotonicInstant(microseconds: monotonic) }, boottime: { BootInstant(microseconds: boottime) },
      realtime: { 0 })
  }

  /// Whether each pair of times, in microseconds, shows a sleep since the previous pair.
  private func sleeps(_ times: [(boottime: UInt64, monotonic: Int64)]) -> [Bool] {
    var meter = SleepMeter(clock(boottime: 5_000_000, monotonic: 5_000_000))
    var sleeps: [Bool] = []
    for time in times {
      sleeps.append(meter.newSleep(clock(boottime: time.boottime, monotonic: time.monotonic)) > .zero)
    }
    return sleeps
  }

  @Test(arguments: [-3, -1, 0, 5] as [Int64])
  func `the time between two readings of the clocks is not mistaken for a suspend`(difference: Int64) {
    #expect(sleeps([(9_000_000, 9_000_000 - difference), (9_500_000, 9_500_000)]) == [false, false])
  }

  @Test func `each suspend is noticed once`() {
    #expect(
      sleeps([(65_000_000, 6_000_000), (66_000_000, 7_000_000), (69_000_000, 7_500_000)]) == [true, false, true])
  }
}

@Suite struct TimeWatchTests {
  private final class Clock {
    var (boottime, monotonic) = (5_000_000 as UInt64, 5_000_000 as Int64)
    var now: LoopClock {
      LoopClock(
        monotonic: { [monotonic] in MonotonicInstant(microseconds: monotonic) },
        boottime: { [boottime] in BootInstant(microseconds: boottime) }, realtime: { 0 })
    }

    func sleep(_ seconds: UInt64) { boottime += seconds * 1_000_000 }

    func pass(_ seconds: Int64) {
      boottime += UInt64(seconds) * 1_000_000
      monotonic += seconds * 1_000_000
    }
  }

  private let clock = Clock()

  /// Regression: logind's announcement discarded the locations that had been measured since the kernel's.
  @Test func `a sleep that the kernel has reported is not reported again by logind`() {
    var state = TimeWatch.State(clock.now)
    for _ in 0..<2 {
      #expect(state.sleeping() == .sleeping)
      clock.sleep(60)
      #expect(state.clockJumped(clock.now) == .woke)
      clock.pass(4)
      #expect(state.woke(clock.now) == nil)
    }
  }

  @Test func `a sleep that only logind reports counts`() {
    var state = TimeWatch.State(clock.now)
    for _ in 0..<2 {
      #expect(state.sleeping() == .sleeping)
      #expect(state.woke(clock.now) == .woke)
    }
    #expect(state.woke(clock.now) == .woke, "the service began while the machine slept")
  }

  @Test func `a second sleep before logind's announcement is reported`() {
    var state = TimeWatch.State(clock.now)
    _ = state.sleeping()
    clock.sleep(60)
    #expect(state.clockJumped(clock.now) == .woke)
    clock.sleep(60)
    #expect(state.woke(clock.now) == .woke)
  }

  @Test func `a sleep that only the kernel reports does not hide a later one`() {
    var state = TimeWatch.State(clock.now)
    clock.sleep(60)
    #expect(state.clockJumped(clock.now) == .woke)
    #expect(state.clockJumped(clock.now) == .clockSet)
    #expect(state.sleeping() == .sleeping)
    #expect(state.woke(clock.now) == .woke)
  }
}

@Suite struct NetworkWatchTests {
  /// Regression: all changes but the first were ignored until the next regular check.
  @Test func `changes that follow a report are reported together after a pause`() throws {
    let bus = try PrivateBus(.session)
    let connection = try Connection(to: .address(bus.address))
    let manager = try Connection(to: .address(bus.address))
    let name: BusName = "org.freedesktop.NetworkManager"
    try manager.own(name)
    var reports = 0
    let watch = NetworkWatch(on: connection, gap: .milliseconds(500)) { reports += 1 }
    func change() {
      let primary = Value.objectPath("/connection")
      let arguments: [Value] = [
        .string(name.rawValue), .options([("PrimaryConnection", primary)]), .array(.string, []),
      ]
      manager.send(
        Message(signal: .propertiesChanged, of: .properties, at: "/org/freedesktop/NetworkManager", arguments))
    }
    // It must first learn who NetworkManager is.
    try turning("the first change") {
      if reports == 0 { change() }
      return reports == 1
    }
    for _ in 0..<3 { change() }
    try turning("the last one") { reports == 2 }
    try turning(for: .milliseconds(700), "nothing else is reported") { reports == 2 }
    withExtendedLifetime(watch) {}
  }
}

@Suite("The level that is requested from GeoClue")
struct LevelChoiceTests {
  private func status(
    _ state: SourceState, _ reason: SourceReason = .none, available: AccuracyLevel? = .exact
  ) -> SourceStatus {
    SourceStatus(state: state, reason: reason, availableAccuracy: available)
  }

  @Test func `without a coarser source, a client at city level is served by a GPS receiver`() {
    var choice = LevelChoice()
    choice.need(.city)
    #expect(choice.level(available: .exact, ceiling: .exact) == .city)
    #expect(choice.isWaiting(status(.waiting, .noFix), ceiling: .exact))
    choice.raise()
    #expect(choice.level(available: .exact, ceiling: .exact) == .exact)
    #expect(choice.isWaiting(status(.waiting, .noFix), ceiling: .exact) == false)
  }

  @Test func `the service switches to a finer source only while it waits for a fix that such a source could supply`() {
    var choice = LevelChoice()
    #expect(choice.isWaiting(status(.waiting, .noFix), ceiling: .exact) == false)
    choice.need(.city)
    #expect(choice.isWaiting(status(.running), ceiling: .exact) == false)
    #expect(choice.isWaiting(status(.waiting, .noAgent), ceiling: .exact) == false)
    #expect(choice.isWaiting(status(.waiting, .noFix, available: .city), ceiling: .exact) == false)
    #expect(choice.isWaiting(status(.waiting, .noFix, available: nil), ceiling: .exact) == false)
    choice.need(.exact)
    #expect(choice.isWaiting(status(.waiting, .noFix), ceiling: .exact) == false)
  }

  /// Regression: with Wi-Fi that found nothing, a receiver that appeared later was not used for a client at city level.
  @Test func `after a finer level was requested, a still finer source is used only if no location arrives`() {
    var choice = LevelChoice()
    choice.need(.city)
    let (street, exact) = (status(.waiting, .noFix, available: .street), status(.waiting, .noFix))
    #expect(!choice.mayRise(above: .street, exact))
    choice.raise()
    #expect(choice.level(available: .street, ceiling: .exact) == .street)
    #expect(choice.mayRise(above: .street, exact))
    #expect(!choice.mayRise(above: .exact, exact) && !choice.mayRise(above: .street, street))
    #expect(!choice.mayRise(above: .street, status(.running)))
  }

  @Test func `if the agent permits only the city, no finer source is used`() {
    var choice = LevelChoice()
    choice.need(.city)
    #expect(!choice.isWaiting(status(.waiting, .noFix), ceiling: .city))
    choice.raise()
    #expect(choice.level(available: .exact, ceiling: .city) == .city, "the permission has ended meanwhile")
    #expect(choice.level(available: .exact, ceiling: .street) == .street)
  }

  @Test func `when the requested level changes, a finer source is no longer used`() {
    var choice = LevelChoice()
    choice.need(.city)
    choice.raise()
    choice.need(.street)
    #expect(choice.level(available: .exact, ceiling: .exact) == .street)
    choice.need(nil)
    choice.raise()
    #expect(choice.level(available: .exact, ceiling: .exact) == nil)
  }
}
