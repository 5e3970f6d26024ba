// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeopublicistService

nonisolated extension Authorization {
  static let allowed = authorized(.whenInUse)
  static let city = authorized(.whenInUse, level: .city)
  static let off = refused(.disabledByUser)
  static let forbidden = refused(.disallowedByPolicy)
}

nonisolated func access<Event: ClientEvent>(
  _ authorization: Authorization, isHeld: Bool = false, canAsk: Bool = false, cached: Location? = nil
) -> Event {
  .access(ClientAccess(authorization: authorization, isHeld: isHeld, canAsk: canAsk, cached: cached))
}

nonisolated extension Array where Element: Equatable {
  /// Whether these actions occur in this order, with any others in between.
  func contains(inOrder expected: Element...) -> Bool {
    var rest = expected[...]
    for action in self where action == rest.first { rest = rest.dropFirst() }
    return rest.isEmpty
  }
}

@Suite struct SubscriptionMachineTests {
  private func machine(
    _ authorization: Authorization = .allowed, sourceDecides: Bool = false,
    _ change: (inout ClientOptions) -> Void = { _ in }
  ) -> SubscriptionMachine {
    var options = ClientOptions()
    change(&options)
    return SubscriptionMachine(options, authorization, sourceDecides: sourceDecides)
  }

  private func location(_ sequence: UInt64, _ level: AccuracyLevel = .exact) -> Location {
    var location = Location(latitude: 52, longitude: 13, timestamp: Timestamp(seconds: sequence), sequence: sequence)
    location.level = level
    return location
  }

  private func started(_ authorization: Authorization = .allowed) -> SubscriptionMachine {
    var machine = machine(authorization)
    _ = machine.handle(.start(after: machine.stops), at: 0)
    return machine
  }

  @Test func `Start is answered, then the authorization is announced, then updates begin`() {
    var machine = machine()
    let actions = machine.handle(.start(after: machine.stops), at: 5)
    #expect(actions.contains(inOrder: .own(.started), .own(.announce), .follow(.exact)) && machine.isActive)
  }

  @Test func `Start on a started subscription does nothing`() {
    var machine = started()
    #expect(machine.handle(.start(after: machine.stops), at: 6) == [.own(.started)])
  }

  @Test func `Start is refused while a rule forbids it`() {
    var machine = machine(.forbidden)
    let actions = machine.handle(.start(after: machine.stops), at: 0)
    #expect(actions.contains(.own(.refuse(.notAuthorized(.forbidden)))) && !machine.isActive)
  }

  @Test func `a Start that was delayed does not start a subscription that was stopped later`() {
    var machine = machine()
    let first = machine.stops
    #expect(machine.handle(.stop, at: 0) == [])
    #expect(machine.handle(.start(after: first), at: 1) == [.own(.started)])
    #expect(!machine.isActive)
  }

  @Test func `two delayed calls of Start are both answered with the refusal`() {
    var machine = machine(.forbidden)
    let calls = [machine.stops, machine.stops]
    for call in calls {
      #expect(machine.handle(.start(after: call), at: 0).last == .own(.refuse(.notAuthorized(.forbidden))))
    }
  }

  @Test(arguments: [Authorization.off, .undecided, .refused(.noAgent)])
  func `Start succeeds without access, and updates begin when access is granted`(access first: Authorization) {
    var machine = machine(first)
    #expect(machine.handle(.start(after: machine.stops), at: 0).contains(.own(.started)))
    #expect(machine.handle(.location(location(1)), at: 1) == [])
    #expect(machine.handle(access(.allowed), at: 2).contains(.follow(.exact)))
  }

  @Test func `when access is lost, updates end and the location is cleared before the loss is announced`() {
    var machine = started()
    _ = machine.handle(.location(location(1)), at: 1)
    #expect(machine.last != nil)
    #expect(machine.handle(access(.off), at: 2).contains(inOrder: .follow(nil), .own(.announce)))
    #expect(machine.last == nil)
    #expect(machine.handle(.location(location(2)), at: 3) == [])
  }

  @Test func `when access is reduced, updates continue at the granted level`() {
    var machine = started()
    _ = machine.handle(.location(location(1)), at: 1)
    let actions = machine.handle(access(.city), at: 2)
    #expect(actions.contains(inOrder: .follow(nil), .follow(.city)))
    #expect(machine.last == nil, "it was finer than is allowed now")
    #expect(machine.handle(.location(location(2)), at: 3) == [], "a late location of the old level")
    let delivery = Delivery(location: location(3, .city), isReduced: true)
    #expect(machine.handle(.location(location(3, .city)), at: 4) == [.own(.own(.deliver(delivery)))])
  }

  @Test func `a change of only the reason is announced and does not interrupt updates`() {
    var machine = started(.authorized(.always))
    let actions = machine.handle(access(.allowed), at: 1)
    #expect(actions.contains(.own(.announce)) && !actions.contains(.follow(nil)))
  }

  @Test func `max-updates ends the subscription with the last update`() {
    var machine = machine { $0.maximumUpdates = 2 }
    _ = machine.handle(.start(after: machine.stops), at: 0)
    func delivery(_ sequence: UInt64) -> SubscriptionMachine.Action {
      .own(.own(.deliver(Delivery(location: location(sequence), isReduced: false))))
    }
    #expect(machine.handle(.location(location(1)), at: 1) == [delivery(1)])
    let actions = machine.handle(.location(location(2)), at: 2)
    #expect(actions.contains(inOrder: delivery(2), .end(.completed)))
    #expect(machine.handle(.location(location(3)), at: 3) == [])
    #expect(machine.delivered == 2)
  }

  @Test func `the duration begins with the first start and also passes while the subscription is stopped`() {
    var machine = machine { $0.duration = .milliseconds(10) }
    _ = machine.handle(.start(after: machine.stops), at: 100)
    _ = machine.handle(.stop, at: 200)
    _ = machine.handle(.start(after: machine.stops), at: 5_000)
    #expect(machine.handle(.timer, at: 9_000) == [], "a timer that fires early")
    #expect(machine.handle(.clockChanged, at: 9_500) == [] && machine.deadline == 10_100)
    #expect(machine.handle(.timer, at: 10_100).last == .end(.completed) && machine.deadline == nil)
  }

  @Test func `a changed accuracy restarts updates at the new level`() {
    var machine = started()
    var options = machine.options
    options.accuracy = .street
    #expect(machine.handle(.options(options), at: 1).contains(inOrder: .follow(nil), .follow(.street)))
    #expect(machine.handle(access(.allowed), at: 1) == [.audit(.allowed)], "the log contains the level")
    #expect(machine.handle(access(.allowed), at: 1) == [])
    options.distanceThreshold = 5
    #expect(machine.handle(.options(options), at: 2) == [])
  }

  @Test func `if GeoClue decides, the source is used before access is granted`() {
    var machine = machine(.undecided, sourceDecides: true)
    #expect(machine.handle(.start(after: machine.stops), at: 0).contains(.need(.exact)))
  }

  @Test func `failures are reported only while a subscription is started and no rule forbids it`() {
    var machine = started()
    #expect(machine.reportsFailures)
    _ = machine.handle(access(.forbidden), at: 2)
    #expect(!machine.reportsFailures)
    #expect(!self.machine().reportsFailures)
  }

  @Test func `the authorization is announced once after each Start, and again when it changes`() {
    var machine = machine(.undecided)
    #expect(machine.object.announcement() == nil, "it can be read")
    #expect(machine.handle(access(.allowed), at: 0).contains(.own(.announce)))
    #expect(machine.object.announcement() == nil, "nothing is reported before the first start")
    for start in 1...2 as ClosedRange<UInt64> {
      #expect(machine.handle(.start(after: machine.stops), at: .milliseconds(start)).contains(.own(.announce)))
      #expect(machine.object.announcement() == .allowed)
      #expect(machine.object.announcement() == nil)
      #expect(machine.handle(access(.off), at: .milliseconds(start)).contains(.own(.announce)))
      #expect(machine.handle(access(.allowed), at: .milliseconds(start)).contains(.own(.announce)))
      #expect(machine.object.announcement() == nil, "it has not changed since the last one")
      _ = machine.handle(.stop, at: .milliseconds(start))
    }
  }

  @Test(arguments: [.close(.byClient), .close(nil), .close(.shutdown)] as [SubscriptionMachine.Event])
  func `after a subscription has ended, no event has any effect`(end: SubscriptionMachine.Event) {
    var machine = started()
    let actions = machine.handle(end, at: 1)
    #expect(actions.contains(.need(nil)) && actions.contains(.follow(nil)) && actions.contains(.receiving(false)))
    for event in [
      .start(after: machine.stops), .stop, access(.off), .location(location(1)), .timer, .close(nil),
      .close(.byClient), .clockChanged,
    ] as [SubscriptionMachine.Event] {
      #expect(machine.handle(event, at: 2) == [])
    }
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `after any sequence of events, a location is delivered only at the level that is allowed then`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var machine = machine { $0.maximumUpdates = seed % 3 == 0 ? 4 : 0 }
    var (need, follows, receivers, isOver) = (AccuracyLevel?.none, AccuracyLevel?.none, 0, false)
    var now = Authorization.allowed
    for step in 0..<60 as Range<UInt64> {
      let events: [SubscriptionMachine.Event] = [
        .start(after: machine.stops), .start(after: machine.stops), .stop, access(.allowed), access(.off),
        access(.city), access(.forbidden),
        .location(location(step, follows ?? .exact)), .location(location(step)),
        .clockChanged, .timer,
      ]
      let event = events.randomElement(using: &random) ?? .stop
      if case .access(let access) = event { now = access.authorization }
      for action in machine.handle(event, at: .milliseconds(step)) {
        switch action {
        case .need(let level): need = level
        case .follow(let level): follows = level
        case .receiving(let isReceiving): receivers += isReceiving ? 1 : -1
        case .own(.own(.deliver(let delivery))):
          #expect(now.isAuthorized && delivery.location.level <= now.level && !isOver)
        case .end: isOver = true
        default: break
        }
      }
      #expect(receivers == (machine.isActive ? 1 : 0))
      #expect(follows == (machine.isActive ? machine.level : nil) && need == follows)
    }
  }
}
