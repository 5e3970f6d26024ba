// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport

/// A system bus with the real GeoClue, and the service in one of its deployments.
final class ServiceFixture {
  let systemBus: PrivateBus
  /// The service's bus: the system bus, or a session's.
  let bus: PrivateBus
  let geoclue: RealGeoClue
  let service: Service
  private(set) var agent: DesktopAgent?

  /// Starts all programs.
  ///
  /// - Parameters:
  ///   - user: The service's user; only root may choose.
  ///   - agentLevel: In the session deployment, the level that the user's agent allows, in GeoClue's numbers; by
  ///     default there is no agent.
  init(_ deployment: Service.Deployment, as user: uid_t? = nil, agentLevel: Int? = nil) throws {
    systemBus = try PrivateBus(.system, owner: user ?? getuid())
    bus = deployment == .system ? systemBus : try PrivateBus(.session)
    geoclue = try RealGeoClue(on: systemBus)
    if let agentLevel { agent = try DesktopAgent(at: systemBus.address, level: agentLevel) }
    service = try Service(deployment, on: bus, geoclueOn: systemBus, as: user)
  }

  /// A machine, a program that uses its service, and the path of its subscription, which is started.
  static func subscribed(
    _ deployment: Service.Deployment = .system, agentLevel: Int? = nil
  ) throws -> (machine: ServiceFixture, client: ServiceClient, path: String) {
    let machine = try ServiceFixture(deployment, agentLevel: agentLevel)
    let client = try machine.client()
    return (machine, client, try client.subscribeAndStart())
  }

  var receiver: NMEAServer { geoclue.receiver }

  func client(as user: uid_t? = nil) throws -> ServiceClient { try ServiceClient(on: bus, as: user) }

  /// Writes sentences, each after the previous one has been delivered.
  ///
  /// - Returns: All locations that the subscription has delivered so far.
  @discardableResult
  func deliver(_ sentences: [GGASentence], to client: ServiceClient, at path: String) throws -> [JSON] {
    for sentence in sentences {
      try receiver.write(sentence)
      try client.waitFor(sentence, from: path)
    }
    return client.locations(from: path)
  }

  func startAgent() throws { agent = try DesktopAgent(at: systemBus.address) }
}

/// Two different users other than root that exist on every Debian system.
enum User {
  static let games: uid_t = 5
  static let nobody: uid_t = 65534
}

extension GGASentence {
  static var berlin: GGASentence { GGASentence(latitude: 52.516275, longitude: 13.377704) }
}

/// The differences of a receiver's clock, in seconds, that GeoClue can handle today. It interprets a future time of day
/// as yesterday's, and fails to compute that date on the first day of a month.
nonisolated func receiverClocks(_ differences: Double...) -> [Double] {
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = .gmt
  let (now, isFirst) = (Date(), calendar.component(.day, from: Date()) == 1)
  return differences.filter { !isFirst || $0 <= 0 && calendar.isDate(now + $0, inSameDayAs: now) }
}

/// Distinct places along a walk.
func walk(_ count: Int) -> [GGASentence] {
  (0..<count).map {
    GGASentence(latitude: 52.516275 + Double($0) * 0.0000123, longitude: -13.377704 - Double($0) * 0.0000217)
  }
}

extension ServiceClient {
  /// Waits until the newest location of a subscription is at a sentence's place. An older one may be delivered first.
  func waitFor(_ sentence: GGASentence, from path: String) throws {
    try eventually("\(sentence.latitude) is delivered", seen: "\(latitudes(from: path))") {
      deviation(of: locations(from: path).last ?? .null, from: sentence) < 1e-6
    }
  }
}

/// The difference between a delivered location and a sentence in degrees, the larger of both coordinates.
func deviation(of location: JSON, from sentence: GGASentence) -> Double {
  guard let latitude = location["Latitude"]?.number, let longitude = location["Longitude"]?.number else {
    return .infinity
  }
  return max(abs(latitude - sentence.latitude), abs(longitude - sentence.longitude))
}

/// The service with a simulated GeoClue and one client, on a private bus.
class SimulatedFixture {
  let bus: PrivateBus
  let geoclue: FakeGeoClue
  let service: Service
  let client: ServiceClient

  /// Starts all programs; GeoClue is prepared before the service starts.
  init(on bus: PrivateBus? = nil, idleSeconds: Double = 0, prepare: (FakeGeoClue) throws -> Void = { _ in }) throws {
    let bus = try bus ?? PrivateBus(.system)
    self.bus = bus
    geoclue = try FakeGeoClue(on: bus, idleSeconds: idleSeconds)
    try prepare(geoclue)
    service = try Service(.system, on: bus)
    client = try ServiceClient(on: bus)
  }

  var clientsMade: Int { geoclue.count(of: "CreateClient") }

  /// Makes GeoClue measure a latitude until it is the last that a subscription has delivered.
  func measure(_ latitude: Double, until path: String) throws {
    try eventually("a location at \(latitude)", within: .seconds(20), turn: rest) {
      try geoclue.fix(latitude: latitude)
      return client.lastLatitude(from: path) == latitude
    }
  }

  /// Makes GeoClue measure once for a started client, and waits until the location arrives. A new subscription may
  /// receive the previous one first. Places less than 500 m apart are not held back as jumps.
  func expectAFix(at path: String, latitude: Double) throws {
    try geoclue.startedClient()
    try geoclue.fix(latitude: latitude)
    try eventually("the fix at \(latitude) arrives") { client.latitudes(from: path).contains(latitude) }
  }
}

extension BusClient {
  /// A program that owns a name on a session bus, and the bus.
  static func owning(_ name: String) throws -> (client: BusClient, bus: PrivateBus) {
    let bus = try PrivateBus(.session)
    let client = try BusClient(at: bus.address)
    try client.own(name)
    return (client, bus)
  }

  /// Announces a suspend or its end, as logind does.
  func prepareForSleep(_ isBefore: Bool) throws {
    try emit(
      "PrepareForSleep", of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1", signature: "b",
      [.bool(isBefore)])
  }

  func announceChange(
    of interface: String, at path: String, to destination: String? = nil, _ properties: [String: JSON]
  ) throws {
    try emit(
      "PropertiesChanged", of: busProperties, at: path, to: destination, signature: "sa{sv}as",
      [.string(interface), .object(properties), []])
  }
}
