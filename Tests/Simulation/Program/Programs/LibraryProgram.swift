// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// A program that uses the client library. It is in the same process and on the same main loop as the service, and
/// connects through a separate socket.
class LibraryProgram: Program {
  enum Task { case exit, follow, act }

  /// What the program does from its next turn on. Libraries block while they connect, which the world cannot do.
  var task = Task.exit { didSet { taskSince = world.schedule.now } }
  private var taskSince: Int64 = .min / 2
  override var mayBeServed: Bool { isConnected || task != .exit || taskSince > world.schedule.now - 10_000_000 }
  var chance: Chance
  private(set) var address = ""
  private var turns: LoopSource?

  init(_ world: World, user: UInt32, _ name: String) {
    chance = Chance(world.seed, name)
    super.init(world, user: user)
    address = world.bus.listen(at: "\(world.folder)/\(name)", user: user, process: process) { [weak self] peer in
      self?.joined(peer)
    }
    turns = MainLoop.main.every(.milliseconds(250)) { [weak self] in self?.turn() }
  }

  override var isConnected: Bool { world.bus.peers[name]?.process == process }

  /// Called when the bus has given the program's connection a name.
  private func joined(_ peer: SocketPeer) {
    (name, connectedAt, entitlement) = (peer.name, world.schedule.now, Entitlement())
    (isUnverifiable, hasConsent) = (false, false)
    world.truth.changed("\(type(of: self)) comes as \(name)")
  }

  func turn() {}
  /// The objects that the service has created for this program, which has not used them yet.
  private var unused: Set<String> = []

  /// Examines a message of this program that the bus has received.
  func didSend(_ parcel: Parcel) { unused.remove(parcel.path) }

  /// Examines a message of the service to this program.
  func wasSent(_ parcel: Parcel) {
    guard parcel.kind == .reply, let path = parcel.values.first?.objectPath?.rawValue else { return }
    unused.insert(path)
    world.schedule.after(4_000_000) { [self, name] in
      guard unused.remove(path) != nil, isUndisturbed, isConnected, self.name == name else { return }
      broken("the client library starts or closes each object that it creates", path)
    }
  }

  /// Checks that it continues after everything that ended or restarted.
  func quiet() {}

  /// Whether the bus has worked for a moment. The service and this program share a loop, and the service may wait for a bus
  /// that hangs.
  var isUndisturbed: Bool {
    world.bus.stall == .none && !world.bus.isDown
      && world.schedule.now - max(world.stalled.upperBound, world.busStartedAt) > 2_000_000
  }

  func broken(_ rule: String, _ story: String) { world.checks.broken(rule, story) }

  /// Checks the authorization that the library has reported, after a quiet time.
  func checkTruth(of told: (status: String, reason: String)?, _ rule: String) {
    let expected = world.truth.authorization(of: self, asking: .exact)
    // The service confirms permissions only, so that it does not notice that polkit answers with another refusal.
    let mayDiffer = world.polkit.denied[user] != nil && told?.status.hasPrefix("authorized") == false
    guard !mayDiffer, told.map({ Truth.agrees($0, with: expected) }) != true else { return }
    broken(rule, "\(told as Any), true is \(expected)")
  }

  /// Checks that the library has reported a location recently, after a quiet time.
  func checkDelivery(since last: Int64, _ rule: String) {
    let silence = world.schedule.now - last
    guard entitlement.level == .exact, world.geoclue.hasActiveClient,
      world.schedule.now - world.geoclue.lastFixAt < 2_000_000, silence > 2 * world.geoclue.interval + 1_000_000
    else { return }
    broken(rule, "nothing for \(silence / 1_000) ms")
  }

  /// Whether its user's objects leave room for its own.
  var hasRoom: Bool {
    let objects = world.clients.filter { $0.user == user }.reduce(0) { $0 + $1.objects + $1.regions.count }
    return objects < World.objectsBesideLibraries
  }
}
