// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import MainLoop
import PublicistTesting
import Testing

@testable import GeopublicistService

/// A class, so that the service ends on the main actor, before anything else happens there.
@Suite final class AccessTests {
  private let bus: PrivateBus
  private let connection: Connection
  private let client: Connection
  private let gatekeeper = CountingGatekeeper()
  private let source = FakeLocationSource()
  private let service: LocationService
  private var latitude = 52.5

  init() throws {
    bus = try PrivateBus(.session)
    connection = try Connection(to: .address(bus.address))
    client = try Connection(to: .address(bus.address))
    service = LocationService(
      on: connection, LocationPublicist(LocationManager(source: source)), gatekeeper,
      CredentialsLookup(on: connection), Configuration()
    ) { () throws(DBusError) in throw DBusError(.limitsExceeded, "no client is pinged") }
    source.send(.authorization(.allowed))
  }

  isolated deinit {}

  private func call(
    _ member: MemberName, of interface: InterfaceName = "org.geopublicist.Location1",
    at path: ObjectPath = "/org/geopublicist/Location1", _ arguments: [Value] = [], from caller: Connection? = nil,
    meanwhile act: () throws -> Void = {}
  ) throws -> Result<[Value], CallFailure> {
    var answer: Result<[Value], CallFailure>?
    (caller ?? client).call(Message(calling: member, of: interface, at: path, on: connection.uniqueName, arguments)) {
      answer = $0
    }.keep()
    try act()
    try turning("an answer") { answer != nil }
    return try #require(answer)
  }

  /// Calls `GetLocation` on another connection, and accepts a location of any age.
  private func locateAtAnyAge(_ level: String, within timeout: UInt32 = 5_000) throws -> Result<[Value], CallFailure> {
    let options: [(String, Value)] = [
      ("accuracy", .string(level)), ("timeout", .uint32(timeout)), ("maximum-age", .uint32(.max)),
    ]
    return try call("GetLocation", [.options(options)], from: Connection(to: .address(bus.address)))
  }

  /// Runs `body` as if a time had passed.
  private func after(_ time: Duration, _ body: () throws -> Void) rethrows {
    let clock = MainLoop.main.clock
    defer { MainLoop.main.clock = clock }
    MainLoop.main.clock.boottime = { clock.boottime() + time }
    try body()
  }

  private func expectNoKnownLocation(_ level: String) throws {
    let answer = try locateAtAnyAge(level, within: 100)
    let failure = #expect(throws: CallFailure.self) { try answer.get() }
    #expect(failure?.error.name == .locationTimeout, "\(answer)")
  }

  /// Sends a location that another user needs, and waits until the service has it.
  private func measure() throws {
    service.source.set(SourceSchedule.Need(.exact), for: ObjectIdentifier(source))
    try turning("the source is needed") { source.level != nil }
    let before = service.locations.newestArrival
    // At the same place, it would be a repetition.
    latitude += 0.00001
    source.move(latitude: latitude)
    try turning("the location has arrived") { service.locations.newestArrival != before }
  }

  /// Creates an object, starts it, and waits until its access has been reviewed.
  private func start(_ kind: String) throws -> any OwnedObject {
    let member = try #require(MemberName(validating: "Create\(kind)"))
    let interface = try #require(InterfaceName(validating: "org.geopublicist.Location1.\(kind)"))
    let path = try #require(try call(member, [.options([])]).get().first?.objectPath)
    _ = try call("Start", of: interface, at: path).get()
    let object = try #require(service.clients.objects.first)
    try turning("it is active and asks the source") { object.isActive && source.level != nil }
    return object
  }

  @Test func `each change of a client's access causes exactly one decision`() throws {
    let object = try start("Subscription")
    source.move()
    try turning("the first location") { object.delivered == 1 }
    #expect(gatekeeper.decisions == 2, "one for the new object, and one when its facts have been gathered")
    for new in [Authorization.off, .allowed, .forbidden] {
      let before = gatekeeper.decisions
      gatekeeper.change(to: new)
      try turning("the change is followed") { object.isActive == new.isAuthorized }
      try turning(for: .milliseconds(50), "one decision") { gatekeeper.decisions == before + 1 }
    }
  }

  /// Regression: while another program held a silent source, GeoClue repeated its location, which nobody received.
  @Test func `a subscription receives the known location when the source runs, even if it is old`() throws {
    let first = try start("Subscription")
    source.move(ago: .seconds(600))
    try turning("the first location") { first.delivered == 1 }
    let path = try #require(try call("CreateSubscription", [.options([])]).get().first?.objectPath)
    _ = try call("Start", of: "org.geopublicist.Location1.Subscription", at: path).get()
    let second = try #require(service.clients.objects.first { $0.path == path })
    try turning(for: .milliseconds(50), "the source may measure another one") { second.delivered == 0 }
    source.send(.status(SourceStatus(state: .running)))
    try turning("the known location") { second.delivered == 1 }
    #expect(first.delivered == 1)
  }

  /// Regression: each chain that began while the client read nothing left something that waits.
  @Test func `an object of a client that does not read waits for room once`() throws {
    let object = try start("Subscription")
    source.move()
    try turning("the first location") { object.delivered == 1 }
    let name = client.uniqueName
    for _ in 0..<30 { service.outbox.sent(100_000, to: name) }
    #expect(service.outbox.state(of: name) == .suspended)
    for number in 1...50 {
      let level = number.isMultiple(of: 2) ? AccuracyLevel.exact : .street
      gatekeeper.change(to: .authorized(.whenInUse, level: level))
      try turning("the change is followed") {
        object.listEntry.properties?["Level"]?.string == level.contractName
      }
    }
    // One for its locations, and one for its state.
    #expect((1...2).contains(service.outbox.waitingActions), "\(service.outbox.waitingActions)")
  }

  /// Regression: in a session, the release of the source counted as a loss of access.
  @Test func `a source that was released has not withdrawn its last location, but one that refuses has`() throws {
    let (own, source) = (try Connection(to: .address(bus.address)), FakeLocationSource())
    let service = LocationService(
      on: own, LocationPublicist(LocationManager(source: source)), SessionGatekeeper(on: own),
      CredentialsLookup(on: own), Configuration()
    ) { () throws(DBusError) in own }
    func locate(meanwhile act: @escaping () -> Void) throws -> Result<[Value], CallFailure> {
      var answer: Result<[Value], CallFailure>?
      let options = Value.options([("timeout", .uint32(200))])
      let path: ObjectPath = "/org/geopublicist/Location1"
      client.call(
        Message(calling: "GetLocation", of: "org.geopublicist.Location1", at: path, on: own.uniqueName, [options])
      ) { answer = $0 }.keep()
      var hasActed = false
      try turning("an answer") {
        if source.level != nil, !hasActed {
          hasActed = true
          act()
        }
        return answer != nil
      }
      return try #require(answer)
    }
    _ = try locate {
      source.send(.authorization(.allowed))
      source.move()
    }.get()
    try turning("the source is released") { source.level == nil }
    source.send(.authorization(.undecided))
    _ = try locate { source.send(.authorization(.allowed)) }.get()
    try turning("the source is released again") { source.level == nil }
    source.send(.authorization(.off))
    source.send(.authorization(.undecided))
    let answer = try locate { source.send(.authorization(.allowed)) }
    let failure = #expect(throws: CallFailure.self) { try answer.get() }
    #expect(failure?.error.name == .locationTimeout)
    withExtendedLifetime(service) {}
  }

  /// Regression: it waited until all answers before it had been paid for, for 20 s and more.
  @Test func `a call that long answers have delayed is refused within its deadline`() throws {
    _ = try call("ListSubscriptions").get()
    let client = try #require(service.clients.all.first)
    service.admission.charge(1_000, to: client)
    let clock = MainLoop.main.clock
    defer { MainLoop.main.clock = clock }
    let answer = try call("ListSubscriptions") {
      try turning("it waits") { service.admission.queue.count == 1 }
      MainLoop.main.clock.boottime = { clock.boottime() + AnswerDeadlines.turn }
    }
    guard case .failure(.refused(let error)) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(error.message.contains("calls-per-second-per-user"), "\(error)")
    #expect(service.admission.queue.count == 0)
  }

  /// Regression: without the source, nothing could contradict it, and the next call received it.
  @Test func `a jump that waits to be confirmed is dropped when the source is released`() throws {
    let object = try start("Subscription")
    source.move()
    try turning("the location") { object.delivered == 1 }
    source.move(latitude: 5)
    _ = try call("Stop", of: "org.geopublicist.Location1.Subscription", at: object.path)
    try turning("the source is released") { source.level == nil }
    try turning(for: .milliseconds(5_300), "it is not believed") {
      service.locations.newest(for: .exact)?.latitude == 52.5
    }
  }

  @Test func `a location that arrives before restored access is reviewed is delivered`() throws {
    let object = try start("Subscription")
    gatekeeper.change(to: .off)
    try turning("the loss is followed") { !object.isActive }
    gatekeeper.change(to: .allowed)
    source.move()
    try turning("the location") { object.delivered == 1 }
  }

  @Test func `a call receives a location that arrives before restored access is reviewed`() throws {
    _ = try start("Subscription")
    gatekeeper.change(to: .off)
    try turning("the loss is reviewed") { service.clients.objects.first?.isActive == false }
    _ = try call("Close", of: "org.geopublicist.Location1.Subscription", at: service.clients.objects[0].path).get()
    // Another client needs the source.
    service.source.set(SourceSchedule.Need(.exact), for: ObjectIdentifier(source))
    gatekeeper.isSlow = true
    let answer = try call("GetLocation", [.options([("timeout", .uint32(5_000))])]) {
      try turning("the call waits") { service.clients.requests.count == 1 }
      gatekeeper.change(to: .allowed)
      source.move()
      try turning(for: .milliseconds(20), "its facts are missing") { service.clients.requests.count == 1 }
      gatekeeper.isSlow = false
    }
    #expect(throws: Never.self) { try answer.get() }
  }

  /// Regression: the refusal counted only for the connections that had been refused.
  @Test(arguments: ["exact", "street"])
  func `a new connection of a refused user receives no location from during the refusal`(level: String) throws {
    let object = try start("Subscription")
    gatekeeper.change(to: .off)
    try turning("the loss is followed") { !object.isActive }
    try measure()
    gatekeeper.change(to: .allowed)
    try turning("access is restored") { object.isActive }
    // The cell of the present interval may be returned.
    if level == "exact" { try expectNoKnownLocation(level) }
    try after(.seconds(60)) { try expectNoKnownLocation(level) }
    try measure()
    #expect(throws: Never.self) { try locateAtAnyAge(level).get() }
  }

  /// Regression: it ended with `Timeout`, because an earlier and finer location was preferred, which it may not receive.
  @Test func `after a refusal, a coarser location answers a call at a reduced level`() throws {
    let object = try start("Subscription")
    gatekeeper.change(to: .off)
    try turning("the loss is followed") { !object.isActive }
    try measure()
    #expect(throws: CallFailure.self) { try call("GetLocation", [.options([])]).get() }
    gatekeeper.change(to: .allowed)
    try turning("access is restored") { object.isActive }
    try expectNoKnownLocation("street")
    let answer = try call("GetLocation", [.options([("accuracy", .string("street"))])]) {
      try turning("the call waits") { service.clients.requests.count == 1 }
      source.move(accuracy: 3_000)
    }
    #expect(throws: Never.self) { try answer.get() }
  }

  /// Regression: after the end of the interval, it waited until the finer location was 30 s old.
  @Test func `a coarser location answers a call if nothing else arrives in an interval`() throws {
    try measure()
    _ = try call("GetLocation", [.options([("accuracy", .string("street"))])]).get()
    let interval = Int64(AccuracyLevel.street.minimumInterval.microseconds)
    let rest = interval - Int64(MainLoop.main.clock.boottime().microseconds) % interval
    try after(.microseconds(rest + 6_000_000)) {
      let options: [(String, Value)] = [("accuracy", .string("street")), ("maximum-age", .uint32(0))]
      let answer = try call("GetLocation", [.options(options)]) {
        try turning("the call waits") { service.clients.requests.count == 1 }
        source.move(accuracy: 3_000)
      }
      #expect(throws: Never.self) { try answer.get() }
    }
  }

  @Test(arguments: ["exact", "street"])
  func `a new connection receives a location of any age if its user has had access since then`(level: String) throws {
    let object = try start("Subscription")
    source.move()
    try turning("the location") { object.delivered == 1 }
    try after(.seconds(3_600)) {
      #expect(throws: Never.self) { try locateAtAnyAge(level).get() }
      _ = try call("Close", of: "org.geopublicist.Location1.Subscription", at: object.path).get()
      client.close()
      try turning("the user has no client") { service.clients.all.isEmpty }
      #expect(throws: Never.self) { try locateAtAnyAge(level).get() }
    }
  }

  /// Regression: they received every location that another user had received.
  @Test(arguments: ["exact", "street"])
  func `the programs of a user who had none receive no old location`(level: String) throws {
    let object = try start("Subscription")
    client.close()
    try turning("the user has no client") { service.clients.all.isEmpty && !object.isActive }
    try measure()
    #expect(throws: Never.self) { try locateAtAnyAge(level).get() }
    try turning("the user has no client") { service.clients.all.isEmpty }
    try measure()
    try after(.seconds(60)) { try expectNoKnownLocation(level) }
  }

  @Test func `a location from before a change that is reported later is not delivered`() throws {
    let object = try start("Subscription")
    gatekeeper.change(to: .off)
    try turning("the loss is followed") { !object.isActive }
    gatekeeper.change(to: .off)
    source.move()
    gatekeeper.grantUnreported()
    try turning("the change is followed") { object.isActive }
    try turning(for: .milliseconds(50), "nothing is delivered") { object.delivered == 0 }
  }

  @Test func `a location from without access is not delivered when access is restored`() throws {
    let object = try start("Subscription")
    gatekeeper.change(to: .off)
    try turning("the loss is followed") { !object.isActive }
    source.move()
    gatekeeper.change(to: .allowed)
    try turning("the change is followed") { object.isActive }
    try turning(for: .milliseconds(50), "nothing is delivered") { object.delivered == 0 }
  }

  @Test func `a call from a client whose access is about to be reviewed causes the review`() throws {
    let object = try start("Subscription")
    gatekeeper.change(to: .off)
    _ = try call("Stop", of: "org.geopublicist.Location1.Subscription", at: object.path).get()
    #expect(gatekeeper.decisions == 3)
  }

  @Test func `an almanac is sent only after a hold of deliveries has ended`() throws {
    let object = try start("Almanac")
    source.move()
    gatekeeper.isHeld = true
    try turning(for: .milliseconds(100), "it is held") { object.delivered == 0 }
    gatekeeper.isHeld = false
    gatekeeper.change(to: .allowed)
    try turning("it is sent") { object.delivered == 1 }
  }

  @Test func `a GetLocation that times out while deliveries are held returns no location`() throws {
    let options: [(String, Value)] = [
      ("required-accuracy", .double(1)), ("best-effort", .boolean(true)), ("timeout", .uint32(300)),
    ]
    let answer = try call("GetLocation", [.options(options)]) {
      try turning("the call waits for a location") { source.level != nil }
      source.move()
      gatekeeper.isHeld = true
    }
    let failure = #expect(throws: CallFailure.self) { try answer.get() }
    #expect(failure?.error.name == .locationTimeout, "\(answer)")
  }
}

extension OwnedObject {
  fileprivate var delivered: UInt64 { listEntry.properties?["Delivered"]?.uint64 ?? 0 }
}

extension FakeLocationSource {
  /// Sends a location that is later than everything before, because one of the same microsecond as a change of access
  /// counts as one from before it.
  fileprivate func move(latitude: Double = 52.5, accuracy: Double = 20, ago age: Duration = .zero) {
    let before = MainLoop.main.clock.boottime()
    var now = before
    while now == before { now = MainLoop.main.clock.boottime() }
    send(.location(Location(latitude: latitude, longitude: 13.4, accuracy: accuracy, receivedAt: now - age)))
  }
}

/// Allows everything that the test allows, and counts what the service asks.
private final class CountingGatekeeper: Gatekeeper {
  var authorization = Authorization.undecided
  private(set) var decisions = 0
  var isHeld = false
  var onChange: ((GatekeeperClient?) -> Void)?
  let sourceDecides = false
  private var client: GatekeeperClient?

  func access(for client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String) -> ClientAccess {
    decisions += 1
    return ClientAccess(authorization: authorization, isHeld: isHeld)
  }

  /// Reports a change several times, as when several facts change together.
  func change(to new: Authorization) {
    authorization = new
    for _ in 0..<3 { onChange?(client) }
  }

  /// Grants access without reporting that, although an earlier report may cause a review.
  func grantUnreported() {
    authorization = .allowed
    client?.changedAt = MainLoop.main.clock.boottime()
  }

  /// Whether the facts about calls are missing.
  var isSlow = false {
    didSet {
      let actions = waiting
      waiting = []
      for action in actions { action() }
    }
  }
  private var waiting: [() -> Void] = []

  /// The facts are complete after one turn of the loop.
  func prepare(_ client: GatekeeperClient, since arrival: BootInstant, _ action: @escaping () -> Void) {
    guard !isSlow else { return waiting.append(action) }
    guard self.client == nil else { return action() }
    self.client = client
    MainLoop.main.nextTurn { [self] in
      change(to: .allowed)
      action()
    }.keep()
  }

  func hold(on client: GatekeeperClient) -> Hold<BootClock>? { isHeld ? Hold() : nil }
  func ceiling(for client: GatekeeperClient) -> AccuracyLevel { .exact }
  func findAccount(of client: GatekeeperClient, _ action: @escaping () -> Void) { action() }
  func account(of client: GatekeeperClient) -> Account { .user(0) }
  func reload() {}
  func ask(
    _ client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt { Prompt {} }
}
