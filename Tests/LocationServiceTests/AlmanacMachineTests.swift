// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeopublicistService

@Suite struct AlmanacMachineTests {
  nonisolated private static let second = Duration.seconds(1)
  nonisolated private static let minute = 60 * second
  nonisolated private static let day = 1_440 * minute
  /// 2026-06-21 12:00 UTC, microseconds since 1970.
  nonisolated private static let noon: UInt64 = 1_782_043_200_000_000
  nonisolated private static let berlin = PlaceAnswer(timeZone: "Europe/Berlin", town: "Berlin", country: "DE")

  private var machine: AlmanacMachine
  private var now = BootInstant.origin
  /// The wall clock at the start of the boot clock.
  private var epoch = Self.noon

  init() {
    var options = ClientOptions()
    options.accuracy = .city
    machine = AlmanacMachine(options, .allowed, sourceDecides: false)
  }

  private mutating func handle(_ event: AlmanacMachine.Event, after wait: Duration = .zero) -> [AlmanacMachine.Action] {
    now = now + wait
    return machine.handle(event, at: now, wallClock: epoch + now.microseconds)
  }

  private mutating func locate(
    _ latitude: Double, _ longitude: Double, _ place: PlaceAnswer = berlin, _ level: AccuracyLevel = .city,
    after wait: Duration = .zero
  ) -> [AlmanacMachine.Action] {
    machine.place = place
    var location = Location(latitude: latitude, longitude: longitude, accuracy: 15_000, receivedAt: now + wait)
    location.level = level
    location.sequence = location.receivedAt.microseconds / UInt64(level.minimumInterval.microseconds) + 1
    return handle(.location(location), after: wait)
  }

  private mutating func start() { _ = handle(.start(after: machine.stops)) }

  /// Starts in Berlin and sends the first almanac.
  private mutating func settle() throws {
    start()
    _ = locate(52.5, 13.4)
    let report = machine.announcement()
    _ = try #require(report)
  }

  @Test mutating func `after Start, the source is needed until the first almanac is sent`() {
    #expect(handle(.start(after: machine.stops)).contains(inOrder: .own(.started), .need(.city)))
    #expect(machine.checkAt == nil && machine.announcement() == nil)
    let actions = locate(52.5, 13.4)
    #expect(actions.prefix(2) == [.own(.announce), .own(.own(.reviewNeed))])
    #expect(machine.checkAt == 30 * Self.minute)
    let report = machine.announcement()
    #expect(report?.forecast.phase == .day && report?.place == Self.berlin)
    #expect(machine.announcement() == nil && machine.told == report && machine.delivered == 1)
  }

  @Test mutating func `a location that changes nothing causes no almanac and postpones the next check`() throws {
    try settle()
    // Ten kilometres to the east, the sun rises 36 s earlier.
    for wait in [5 * Self.minute, 40 * Self.minute] {
      #expect(!locate(52.5, 13.55, after: wait).contains(.own(.announce)))
      #expect(machine.checkAt == now + 30 * Self.minute)
    }
  }

  @Test(arguments: [true, false])
  mutating func `the first reliable location causes an almanac even if nothing else changes`(isOld: Bool) {
    let isPoor: WritableKeyPath<Location, Bool> = isOld ? \.isRemembered : \.isApproximate
    start()
    machine.place = Self.berlin
    func location(_ value: Bool) -> Location {
      var location = Location(latitude: 52.5, longitude: 13.4, accuracy: 15_000, receivedAt: now)
      location.level = .city
      location[keyPath: isPoor] = value
      return location
    }
    for (value, isTold) in [(true, true), (true, false), (false, true), (true, false), (false, false)] {
      let actions = handle(.location(location(value)))
      #expect(actions.contains(.own(.announce)) == isTold)
      _ = machine.announcement()
    }
  }

  @Test(arguments: [
    (52.5, 15.4, Self.berlin), (52.5, 13.4, PlaceAnswer(timeZone: "Europe/Berlin", town: "Potsdam", country: "DE")),
    (52.5, 13.4, PlaceAnswer(town: "Berlin", country: "DE")),
  ])
  mutating func `another zone, another town or a time that differs by over five minutes causes a new almanac`(
    latitude: Double, longitude: Double, place: PlaceAnswer
  ) throws {
    try settle()
    #expect(locate(latitude, longitude, place, after: 5 * Self.minute).contains(.own(.announce)))
    #expect(machine.announcement()?.place == place)
  }

  @Test mutating func `a slow journey causes a new almanac, because locations are compared with the last one sent`()
    throws
  {
    try settle()
    var told = 0
    for step in 1...10 { told += locate(52.5, 13.4 + Double(step) / 2, after: .zero).contains(.own(.announce)) ? 1 : 0 }
    #expect(told > 0)
  }

  @Test mutating func `a new almanac is sent at the beginning of each phase`() throws {
    try settle()
    var phases: [DayPhase] = []
    for _ in 0..<5 {
      let next = try #require(machine.told?.forecast.next)
      let wait = next.start * Self.second - .microseconds(epoch + now.microseconds)
      #expect(!handle(.timer, after: wait - Self.second).contains(.own(.announce)), "a second early")
      #expect(handle(.timer, after: Self.second).contains(.own(.announce)))
      let report = machine.announcement()
      #expect(report?.forecast.phase == next.phase)
      if let report { phases.append(report.forecast.phase) }
    }
    #expect(phases == [.twilightEvening, .night, .twilightMorning, .day, .twilightEvening])
  }

  @Test mutating func `a change of phase that was told too early is told again`() throws {
    try settle()
    #expect(!locate(52.5, 12.8, after: Self.minute).contains(.own(.announce)), "it is over two minutes later there")
    let next = try #require(machine.told?.forecast.next)
    let wait = next.start * Self.second - .microseconds(epoch + now.microseconds)
    #expect(machine.deadline == now + wait)
    _ = handle(.check, after: wait)
    #expect(machine.deadline == now, "another event does not postpone the timer")
    #expect(handle(.timer).contains(.own(.announce)))
    let report = machine.announcement()
    #expect(report?.forecast.phase == .day && report?.forecast.next?.phase == next.phase)
    #expect(report?.forecast.next.map { $0.start > next.start } == true)
  }

  @Test mutating func `the timer fires at the next phase by the wall clock`() throws {
    start()
    _ = locate(52.5, 13.4)
    let report = machine.announcement()
    let next = try #require(report?.forecast.next)
    let wait = BootInstant(microseconds: UInt64(next.start) * 1_000_000 - epoch)
    #expect(machine.deadline == wait)
    #expect(locate(52.5, 13.4, after: Self.minute) == [.own(.own(.reviewNeed))] && machine.deadline == wait)
    epoch += 600_000_000
    #expect(handle(.clockChanged) == [] && machine.deadline == wait - 600 * Self.second)
  }

  @Test mutating func `where the sun does not set, the timer fires once a day`() {
    start()
    _ = locate(78, 15)
    #expect(machine.deadline == .origin + Self.day)
    let first = machine.announcement()?.forecast
    #expect(first != nil && first?.next == nil)
    #expect(!handle(.timer).contains(.own(.announce)))
    // The timer must not begin again with each location.
    for _ in 0..<47 { #expect(!locate(78, 15, after: 30 * Self.minute).contains(.own(.announce))) }
    #expect(machine.deadline == .origin + Self.day)
    // Otherwise, the property would contain the forecast of a day long ago.
    #expect(handle(.timer, after: 30 * Self.minute).contains(.own(.announce)))
    let second = machine.announcement()?.forecast
    #expect((second?.entries.first?.start ?? 0) - (first?.entries.first?.start ?? 0) > 86_000)
    // A sleep begins the wait of a day again.
    #expect(!handle(.slept, after: Self.minute).contains(.own(.announce)))
    #expect(handle(.slept, after: 20 * 60 * Self.minute).contains(.own(.announce)))
  }

  @Test mutating func `a resume after sunset and a clock that is set back a day each cause a new almanac`() throws {
    try settle()
    #expect(handle(.slept, after: 12 * 60 * Self.minute).contains(.own(.announce)))
    #expect(machine.announcement()?.forecast.phase == .night)
    epoch -= 86_400_000_000
    #expect(handle(.clockChanged).contains(.own(.announce)))
    _ = machine.announcement()
    #expect(!handle(.clockChanged).contains(.own(.announce)))
  }

  @Test mutating func `an almanac for another town after midnight contains the sunrise of the new day`() throws {
    try settle()
    let sunrise = try #require(machine.told?.forecast.sunrise)
    // At one o'clock, with the same phase as before midnight.
    _ = handle(.timer, after: 11 * 60 * Self.minute)
    _ = machine.announcement()
    let town = PlaceAnswer(timeZone: "Europe/Berlin", town: "Potsdam", country: "DE")
    #expect(locate(52.5, 13.4, town, after: 120 * Self.minute).contains(.own(.announce)))
    let report = machine.announcement()
    #expect((report?.forecast.sunrise ?? 0) - sunrise > 86_000)
  }

  @Test mutating func `a flight over the date line changes the zone, but hardly the times`() {
    start()
    _ = locate(52, 179.9, PlaceAnswer(timeZone: "Asia/Kamchatka"))
    let before = machine.announcement()
    #expect(locate(52, -179.9, PlaceAnswer(timeZone: "America/Adak"), after: 5 * Self.minute).contains(.own(.announce)))
    let after = machine.announcement()
    #expect(before?.forecast.phase == after?.forecast.phase)
    #expect(abs((before?.forecast.next?.start ?? 0) - (after?.forecast.next?.start ?? .max)) <= 120)
  }

  @Test mutating func `the next check is due one interval after the last location at the earliest`() throws {
    #expect(handle(.check) == [])
    try settle()
    #expect(handle(.check, after: Self.second).contains(.own(.own(.reviewNeed))))
    #expect(machine.checkAt == 5 * Self.minute)
    // Another program causes the location of the interval to be repeated.
    let location = try #require(machine.told?.location)
    #expect(!handle(.location(location), after: Self.minute).contains(.own(.own(.reviewNeed))))
    #expect(machine.checkAt == 5 * Self.minute)
    #expect(handle(.check, after: 10 * Self.minute).contains(.own(.own(.reviewNeed))))
    #expect(machine.checkAt == now)
    _ = handle(.location(location))
    #expect(machine.checkAt == now + 30 * Self.minute)
  }

  @Test mutating func `an almanac that may have been lost with the bus is sent again`() {
    start()
    #expect(locate(52.5, 13.4).contains(.own(.announce)))
    let sent = machine.announcement()
    #expect(sent != nil && machine.announcement() == nil)
    machine.forgetTold()
    #expect(machine.announcement() == sent)
    #expect(machine.announcement() == nil)
  }

  /// Regression: one whose location may be sent waited, too. Endless doubts then kept every almanac from its owner.
  @Test mutating func `while deliveries are held, a new almanac waits unless its location may be sent`() {
    start()
    _ = handle(access(.allowed, isHeld: true))
    #expect(locate(52.5, 13.4).contains(.own(.announce)) && machine.announcement() == nil)
    #expect(handle(access(.allowed)).contains(.own(.announce)))
    #expect(machine.announcement() != nil)
    _ = handle(access(.allowed, isHeld: true))
    #expect(locate(48, 2, after: 5 * Self.minute).contains(.own(.announce)))
    let report = machine.announcement(isReleased: true)
    #expect(report?.location.latitude == 48)
  }

  /// Regression: it was sent with a time in the future, or although it was older than thirty days.
  @Test mutating func `a remembered location that is no longer valid is forgotten`() {
    start()
    machine.place = Self.berlin
    var location = Location(latitude: 52.5, longitude: 13.4, accuracy: 15_000)
    (location.level, location.isRemembered) = (.city, true)
    _ = handle(.location(location))
    #expect(machine.announcement() != nil && machine.location?.isRemembered == true)
    machine.forgetRemembered()
    #expect(machine.location == nil && machine.told == nil && machine.announcement() == nil)
    _ = locate(52.5, 13.4)
    #expect(machine.announcement() != nil)
    machine.forgetRemembered()
    #expect(machine.location != nil && machine.told != nil)
  }

  @Test(
    arguments: [access(.off), access(.forbidden), access(.country), .stop, .close(.byClient)]
      as [AlmanacMachine.Event])
  mutating func `when access is lost or reduced, the almanac is dropped`(event: AlmanacMachine.Event) throws {
    try settle()
    _ = locate(48, 2, PlaceAnswer(timeZone: "Europe/Paris"), after: 5 * Self.minute)
    #expect(handle(event).contains(.follow(nil)))
    #expect(machine.told == nil && machine.announcement() == nil && machine.checkAt == nil)
    #expect(!handle(.timer, after: Self.day).contains(.own(.announce)))
    #expect(machine.announcement() == nil)
    if case .close = event { return }
    // A location of the level that is no longer granted arrives late.
    _ = handle(access(.country))
    _ = locate(48, 2, Self.berlin, .city)
    #expect(machine.announcement() == nil)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  mutating func `after any sequence of events, an almanac is sent only with access and never during a hold`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var (allowed, isHeld) = (Authorization.allowed, false)
    for _ in 0..<60 {
      switch Int.random(in: 0..<9, using: &random) {
      case 0: start()
      case 1: _ = handle(.stop)
      case 2: _ = handle(.slept, after: Self.minute)
      case 3: _ = handle(.timer, after: 200 * Self.minute)
      case 4: _ = handle(.check)
      case 5, 6:
        _ = locate(
          .random(in: -90...90, using: &random), 13, Self.berlin, Bool.random(using: &random) ? .city : .country)
      default:
        allowed = [.allowed, .country, .off, .forbidden].randomElement(using: &random) ?? .off
        isHeld = Bool.random(using: &random)
        _ = handle(access(allowed, isHeld: isHeld))
      }
      let report = machine.announcement()
      #expect(report == nil || allowed.isAuthorized && !isHeld && machine.isActive)
      for shown in [report, machine.told] {
        #expect((shown?.location.level ?? .none) <= allowed.revealedLevel(asked: .city))
      }
    }
  }
}

nonisolated extension Authorization {
  fileprivate static let country = authorized(.whenInUse, level: .country, asked: .city)
}
