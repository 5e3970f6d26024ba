// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized) struct LimitTests {
  private let limitsExceeded = "\(Service.name).Error.LimitsExceeded"
  private let bus: PrivateBus
  private let service: Service

  init() throws {
    bus = try PrivateBus(.system)
    service = try Service(.system, on: bus)
  }

  @Test(arguments: [("subscription", 16), ("region", 20), ("almanac", 16)])
  func `a connection cannot create more objects than its limit`(_ kind: String, _ limit: Int) throws {
    func create(_ kind: String, _ client: ServiceClient) throws -> BusClient.Answer {
      switch kind {
      case "region": try client.createRegion(ServiceClient.circle(52, 13))
      case "almanac": try client.createAlmanac()
      default: try client.createSubscription()
      }
    }
    let greedy = try ServiceClient(on: bus)
    let paths = try (0..<limit).map { _ in try create(kind, greedy).arguments()[0].string ?? "" }
    let answer = try create(kind, greedy)
    #expect(answer.errorName == limitsExceeded)
    #expect(
      answer.errorMessage?.contains(kind == "region" ? "regions-per-connection" : "subscriptions-per-connection")
        == true)
    #expect(try greedy.subscriptions().count == limit)
    // Other clients and other kinds of objects have separate limits, and closing an object frees its place.
    _ = try create(kind, ServiceClient(on: bus)).arguments()
    _ = try create(kind == "region" ? "subscription" : "region", greedy).arguments()
    try greedy.tell(paths[0], "Close")
    _ = try create(kind, greedy).arguments()
    #expect(greedy.closed(paths[0]) == "by-consumer")
  }

  @Test func `a flood of CreateSubscription is refused and does not affect other clients`() throws {
    let greedy = try ServiceClient(on: bus)
    let other = try ServiceClient(on: bus)
    _ = try other.subscribe()
    let before = try service.residentKilobytes()
    let calls = try (0..<2_000).map { _ in try greedy.begin("CreateSubscription") }
    #expect(try other.subscriptions().count <= 17)
    let refused = try calls.filter { try greedy.connection.answer(to: $0).errorName == limitsExceeded }
    #expect(refused.count == 2_000 - 16)
    if Service.isMemoryItsOwn { #expect(try service.residentKilobytes() - before < 1_000) }
    greedy.connection.kill()
    try eventually("its subscriptions are removed", turn: rest) { try other.subscriptions().count == 1 }
  }

  @Test func `the seventeenth pending call of a connection is refused`() throws {
    let greedy = try ServiceClient(on: bus)
    // Without GeoClue, the calls would be answered immediately with Unavailable. Without a fix, they stay pending.
    let geoclue = try FakeGeoClue(on: bus)
    try geoclue.tell(["fix": .null])
    let calls = try (0..<17).map { _ in try greedy.begin("GetLocation", ["timeout": .variant("u", 120_000)]) }
    let last = try greedy.connection.answer(to: calls[16])
    #expect(last.errorName == limitsExceeded)
    #expect(last.errorMessage?.contains("calls-per-connection") == true)
    try geoclue.fix(latitude: 52)
    for call in calls.dropLast() { #expect(try greedy.connection.answer(to: call).errorName == nil) }
  }

  @Test(.enabled(if: Rig.isRoot))
  func `a hundred programs of one user that start together are all served within 5 seconds`() throws {
    let result = try run(
      ["setpriv", "--reuid=\(User.nobody)", "--clear-groups", "--"]
        + [Rig.python, Rig.file("many-clients.py"), bus.address, "start-together", "100"], within: .seconds(60))
    #expect(result.succeeded, "\(result.standardError)")
    let seconds = try #require(Double(result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(seconds < 5)
  }

  @Test func `a burst of calls is answered, and the calls after it are refused with the limit's name`() throws {
    let greedy = try BusClient(at: bus.address)
    let calls = try (0..<1_000).map { _ in
      try greedy.begin("Get", of: busProperties, at: Service.path, signature: "ss", [.string(Service.name), "State"])
    }
    let answers = try calls.map { try greedy.answer(to: $0) }
    #expect(answers.prefix(200).allSatisfy { $0.errorName == nil })
    let refused = answers.filter { $0.errorName == limitsExceeded }
    #expect(!refused.isEmpty)
    #expect(refused.allSatisfy { $0.errorMessage?.contains("calls-per-connection") == true })
    #expect(try ServiceClient(on: bus).property("State") == "idle")
  }

  @Test func `all resources of a connection that closes abruptly are released`() throws {
    let observer = try ServiceClient(on: bus)
    func cycles(_ count: Int) throws {
      let result = try run(
        [Rig.python, Rig.file("many-clients.py"), bus.address, "come-and-go", String(count)], within: .seconds(120))
      #expect(result.succeeded, "\(result.standardError)")
      try eventually("nothing is left", turn: rest) { try observer.subscriptions().isEmpty }
    }
    try cycles(300)
    let (memory, descriptors) = (try service.residentKilobytes(), try openDescriptors())
    try cycles(1_000)
    if Service.isMemoryItsOwn { #expect(try service.residentKilobytes() - memory < 1_024) }
    #expect(try openDescriptors() == descriptors)
  }

  /// The number of the service's descriptors; 0 without root, because the service hides them from its own user.
  private func openDescriptors() throws -> Int {
    guard getuid() == 0 else { return 0 }
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.processIdentifier)/fd").count
  }
}

@Suite(.serialized) struct FairnessTests {
  private let bus: PrivateBus
  private let service: Service

  init() throws {
    bus = try PrivateBus(.system)
    service = try Service(.system, on: bus)
  }

  /// The median time in which another user's calls are answered. A busy machine delays some of them.
  private func median() throws -> Duration {
    let client = try ServiceClient(on: bus)
    _ = try client.property("State")
    let times = try (0..<99).map { _ in
      let begin = ContinuousClock.now
      _ = try client.property("State")
      defer { rest() }
      return ContinuousClock.now - begin
    }
    return times.sorted()[49]
  }

  /// If calls were served in order of arrival, a call would take 5 s or more. `make siege` measures the times on an
  /// idle machine.
  private static let fair = Duration.seconds(2)

  @Test(
    .enabled(if: Rig.isRoot),
    arguments: [
      // Two hundred connections.
      ["200", "0", Service.path, busProperties, "GetAll", Service.name],
      // Lists of 256 rows, the longest.
      ["32", "16", Service.path, Service.name, "ListSubscriptions"],
    ])
  func `costly calls of one user do not delay another user`(_ calls: [String]) throws {
    let flood = try ChildProcess.ready(
      [Rig.python, Rig.file("many-clients.py"), bus.address, "flood"] + calls, as: User.nobody)
    let time = try median()
    #expect(time < Self.fair, "\(time)")
    flood.kill()
  }

  @Test(.enabled(if: Rig.isRoot))
  func `a user's list contains the newest 256 objects, and root's list contains all objects`() throws {
    let clients = try (0..<17).map { _ in try ServiceClient(on: bus, as: User.nobody) }
    let paths = try clients.flatMap { client in
      try (0..<16).map { _ in try client.createSubscription().arguments()[0].string }
    }
    func listed(to client: ServiceClient) throws -> [String?] { try client.subscriptions().map { $0["Path"]?.string } }
    #expect(try listed(to: clients[0]) == paths.suffix(256))
    #expect(try listed(to: ServiceClient(on: bus)) == paths)
  }

  @Test func `calls of one connection are answered in their order`() throws {
    let client = try BusClient(at: bus.address)
    let calls = try (0..<150).map { _ in try client.begin("Ping", of: "org.freedesktop.DBus.Peer", at: Service.path) }
    for call in calls { _ = try client.answer(to: call) }
    #expect(client.answeredCalls == calls)
  }

  @Test func `object numbers are unpredictable, and are not reused after a restart`() throws {
    let client = try ServiceClient(on: bus)
    func number() throws -> UInt64 {
      let path = try client.subscribe()
      return try #require(UInt64(path.split(separator: "/").last ?? ""))
    }
    let numbers = try (0..<8).map { _ in try number() }
    #expect(numbers == numbers.sorted())
    #expect(Set(zip(numbers, numbers.dropFirst()).map { $1 - $0 }).count > 1)
    service.signal(SIGTERM)
    _ = try service.waitForExit()
    let second = try Service(.system, on: bus)
    #expect(try number() > numbers[7])
    #expect(second.isRunning)
  }
}
