// SPDX-License-Identifier: Apache-2.0
import DBus

/// A program of the simulated world, connected to the bus without a socket.
class Program: Peer {
  unowned let world: World
  private var handlers: [UInt32: (Parcel) -> Void] = [:]
  private var inbox: [Parcel] = []
  /// Whether it reads its messages.
  var isReading = true {
    didSet {
      guard isReading, !oldValue else { return }
      readSince = world.schedule.now
      readInbox()
    }
  }

  private(set) var readSince: Int64 = .min / 2

  init(_ world: World, user: UInt32) {
    self.world = world
    super.init(user: user, process: world.nextProcess())
  }

  var isConnected: Bool { world.bus.peers[name] === self }
  /// Whether it answers a ping without an error, which is a sign of life, too.
  var knowsPings = true
  /// The bytes from the present service that it has not read, and since when. A call does not change them.
  var heldBytes = 0
  private(set) var heldSince: Int64 = 0
  /// Whether its unit shows that it is in a sandbox.
  var isSandboxed = false
  /// Whether systemd could not name its unit when the service asked.
  var isUnverifiable = false
  /// Whether its user has agreed to precise access in a dialog of the present service.
  var hasConsent = false
  var entitlement = Entitlement()
  var connectedAt: Int64 = .min / 2

  func connect() {
    (connectedAt, connections) = (world.schedule.now, connections + 1)
    handlers = [:]
    inbox = []
    (unread, heldBytes, unproven, owesAnswer) = (0, 0, 0, false)
    world.bus.connect(self)
  }

  /// The number of connections so far. Names are not unique: another bus assigns the same ones.
  private(set) var connections = 0

  /// Whether its process exists. It outlives the connection by a second.
  var hasProcess: Bool { isConnected || leftAt > world.schedule.now - 1_000_000 }
  private var leftAt: Int64 = .min / 2
  /// Whether the service may have a reason to ask about its user.
  var mayBeServed: Bool { isConnected }

  func disconnect() {
    leftAt = world.schedule.now
    if !(self is Agent) { world.left(user) }
    world.bus.left(self)
    // What it has not read is lost.
    inbox = []
  }

  /// Handles a method call. It may be answered later.
  func called(_ call: Parcel) { refuse(call, "UnknownMethod", "There is no \(call.member)") }
  func signalled(_ signal: Parcel) {}

  /// Whether its next ping is lost.
  var losesPing = false
  private var pingedAt: Int64 = .min / 2

  override func receive(_ parcel: Parcel) {
    guard isReading else {
      unread += parcel.size
      if heldBytes == 0 { heldSince = world.schedule.now }
      heldBytes += parcel.size
      return inbox.append(parcel)
    }
    switch parcel.kind {
    case .call:
      if parcel.isPing {
        pingedAt = world.schedule.now
        if losesPing { return losePing(parcel) }
        proven = (unproven, world.schedule.now)
        (unproven, owesAnswer) = (0, false)
        return knowsPings ? answer(parcel, []) : refuse(parcel, "UnknownMethod", "There is no Ping")
      }
      called(parcel)
    case .reply, .error: handlers.removeValue(forKey: parcel.replySerial)?(parcel)
    case .signal: signalled(parcel)
    }
  }

  /// The connection through which it is pinged is lost before it answers. It must be pinged again.
  private func losePing(_ ping: Parcel) {
    losesPing = false
    world.closeConnection(named: ping.sender)
    let (connections, since, service) = (connections, world.schedule.now, world.serviceName)
    world.schedule.after(4_000_000) { [self] in
      guard self.connections == connections, isReading, service == world.serviceName, pingedAt <= since else { return }
      world.checks.broken("a ping that is lost with its connection is repeated", "\(name)")
    }
  }

  private func readInbox() {
    (unread, heldBytes) = (0, 0)
    while isReading, !inbox.isEmpty { receive(inbox.removeFirst()) }
  }

  // MARK: - Sending

  @discardableResult
  func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, _ values: [Value] = [],
    startsService: Bool = true, isInteractive: Bool = false, wantsReply: Bool = true,
    _ handler: ((Parcel) -> Void)? = nil
  ) -> UInt32 {
    // A call is a sign of life.
    unread = 0
    let call = Parcel(.call, values)
    (call.destination, call.path, call.interface, call.member) = (destination, path, interface, member)
    call.serial = world.bus.nextSerial()
    (call.startsService, call.isInteractive, call.wantsReply) = (startsService, isInteractive, wantsReply)
    if let handler { handlers[call.serial] = handler }
    world.bus.send(call, from: self)
    return call.serial
  }

  func answer(_ call: Parcel, _ values: [Value]) {
    guard call.wantsReply else { return }
    let reply = Parcel(.reply, values)
    (reply.destination, reply.replySerial, reply.serial) = (call.sender, call.serial, world.bus.nextSerial())
    reply.wantsReply = false
    world.bus.send(reply, from: self)
  }

  func refuse(_ call: Parcel, _ error: String, _ text: String) {
    guard call.wantsReply else { return }
    let reply = Parcel(.error, [.string(text)])
    reply.errorName = error.contains(".") ? error : "org.freedesktop.DBus.Error.\(error)"
    (reply.destination, reply.replySerial, reply.serial) = (call.sender, call.serial, world.bus.nextSerial())
    reply.wantsReply = false
    world.bus.send(reply, from: self)
  }

  func signal(
    _ path: String, _ interface: String, _ member: String, _ values: [Value] = [], to destination: String? = nil
  ) {
    let signal = Parcel(.signal, values)
    (signal.path, signal.interface, signal.member, signal.destination) = (path, interface, member, destination)
    signal.serial = world.bus.nextSerial()
    world.bus.send(signal, from: self)
  }

  func propertiesChanged(_ path: String, _ interface: String, _ properties: [(String, Value)]) {
    signal(
      path, Self.properties, "PropertiesChanged", [.string(interface), .options(properties), .strings([])])
  }

  static let properties = "org.freedesktop.DBus.Properties"
}

/// A system service that answers calls after a delay, and can be slow, hang, exit and return.
class SystemService: Program {
  let service: String
  var chance: Chance
  /// How long answers take, in microseconds.
  var latency: ClosedRange<Int64> = 50...4_000 {
    didSet {
      slowAt = world.schedule.now
      world.truth.lostTouch()
    }
  }
  /// When it last was slow, hung or was not running.
  private(set) var slowAt: Int64 = .min / 2
  /// Whether it answers questions within milliseconds.
  var answersSoon: Bool { isRunning && held == nil && latency.upperBound <= 4_000 }
  private var lastDue: Int64 = 0
  private var lastAnswer: Int64 = 0
  /// A change that follows the next question about a user, after the answer was determined and before it is sent.
  var overtaking: (user: UInt32, change: () -> Void)?
  /// Calls that wait until the program no longer hangs.
  private var held: [Parcel]?
  private(set) var isRunning = false
  override var isOnSystemBus: Bool { true }

  init(_ world: World, _ service: String, user: UInt32) {
    self.service = service
    chance = Chance(world.seed, service)
    super.init(world, user: user)
  }

  func start() {
    guard !isRunning, !world.bus.isDown else { return }
    isRunning = true
    (held, slowAt) = (nil, world.schedule.now)
    connect()
    world.bus.own(service, self)
    started()
  }

  func exit() {
    guard isRunning else { return }
    isRunning = false
    disconnect()
    exited()
    world.truth.lostTouch()
  }

  func started() {}
  func exited() {}

  /// Stops answering calls until ``recover()``.
  func hang() {
    guard isRunning else { return }
    held = held ?? []
    world.truth.lostTouch()
  }

  func recover() {
    if held != nil { slowAt = world.schedule.now }
    let calls = held ?? []
    (held, overtaking) = (nil, nil)
    for call in calls { called(call) }
  }

  override func called(_ call: Parcel) {
    guard held == nil else {
      held?.append(call)
      return
    }
    let connections = connections
    // Calls keep their order.
    lastDue = max(lastDue, world.schedule.now + chance.time(latency))
    world.schedule.at(lastDue) { [weak self] in
      guard let self, isRunning, self.connections == connections else { return }
      if held != nil { held?.append(call) } else { serve(call) }
    }
  }

  /// Answers a call about a user, after another delay, with the state at that time. `sent` is called with the answer.
  func answerLater(_ call: Parcel, _ values: [Value], about user: UInt32, sent: @escaping () -> Void = {}) {
    let name = name
    lastAnswer = max(lastAnswer, world.schedule.now + chance.time(latency))
    if let overtaking, overtaking.user == user {
      self.overtaking = nil
      world.schedule.after(50_000, overtaking.change)
    }
    world.schedule.at(lastAnswer) { [weak self] in
      guard let self, isRunning, self.name == name else { return }
      sent()
      answer(call, values)
    }
  }

  /// Handles a call.
  func serve(_ call: Parcel) { refuse(call, "UnknownMethod", "There is no \(call.member)") }
}
