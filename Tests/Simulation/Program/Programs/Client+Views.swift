// SPDX-License-Identifier: Apache-2.0
import DBus

/// Reads what the service shows of its objects.
extension Client {
  private static let introspectable = "org.freedesktop.DBus.Introspectable"
  private static let folder = path + "/subscription"

  func look() {
    ask(Self.path, Self.service, "ListSubscriptions") { [weak self] reply in
      guard let self else { return }
      world.checks.listed(reply.values.first?.array ?? [], to: self)
    }
    let closed = closed
    ask(Self.folder, Self.introspectable, "Introspect") { [weak self] reply in
      guard let self, reply.kind == .reply else { return }
      let parts = (reply.values.first?.string ?? "").split(separator: "<node name=\"").dropFirst()
      let paths = parts.map { "\(Self.folder)/\($0.prefix { $0 != "\"" })" }
      world.checks.introspected(paths, to: self, afterClosing: closed)
    }
    for region in regions { read(region) }
    readAlmanac()
  }

  private static let almanac = service + ".Almanac"

  /// Creates and starts an almanac.
  func forecast() {
    guard isConnected, almanacPath == nil, world.mayCreate(for: self) else { return }
    creations += 1
    let connections = connections
    ask(Self.path, Self.service, "CreateAlmanac", [.options([])]) { [weak self] reply in
      guard let self, self.connections == connections, !reply.isLost else { return }
      creations -= 1
      guard let path = reply.values.first?.objectPath?.rawValue else { return }
      almanacPath = path
      world.checks.created(path, by: self, isNamed: false)
      ask(path, Self.almanac, "Start")
    }
  }

  func readAlmanac() {
    guard let path = almanacPath else { return }
    ask(path, Self.properties, "Get", [.string(Self.almanac), .string("Almanac")]) { [weak self] reply in
      guard let self, let almanac = reply.values.first?.unwrapped.properties else { return }
      world.checks.read(almanac, at: path, by: self)
      world.checks.read(almanac, by: self)
    }
  }

  /// Reads the properties of the service.
  func readService(_ handler: @escaping ([String: Value]) -> Void) {
    ask(Self.path, Self.properties, "GetAll", [.string(Self.service)]) { reply in
      if let properties = reply.values.first?.properties { handler(properties) }
    }
  }

  /// Reads the last event of a region. Its other properties contain the centre, which the client knows.
  func read(_ region: Region) {
    ask(region.path, Self.properties, "Get", [.string(Self.region), .string("LastEvent")]) { [weak self] reply in
      guard let self, let event = reply.values.first?.unwrapped.properties else { return }
      world.checks.read(event, of: region, by: self)
    }
  }
}
