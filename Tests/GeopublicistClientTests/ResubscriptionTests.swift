// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeopublicistClient

private let first: BusName = ":1.10"
private let second: BusName = ":1.11"
private let path: ObjectPath = "/org/geopublicist/Location1/subscription/7"
private let next: ObjectPath = "/org/geopublicist/Location1/subscription/8"

/// The state machine that keeps a subscription across restarts of the service.
@Suite struct ResubscriptionTests {
  /// A state machine, and the values that the program has received from it.
  private struct Driver {
    var machine = ResubscriptionMachine()
    var now = MonotonicInstant.origin
    var told: [String] = []
    var done: [String] = []
    /// The levels of the authorizations.
    var levels: [AccuracyLevel] = []

    mutating func want(_ options: ClientOptions?) { send(options.map { .wanted($0) } ?? .unwanted) }
    mutating func send(_ location: ServiceLocation) { send(.signal("LocationUpdated", [location.value])) }
    mutating func close(_ reason: String) { send(.signal("Closed", [.string(reason)])) }

    mutating func authorize(_ status: String, _ reason: String = "") {
      send(.signal("AuthorizationChanged", [.string(status), .string(reason)]))
    }

    /// The service starts or restarts, and the subscription is started.
    mutating func join(attempt: UInt64 = 2, _ statuses: String...) {
      send(.ownerChanged(attempt == 1 ? first : second))
      send(.created(attempt == 1 ? path : next, attempt: attempt))
      for status in statuses { authorize(status, status == "not-determined" ? "undecided" : "") }
      send(.started(attempt: attempt))
    }

    mutating func send(_ event: ServiceObjectEvent) { perform(machine.handle(event, at: now, chance: 0)) }

    private mutating func perform(_ actions: [ResubscriptionMachine.Action]) {
      for action in actions {
        switch action {
        case .create(_, let options, let attempt):
          let distance = options.properties?["distance-threshold"]?.double ?? 0
          done.append("create \(attempt) \(distance) \(options.properties?["max-updates"]?.uint32 ?? 0)")
        case .follow(let path): done.append("follow \(path.rawValue.suffix(1))")
        case .start(let path, _): done.append("start \(path.rawValue.suffix(1))")
        case .close(let path): done.append("close \(path.rawValue.suffix(1))")
        case .readAuthorization: done.append("read")
        case .readMessage: done.append("message")
        case .renew, .lost: done.append("?")
        case .set(_, let property, _): done.append("set \(property)")
        case .tell(let event):
          told.append(text(event))
          if case .authorization(let new) = event { levels.append(new.level) }
        }
      }
    }

    private func text(_ event: ServiceSubscription.Event) -> String {
      switch event {
      case .update(let update): "\(update.location.latitude)"
      case .authorization(let new): new.reason == .none ? "allowed" : new.reason.rawValue
      case .interrupted: "interrupted"
      case .resumed: "resumed"
      case .refused: "refused"
      case .failed(_, let isFinal): isFinal ? "failed for good" : "failed"
      case .failure(let error): error.message
      case .closed(let reason): reason
      }
    }

    /// Waits until the machine's next deadline.
    mutating func wait() throws -> Duration {
      let begin = now
      now = max(now, try #require(machine.deadline))
      send(.timer)
      return now - begin
    }

    mutating func takeDone() -> [String] {
      defer { done = [] }
      return done
    }

    mutating func takeTold() -> [String] {
      defer { told = [] }
      return told
    }
  }

  private func location(_ latitude: Double, at second: UInt64 = 1) throws -> ServiceLocation {
    try #require(
      ServiceLocation(
        .options([
          ("Latitude", .double(latitude)), ("Longitude", .double(13)), ("Accuracy", .double(5)),
          ("Level", .string("exact")), ("Timestamp", .structure([.uint64(second), .uint64(0)])),
        ])))
  }

  /// A subscription that runs and has delivered one location.
  private func running(_ change: (inout ClientOptions) -> Void = { _ in }) throws -> Driver {
    var driver = Driver()
    var options = ClientOptions()
    change(&options)
    driver.want(options)
    driver.join(attempt: 1, "authorized-always")
    driver.send(try location(52))
    #expect(driver.takeTold() == ["allowed", "52.0"])
    _ = driver.takeDone()
    return driver
  }

  /// Regression: it was dropped, because it was to wait for its quiet time once more.
  @Test func `with a debounce, the first location after a restart is delivered`() throws {
    var driver = try running { $0.debounce = .seconds(5) }
    driver.join()
    driver.send(try location(53, at: 2))
    #expect(driver.told.last == "53.0")
  }

  @Test func `another connection to the bus repeats nothing`() throws {
    var driver = try running { $0.maximumUpdates = 3 }
    driver.send(.disconnected)
    #expect(driver.takeTold() == ["interrupted"])
    driver.send(.ownerChanged(nil))
    #expect(driver.takeDone() == [] && driver.machine.deadline == nil)
    driver.send(.connected)
    driver.send(.created(next, attempt: 3))
    driver.authorize("authorized-always")
    driver.send(.started(attempt: 3))
    driver.send(try location(52))
    driver.send(try location(53, at: 2))
    #expect(driver.takeTold() == ["resumed", "53.0"])
    #expect(driver.takeDone() == ["create 3 0.0 0", "follow 8", "start 8"])
    driver.send(try location(54, at: 3))
    #expect(driver.takeTold() == ["54.0", "completed"])
  }

  @Test func `without a connection, no decision is reported that has not settled`() throws {
    var driver = try running()
    driver.join("not-determined")
    driver.send(.disconnected)
    driver.now = driver.now + .seconds(60)
    driver.send(.timer)
    #expect(driver.takeTold() == ["interrupted", "resumed", "interrupted"])
  }

  @Test func `a subscription is created, then followed, then started`() {
    var driver = Driver()
    driver.want(ClientOptions())
    driver.join(attempt: 1)
    #expect(driver.done == ["create 1 0.0 0", "follow 7", "start 7"] && driver.told.isEmpty)
    driver.want(nil)
    #expect(driver.done.last == "close 7" && driver.machine.deadline == nil)
  }

  @Test func `after a restart of the service, a new subscription is created and the last location is not repeated`()
    throws
  {
    var driver = try running()
    driver.send(.ownerChanged(nil))
    #expect(driver.takeTold() == ["interrupted"])
    #expect(try driver.wait() <= KeptObject<ServiceLocation>.firstPause)
    driver.join("not-determined", "authorized-always")
    driver.send(try location(52))
    driver.send(try location(53, at: 2))
    #expect(driver.done == ["close 7", "create 2 0.0 0", "close 7", "follow 8", "start 8"])
    #expect(driver.told == ["resumed", "53.0"])
  }

  @Test func `when the service's name has another owner, the subscription is replaced immediately`() throws {
    var driver = try running()
    driver.send(.ownerChanged(second))
    // The same service may have another connection, and still have the subscription.
    #expect(driver.done == ["close 7", "create 2 0.0 0"])
  }

  @Test func `a service that was stopped cleanly is called when it returns, or after a pause`() throws {
    var driver = try running()
    driver.close("shutdown")
    driver.send(.ownerChanged(nil))
    #expect(driver.takeTold() == ["interrupted"] && driver.done.isEmpty)
    var patient = driver
    driver.send(.ownerChanged(second))
    #expect(driver.done == ["create 2 0.0 0"])
    #expect(try patient.wait() == KeptObject<ServiceLocation>.pauseAfterShutdown)
    #expect(patient.done == ["create 2 0.0 0"])
  }

  @Test func `a service that does not start is called at growing intervals, and its failure is reported once`() throws {
    var driver = try running()
    driver.send(.ownerChanged(nil))
    var pauses: [Duration] = []
    for attempt in 2...12 {
      pauses.append(try driver.wait())
      driver.send(.failed(DBusError(.serviceUnknown, "gone"), attempt: UInt64(attempt)))
    }
    #expect(pauses == pauses.sorted() && pauses[1] == 2 * pauses[0])
    #expect(pauses.last == KeptObject<ServiceLocation>.longestPause / 2)
    #expect(driver.told == ["interrupted", "failed"])
    // After a success, the service is called again quickly.
    _ = try driver.wait()
    driver.join(attempt: 13)
    driver.send(.ownerChanged(nil))
    #expect(try driver.wait() <= KeptObject<ServiceLocation>.firstPause)
    #expect(driver.told == ["interrupted", "failed", "resumed", "interrupted"])
  }

  /// Regression: the previous subscription was forgotten with the first attempt, which failed if the service came later.
  @Test func `the previous subscription is closed when the service returns, however many attempts that takes`() throws {
    var driver = try running()
    driver.send(.ownerChanged(nil))
    _ = try driver.wait()
    #expect(driver.takeDone().suffix(2) == ["close 7", "create 2 0.0 0"])
    driver.send(.failed(DBusError(.serviceUnknown, "gone"), attempt: 2))
    driver.send(.ownerChanged(second))
    #expect(driver.takeDone() == ["close 7", "create 3 0.0 0"])
    driver.send(.created(next, attempt: 3))
    driver.send(.ownerChanged(first))
    #expect(driver.takeDone().suffix(2) == ["close 8", "create 4 0.0 0"])
  }

  /// Regression: it was used until the program left the bus.
  @Test func `a service that returns while it is called closes the previous subscription`() throws {
    var driver = try running()
    driver.send(.ownerChanged(nil))
    _ = try driver.wait()
    _ = driver.takeDone()
    driver.send(.ownerChanged(second))
    #expect(driver.takeDone() == ["close 7"])
    driver.send(.created(next, attempt: 2))
    #expect(driver.takeDone() == ["follow 8", "start 8"])
  }

  /// Regression: a service that only had lost its connection used it until the program left the bus.
  @Test(arguments: [false, true])
  func `a subscription that is cancelled while the service is away is closed`(isCreating: Bool) throws {
    var driver = try running()
    driver.send(.ownerChanged(nil))
    if isCreating { _ = try driver.wait() }
    _ = driver.takeDone()
    driver.want(nil)
    #expect(driver.takeDone() == ["close 7"])
    driver.send(.ownerChanged(second))
    #expect(driver.takeDone() == [])
  }

  /// Regression: the level of the first request remained, and a restart reported a change.
  @Test func `a change of the requested level changes no authorization, but a location may show a finer one`() throws {
    var (driver, options) = (Driver(), ClientOptions())
    options.accuracy = .city
    driver.want(options)
    driver.join(attempt: 1, "authorized-always")
    driver.want(ClientOptions())
    driver.send(try location(52))
    #expect(driver.levels == [.city, .exact])
    driver.want(options)
    driver.send(.ownerChanged(nil))
    _ = try driver.wait()
    driver.join("authorized-always")
    #expect(driver.levels == [.city, .exact])
    driver.authorize("authorized-always", "reduced-accuracy")
    #expect(driver.levels == [.city, .exact, .country])
  }

  @Test func `a subscription that is not started reports each outage`() throws {
    var driver = Driver()
    driver.machine = ResubscriptionMachine(starts: false)
    driver.want(ClientOptions())
    driver.send(.ownerChanged(first))
    driver.send(.created(path, attempt: 1))
    for attempt in [2, 3] as [UInt64] {
      driver.send(.ownerChanged(nil))
      driver.send(.ownerChanged(second))
      driver.send(.created(next, attempt: attempt))
    }
    #expect(driver.takeTold() == ["interrupted", "resumed", "interrupted", "resumed"])
  }

  /// Regression: the call was given up after 25 s, and the object that was created later remained until the program left.
  @Test func `a creation that takes long is reported once as a failure, and its object is used`() throws {
    var driver = Driver()
    driver.want(ClientOptions())
    #expect(driver.takeDone() == ["create 1 0.0 0"])
    #expect(try driver.wait() == .seconds(25))
    #expect(driver.takeTold() == ["failed"])
    #expect(driver.takeDone() == [])
    #expect(driver.machine.deadline == nil)
    driver.join(attempt: 1, "authorized-always")
    #expect(driver.takeTold() == ["allowed", "resumed"])
    #expect(driver.takeDone() == ["follow 7", "start 7"])
  }

  @Test func `with a distance threshold, the first location after a restart is delivered if the device moved`() throws {
    var driver = try running { $0.distanceThreshold = 1_000 }
    driver.join()
    driver.send(try location(52.00002, at: 2))
    driver.send(try location(52.1, at: 3))
    #expect(driver.told == ["interrupted", "resumed", "52.1"])
  }

  /// Regression: the next location came when the device was up to twice as far from the last one.
  @Test func `the program has the location from which the service measures a distance after a restart`() throws {
    var driver = try running { $0.distanceThreshold = 1_000 }
    driver.join()
    driver.send(try location(52.008, at: 2))
    #expect(driver.told == ["interrupted", "resumed", "52.008"])
  }

  /// Regression: the level remained `country`.
  @Test func `a location after a restart that is not delivered still shows the level`() throws {
    var driver = try running { $0.distanceThreshold = 10_000 }
    driver.join()
    driver.authorize("authorized-always", "reduced-accuracy")
    var pairs = try #require(location(52, at: 2).value.options).map { ($0.name, $0.value) }
    pairs.removeAll { $0.0 == "Level" }
    pairs += [("Level", .string("city")), ("Reduced", .boolean(true))]
    driver.send(.signal("LocationUpdated", [.options(pairs)]))
    #expect(driver.told.last == "reduced-accuracy" && driver.levels.last == .city)
  }

  @Test func `after access was lost and restored, the same location is reported again`() throws {
    var driver = try running()
    driver.authorize("denied", "disabled-by-user")
    driver.join("authorized-always")
    driver.send(try location(52))
    #expect(driver.told == ["disabled-by-user", "interrupted", "allowed", "resumed", "52.0"])
    #expect(driver.done.contains("message"))
  }

  @Test func `a reduction after an exact location is reported before another location arrives`() throws {
    var driver = try running()
    driver.authorize("authorized-always", "reduced-accuracy")
    driver.authorize("authorized-always")
    #expect(driver.told == ["reduced-accuracy", "allowed"])
  }

  @Test func `after a restart, the status not-determined is reported only if it persists`() throws {
    var driver = try running()
    driver.join("not-determined")
    #expect(driver.takeTold() == ["interrupted", "resumed"])
    #expect(try driver.wait() == KeptAuthorization.settlingTime)
    #expect(driver.told == ["undecided"])
  }

  @Test func `a subscription that a rule forbids starts when the rule is removed`() throws {
    var driver = Driver()
    driver.want(ClientOptions())
    driver.send(.ownerChanged(first))
    driver.send(.created(path, attempt: 1))
    driver.send(.failed(DBusError(.notAuthorized, "no"), attempt: 1))
    driver.authorize("restricted", "disallowed-by-policy")
    #expect(driver.told == ["refused", "disallowed-by-policy"] && driver.done.suffix(2) == ["read", "message"])
    // The same sentence as that of the error is no news.
    driver.send(.message("no"))
    #expect(driver.told.count == 2)
    driver.authorize("authorized-when-in-use")
    #expect(driver.done.last == "start 7")
    driver.send(.started(attempt: 1))
    #expect(driver.told.last == "allowed")
  }

  @Test func `after an invalid option, the client does not try again`() {
    var driver = Driver()
    driver.want(ClientOptions())
    driver.send(.failed(DBusError(.invalidOption, "no"), attempt: 1))
    #expect(driver.told == ["failed for good"] && driver.machine.deadline == nil)
    driver.send(.ownerChanged(first))
    #expect(driver.done == ["create 1 0.0 0"])
  }

  @Test func `a changed threshold is set on the subscription, and a changed mode creates another subscription`() throws
  {
    var driver = try running()
    var options = ClientOptions()
    (options.distanceThreshold, options.requiredAccuracy) = (100, 50)
    driver.want(options)
    #expect(driver.takeDone() == ["set DistanceThreshold", "set RequiredAccuracy"])
    options.mode = .significant
    driver.want(options)
    #expect(driver.done == ["close 7", "create 2 100.0 0"])
    // A change during a call, and an outdated answer.
    options.distanceThreshold = 200
    driver.want(options)
    driver.send(.created("/old/5", attempt: 1))
    driver.send(.created(next, attempt: 2))
    #expect(driver.done.suffix(4) == ["close 5", "follow 8", "set DistanceThreshold", "start 8"])
  }

  @Test func `a change that a limit refuses is repeated with what is wanted then`() throws {
    var driver = try running()
    var options = ClientOptions()
    options.distanceThreshold = 100
    driver.want(options)
    driver.send(.notSet(path, "DistanceThreshold"))
    driver.send(.notSet("/another/1", "TimeThreshold"))
    options.accuracy = .city
    driver.want(options)
    #expect(driver.takeDone() == ["set DistanceThreshold", "set Accuracy"])
    #expect(try driver.wait() == CallFailure.pauseAfterLimit)
    #expect(driver.takeDone() == ["set DistanceThreshold"] && driver.machine.deadline == nil)
    // Another subscription is created with all changes.
    driver.send(.notSet(path, "Accuracy"))
    options.mode = .significant
    driver.want(options)
    driver.send(.created(next, attempt: 2))
    driver.send(.started(attempt: 2))
    #expect(driver.machine.deadline == nil && !driver.done.contains("set Accuracy") && driver.told.isEmpty)
  }

  @Test func `a refused change is not repeated after the end`() throws {
    var driver = try running { $0.maximumUpdates = 2 }
    driver.send(.ownerChanged(nil))
    _ = try driver.wait()
    driver.join("authorized-always")
    driver.send(.notSet(next, "DistanceThreshold"))
    #expect(driver.machine.deadline != nil)
    driver.send(try location(53))
    #expect(driver.told.last == "completed" && driver.machine.deadline == nil)
  }

  @Test func `max-updates and duration also count what happened before a restart`() throws {
    var driver = try running { options in
      options.maximumUpdates = 3
      options.duration = .milliseconds(60_000)
    }
    driver.join()
    #expect(driver.done.dropFirst().first == "create 2 0.0 0")
    var timed = driver
    driver.send(try location(53, at: 2))
    driver.send(try location(54, at: 3))
    #expect(driver.told.suffix(2) == ["54.0", "completed"] && driver.done.last == "close 8")
    #expect(try timed.wait() == .seconds(60))
    #expect(timed.told.last == "completed" && timed.machine.deadline == nil)
  }

  @Test func `a completed subscription is not created again after a restart`() throws {
    var driver = try running { $0.maximumUpdates = 1 }
    driver.close("completed")
    driver.send(.ownerChanged(nil))
    #expect(driver.told == ["completed"] && driver.machine.deadline == nil && driver.done.isEmpty)
  }

  @Test func `the service's message about a refusal is passed on`() throws {
    var driver = try running()
    driver.authorize("restricted", "disallowed-by-policy")
    driver.send(ServiceObjectEvent.message("Ask the administrator of this machine"))
    #expect(driver.told == ["disallowed-by-policy", "disallowed-by-policy"])
    driver.send(ServiceObjectEvent.message(AuthorizationReason.disallowedByPolicy.sentence))
    driver.send(ServiceObjectEvent.message(AuthorizationReason.disallowedByPolicy.sentence))
    #expect(driver.told.count == 3)
  }
}
