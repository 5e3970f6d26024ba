// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistService

@Suite struct LocationRequestMachineTests {
  private func machine(
    sourceDecides: Bool = false, _ change: (inout ClientOptions) -> Void = { _ in }
  ) -> LocationRequestMachine {
    var options = ClientOptions()
    change(&options)
    return LocationRequestMachine(options, SourceStatus(), at: 0, sourceDecides: sourceDecides)
  }

  private func waiting(
    isHeld: Bool = false, cached: Location? = nil, _ change: (inout ClientOptions) -> Void = { _ in }
  ) -> LocationRequestMachine {
    var machine = machine(change)
    _ = machine.handle(access(.allowed, isHeld: isHeld, cached: cached), at: 0)
    _ = machine.handle(.prepared, at: 1)
    return machine
  }

  private let location = Location(latitude: 52, longitude: 13, sequence: 1)
  private var delivery: Delivery { Delivery(location: location, isReduced: false) }

  @Test func `GetLocation does nothing before the facts about its caller are known`() {
    var machine = machine()
    #expect(machine.handle(access(.off), at: 0) == [])
    #expect(machine.handle(access(.allowed), at: 1) == [])
    #expect(machine.handle(.prepared, at: 2).contains(.follow(.exact)))
  }

  @Test func `GetLocation returns a cached location without using the source`() {
    var machine = machine()
    _ = machine.handle(access(.allowed, cached: location), at: 0)
    let actions = machine.handle(.prepared, at: 1)
    #expect(actions.last == .own(.deliver(delivery)) && !actions.contains(.need(.exact)))
  }

  @Test func `after a hold, GetLocation returns the newest location`() {
    let newer = Location(latitude: 53, longitude: 13, receivedAt: 500, sequence: 2)
    var machine = waiting(isHeld: true, cached: location)
    #expect(machine.handle(access(.allowed, isHeld: true, cached: newer), at: 600) == [])
    #expect(
      machine.handle(access(.allowed, cached: newer), at: 700).last
        == .own(.deliver(Delivery(location: newer, isReduced: false))))
  }

  @Test(arguments: [(10, 11_000, true), (10, 11_001, false), (0, 1_000, false)] as [(UInt32, BootInstant, Bool)])
  func `a cached location from before the call must not exceed the maximum age`(
    maximumAge: UInt32, time: BootInstant, isAccepted: Bool
  ) {
    var options = ClientOptions()
    options.maximumAge = .milliseconds(maximumAge)
    let machine = LocationRequestMachine(options, SourceStatus(), at: 1_001, sourceDecides: false)
    #expect(machine.accepts(arrivedAt: 1_000, at: time) == isAccepted)
  }

  /// Regression: the chain held back a coarser location for 24 s, and a caller that accepted 2 s received it.
  @Test func `a location that was held back must not exceed the maximum age`() {
    var options = ClientOptions()
    options.maximumAge = .milliseconds(10)
    var machine = LocationRequestMachine(options, SourceStatus(), at: 50_000, sourceDecides: false)
    _ = machine.handle(access(.allowed), at: 50_000)
    _ = machine.handle(.prepared, at: 50_001)
    var (old, new) = (location, location)
    (old.receivedAt, new.receivedAt) = (1_000, 49_000)
    #expect(machine.handle(.location(old), at: 50_002) == [])
    let delivery = Delivery(location: new, isReduced: false)
    #expect(machine.handle(.location(new), at: 50_003).last == .own(.deliver(delivery)))
  }

  @Test func `a location that arrived after the call is accepted with any maximum age`() {
    #expect(machine { $0.maximumAge = .zero }.accepts(arrivedAt: 1_000, at: 20_000_000))
  }

  @Test(arguments: [Authorization.off, .refused(.sandboxed)])
  func `a refusal is returned without waiting for the timeout`(
    authorization: Authorization
  ) {
    var machine = machine()
    _ = machine.handle(access(authorization), at: 0)
    #expect(machine.handle(.prepared, at: 1).last == .own(.refuse(.notAuthorized(authorization))))
  }

  @Test func `while access is undecided, GetLocation waits until the timeout`() {
    var machine = machine { $0.timeout = .milliseconds(1) }
    _ = machine.handle(access(.undecided), at: 0)
    #expect(machine.handle(.prepared, at: 1) == [])
    #expect(machine.handle(.timer, at: 1_000).last == .own(.refuse(.notAuthorized(.undecided))))
  }

  @Test(arguments: [AuthorizationReason.noAgent, .authorizationRequired])
  func `a refusal that only the user can change is returned without waiting for the timeout`(
    reason: AuthorizationReason
  ) {
    var machine = machine()
    _ = machine.handle(access(.refused(reason)), at: 0)
    #expect(machine.handle(.prepared, at: 1).last == .own(.refuse(.notAuthorized(.refused(reason)))))
  }

  @Test func `if GeoClue decides, no-agent is returned only after GeoClue has reported it to this call`() {
    var machine = machine(sourceDecides: true)
    _ = machine.handle(access(.refused(.noAgent)), at: 0)
    #expect(machine.handle(.prepared, at: 1).contains(.need(.exact)))
    let unknown = SourceStatus(state: .waiting, reason: .noAgent)
    #expect(machine.handle(.source(unknown), at: 1) == [.own(.askSource)], "an agent may have started meanwhile")
    #expect(machine.handle(.source(unknown), at: 1) == [])
    let status = SourceStatus(state: .waiting, reason: .noAgent, availableAccuracy: .exact)
    #expect(machine.handle(.source(status), at: 2).last == .own(.refuse(.notAuthorized(.refused(.noAgent)))))
  }

  @Test func `with a timeout of 0, GetLocation answers as soon as the facts are known and deliveries are not held`() {
    var machine = machine { $0.timeout = .zero }
    _ = machine.handle(access(.undecided), at: 0)
    #expect(machine.handle(.timer, at: 0) == [])
    var (none, held) = (machine, machine)
    _ = machine.handle(access(.allowed, cached: location), at: 1)
    #expect(machine.handle(.prepared, at: 2).last == .own(.deliver(delivery)))
    _ = none.handle(access(.allowed), at: 1)
    #expect(none.handle(.prepared, at: 2).last == .own(.refuse(.timeout)))
    _ = held.handle(access(.allowed, isHeld: true, cached: location), at: 1)
    _ = held.handle(.prepared, at: 2)
    #expect(held.handle(access(.allowed, cached: location), at: 3).last == .own(.deliver(delivery)))
  }

  /// Regression: a hold led to an error although a location could be returned.
  @Test func `with best-effort and a timeout of 0, a location that is held is returned afterwards`() {
    var machine = machine { ($0.timeout, $0.requiredAccuracy, $0.isBestEffort) = (.zero, 1, true) }
    _ = machine.handle(access(.allowed, isHeld: true, cached: location), at: 0)
    _ = machine.handle(.prepared, at: 1)
    #expect(machine.handle(.timer, at: 2).last != .own(.refuse(.timeout)))
    #expect(machine.handle(access(.allowed, cached: location), at: .seconds(6)).last == .own(.deliver(delivery)))
  }

  @Test func `GetLocation returns the next location, or fails with Timeout`() {
    var machine = waiting()
    var other = machine
    #expect(machine.handle(.location(location), at: 2).last == .own(.deliver(delivery)))
    #expect(other.handle(.timer, at: 20_000_000).last == .own(.refuse(.timeout)))
  }

  @Test func `only an authorized call asks the source for a new fix, and only once`() {
    var machine = machine()
    #expect(machine.deadline == .origin + LocationRequestMachine.patience)
    _ = machine.handle(.prepared, at: 1)
    var allowed = machine
    #expect(!machine.handle(.timer, at: 3_000_000).contains(.own(.askSource)) && machine.deadline == 20_000_000)
    _ = allowed.handle(access(.allowed), at: 2)
    #expect(allowed.handle(.timer, at: 3_000_000).contains(.own(.askSource)))
    #expect(!allowed.handle(.timer, at: 6_000_000).contains(.own(.askSource)))
  }

  @Test func `a waiting call returns a cached location as soon as one is available`() {
    var machine = waiting()
    var access = ClientAccess(authorization: .allowed)
    #expect(machine.handle(.access(access), at: 2) == [])
    access.cached = location
    #expect(machine.handle(.access(access), at: 3).contains { if case .own(.deliver) = $0 { true } else { false } })
  }

  @Test func `with required-accuracy, GetLocation waits for a location that is accurate enough`() {
    var machine = waiting { $0.requiredAccuracy = 50 }
    var coarse = location
    coarse.accuracy = 51
    #expect(machine.handle(.location(location), at: 2) == [], "of unknown accuracy")
    #expect(machine.handle(.location(coarse), at: 3) == [])
    var other = machine
    #expect(other.handle(.timer, at: 20_000_000).last == .own(.refuse(.timeout)))
    var fine = location
    fine.accuracy = 50
    #expect(
      machine.handle(.location(fine), at: 4).last
        == .own(.deliver(Delivery(location: fine, isReduced: false))))
  }

  @Test func `with best-effort, GetLocation returns the most accurate location at the timeout`() {
    var machine = waiting { ($0.requiredAccuracy, $0.isBestEffort) = (50, true) }
    var none = machine
    #expect(none.handle(.timer, at: 20_000_000).last == .own(.refuse(.timeout)))
    var best = location
    for accuracy in [900, 200, 400, nil] as [Double?] {
      var location = location
      location.accuracy = accuracy
      if accuracy == 200 { best = location }
      #expect(machine.handle(.location(location), at: 2) == [])
    }
    #expect(
      machine.handle(.timer, at: 20_000_000).last
        == .own(.deliver(Delivery(location: best, isReduced: false))))
  }

  @Test func `with best-effort, a new location replaces the cached one that is as accurate`() {
    var machine = machine { ($0.requiredAccuracy, $0.isBestEffort) = (50, true) }
    var (cached, new) = (location, location)
    (cached.accuracy, new.accuracy) = (200, 200)
    (cached.receivedAt, new.receivedAt) = (BootInstant(microseconds: 1), BootInstant(microseconds: 2))
    _ = machine.handle(access(.allowed, cached: cached), at: 0)
    _ = machine.handle(.prepared, at: 1)
    #expect(machine.handle(.location(new), at: 2) == [])
    #expect(
      machine.handle(.timer, at: 20_000_000).last
        == .own(.deliver(Delivery(location: new, isReduced: false))))
  }

  @Test func `the best location from before an increase of access is marked as reduced`() {
    var machine = machine { ($0.requiredAccuracy, $0.isBestEffort) = (50, true) }
    _ = machine.handle(access(.city), at: 0)
    _ = machine.handle(.prepared, at: 1)
    var town = location
    (town.accuracy, town.level) = (15_000, .city)
    #expect(machine.handle(.location(town), at: 2) == [])
    _ = machine.handle(access(.allowed), at: 3)
    #expect(
      machine.handle(.timer, at: 20_000_000).last
        == .own(.deliver(Delivery(location: town, isReduced: true))))
  }

  @Test func `after an increase of access, a remembered location of the earlier level does not answer a call`() {
    var (country, town) = (location, location)
    (country.accuracy, country.level, country.isRemembered) = (300_000, .country, true)
    (town.accuracy, town.level, town.isRemembered) = (15_000, .city, true)
    var machine = machine { ($0.accuracy, $0.maximumAge) = (.city, .seconds(3_600)) }
    _ = machine.handle(access(.authorized(.whenInUse, level: .country), isHeld: true, cached: country), at: 0)
    _ = machine.handle(.prepared, at: 1)
    #expect(
      machine.handle(access(.city, cached: town), at: 2).last
        == .own(.deliver(Delivery(location: town, isReduced: false))))
    var exact = self.machine { $0.maximumAge = .seconds(3_600) }
    _ = exact.handle(access(.city, isHeld: true, cached: town), at: 0)
    _ = exact.handle(.prepared, at: 1)
    // Nothing of the level `exact` is remembered.
    #expect(exact.handle(access(.allowed), at: 2).contains(.need(.exact)))
  }

  @Test func `a remembered location does not answer a call after the clock was set`() {
    var town = location
    (town.accuracy, town.level, town.isRemembered) = (15_000, .city, true)
    var machine = waiting(cached: town) {
      ($0.accuracy, $0.maximumAge, $0.requiredAccuracy, $0.isBestEffort) = (.city, .seconds(3_600), 1, true)
    }
    var changed = machine
    var renewed = machine
    #expect(machine.handle(.timer, at: 20_000_000).last != .own(.refuse(.timeout)))
    #expect(changed.handle(.clockChanged, at: 2) == [])
    #expect(changed.handle(.timer, at: 20_000_000).last == .own(.refuse(.timeout)))
    _ = renewed.handle(.clockChanged, at: 2)
    _ = renewed.handle(access(.allowed, cached: town), at: 2)
    #expect(renewed.handle(.timer, at: 20_000_000).last != .own(.refuse(.timeout)), "it is still recent enough")
  }

  @Test(arguments: [9, 24] as [UInt64])
  func `with best-effort, GetLocation returns no location that is too old at the timeout`(age: UInt64) {
    var options = ClientOptions()
    (options.requiredAccuracy, options.isBestEffort) = (50, true)
    let began = BootInstant.seconds(100)
    var machine = LocationRequestMachine(options, SourceStatus(), at: began, sourceDecides: false)
    var cached = location
    (cached.accuracy, cached.receivedAt) = (100, began - .seconds(age))
    _ = machine.handle(access(.allowed, cached: cached), at: began)
    _ = machine.handle(.prepared, at: began)
    let answer = Delivery(location: cached, isReduced: false)
    #expect(
      machine.handle(.timer, at: began + 20_000_000).last
        == (age == 9 ? .own(.deliver(answer)) : .own(.refuse(.timeout))))
  }

  /// The locations of neighbourhoods change in intervals of 60 s.
  @Test(arguments: [100, 125] as [UInt64])
  func `with best-effort, GetLocation returns no location of an earlier interval that is too old`(second: UInt64) {
    var options = ClientOptions()
    (options.accuracy, options.requiredAccuracy, options.isBestEffort) = (.neighborhood, 50, true)
    let began = BootInstant.seconds(second)
    var machine = LocationRequestMachine(options, SourceStatus(), at: began, sourceDecides: false)
    var cached = location
    (cached.accuracy, cached.level, cached.receivedAt) = (3_000, .neighborhood, .seconds(95))
    _ = machine.handle(access(.allowed, cached: cached), at: began)
    _ = machine.handle(.prepared, at: began)
    let isAnswered = machine.handle(.timer, at: began + 20_000_000).last != .own(.refuse(.timeout))
    #expect(isAnswered == (second == 100))
  }

  @Test func `a location that is held is returned after a grant and dropped after a refusal`() {
    let machine = waiting(isHeld: true, cached: location)
    var (allowed, other, released) = (machine, machine, machine)
    #expect(released.handle(.location(location), at: 3).last == .own(.deliver(delivery)), "the chain released it")
    #expect(allowed.handle(access(.allowed), at: 3).last == .own(.deliver(delivery)))
    #expect(other.handle(access(.off), at: 3).last == .own(.refuse(.notAuthorized(.off))))
  }

  @Test func `a location from before a reduction of access is not returned after it`() {
    var machine = waiting(isHeld: true, cached: location)
    #expect(!machine.handle(access(.city), at: 3).contains { if case .own(.deliver) = $0 { true } else { false } })
  }

  @Test(arguments: [SourceReason.geoclueNotInstalled, .disallowedByConfiguration])
  func `GetLocation fails without waiting if the source cannot become available`(reason: SourceReason) {
    var machine = waiting()
    let status = SourceStatus(state: .unavailable, reason: reason)
    #expect(machine.handle(.source(status), at: 2).last == .own(.refuse(.unavailable(reason))))
  }

  @Test func `a request for a measurement waits for a check of access`() {
    var machine = waiting(isHeld: true)
    #expect(machine.handle(.timer, at: 3_000_000) == [])
    #expect(machine.handle(access(.allowed), at: 3_200_000) == [.own(.askSource)])
    #expect(machine.handle(access(.allowed), at: 3_300_000) == [], "it is made once")
  }

  @Test func `while access is being checked again, GetLocation does not fail because of the source`() {
    var machine = waiting(isHeld: true)
    let status = SourceStatus(state: .unavailable, reason: .geoclueNotInstalled)
    #expect(machine.handle(.source(status), at: 2) == [])
    var other = machine
    #expect(machine.handle(access(.off), at: 3).last == .own(.refuse(.notAuthorized(.off))))
    #expect(other.handle(access(.allowed), at: 3).last == .own(.refuse(.unavailable(.geoclueNotInstalled))))
  }

  @Test func `if the source is unavailable at the timeout, GetLocation fails with Unavailable`() {
    var machine = machine(sourceDecides: true)
    _ = machine.handle(.prepared, at: 1)
    let status = SourceStatus(state: .unavailable, reason: .geoclueRestarting)
    #expect(machine.handle(.source(status), at: 2) == [])
    #expect(machine.handle(.timer, at: 3_000_000) == [.own(.askSource)], "the pause until the next attempt may be long")
    #expect(machine.handle(.timer, at: 20_000_000).last == .own(.refuse(.unavailable(.geoclueRestarting))))
  }

  @Test func `GetLocation ends when the service stops or the caller disconnects`() {
    var machine = machine()
    _ = machine.handle(.prepared, at: 1)
    var other = machine
    #expect(machine.handle(.close(.shutdown), at: 2).last == .own(.refuse(.ending)))
    #expect(other.handle(.close(nil), at: 2) == [.end(nil)])
    #expect(other.handle(.location(location), at: 3) == [])
  }
}

@Suite struct AuthorizationRequestMachineTests {
  private let open = Authorization.refused(.authorizationRequired)

  private func machine(isInteractive: Bool = true, sourceDecides: Bool = false) -> AuthorizationRequestMachine {
    AuthorizationRequestMachine(
      ClientOptions(), SourceStatus(), isInteractive: isInteractive, at: 1_000, sourceDecides: sourceDecides)
  }

  @Test func `RequestAuthorization is answered as soon as the facts are known`() {
    var machine = machine()
    #expect(machine.handle(access(.allowed), at: 0) == [])
    #expect(machine.handle(.prepared, at: 1).last == .reply(.allowed))
  }

  @Test func `an interactive call opens a dialog if consent could lead to a finer level`() {
    var machine = machine()
    _ = machine.handle(access(open, canAsk: true), at: 2_000)
    #expect(machine.handle(.prepared, at: 3_000).contains(.openDialog))
    var other = machine
    #expect(machine.handle(.dialogEnded(.allowed), at: 4_000).last == .reply(.allowed))
    #expect(
      other.handle(.dialogUnavailable(.promptsPerConnection), at: 4_000).last
        == .refuse(.limitsExceeded(.promptsPerConnection)))
  }

  @Test func `the time for gathering facts and for the dialog is limited by one deadline`() {
    var machine = machine()
    #expect(machine.begin() == [] && machine.deadline == 4_501_000)
    // Gathering the facts lasts as long as possible, and the dialog may use the rest of the time.
    _ = machine.handle(access(open, canAsk: true), at: 4_400_000)
    #expect(machine.handle(.prepared, at: 4_400_000).contains(.openDialog) && machine.deadline == 119_001_000)
    #expect(machine.handle(.timer, at: 119_001_000).last == .reply(open))
  }

  @Test func `without the interactive flag, a call that needs a dialog fails`() {
    var machine = machine(isInteractive: false)
    _ = machine.handle(access(open, canAsk: true), at: 0)
    #expect(machine.handle(.prepared, at: 1).last == .refuse(.interactionRequired(open)))
  }

  @Test func `RequestAuthorization returns undecided at its deadline`() {
    var machine = machine()
    _ = machine.handle(access(.undecided), at: 0)
    #expect(machine.handle(.prepared, at: 1) == [])
    #expect(machine.handle(.timer, at: 4_501_000).last == .reply(.undecided))
  }

  @Test func `if GeoClue decides, RequestAuthorization uses the source until it is answered`() {
    var machine = machine(sourceDecides: true)
    #expect(machine.begin().contains(.need(.exact)))
    _ = machine.handle(.prepared, at: 1)
    let status = SourceStatus(state: .unavailable, reason: .geoclueNotInstalled)
    #expect(machine.handle(.source(status), at: 2).contains(inOrder: .need(nil), .reply(.undecided)))
  }

  @Test func `RequestAuthorization ends without an answer when the caller disconnects`() {
    var machine = machine()
    #expect(machine.handle(.close(nil), at: 1) == [.end])
    #expect(machine.handle(access(.allowed), at: 2) == [])
  }
}
