// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// Tracks through logind whether users have an active session. Carries out the actions of ``SessionState``.
final class SessionWatch {
  /// Called with a user whose state has changed, or whose deliveries are no longer held, and the previous state, or nil
  /// if this is the first one and nothing had been in doubt.
  var onChange: ((UInt32, Facts.Session?) -> Void)?
  /// Returns whether a user has clients that are being served.
  var isServed: (UInt32) -> Bool = { _ in false }

  /// How long after the start of a session its agent may still be starting.
  static let startingTime = Duration.seconds(30)

  private static let user: InterfaceName = "org.freedesktop.login1.User"
  /// The properties that determine a user's state. Others, such as the idle hint, can be changed by users at any rate.
  private static let meaningful: Set<String> = ["Active", "ActiveSession", "Display", "Sessions", "State"]
  /// The maximum number of questions in flight. The bus allows 128 calls without a reply for all purposes together.
  private static let parallel = 16

  private final class Entry: MachineShell {
    let user: UInt32
    var host = MachineHost(SessionState())
    var path: ObjectPath?
    var login = Account.Login.unknown
    var question: PendingCall?
    /// The start of the session in which an agent would run.
    var begin = MonotonicInstant.origin - SessionWatch.startingTime
    var mayHaveNewSession = true
    /// Whether no client of the user is left. The entry is removed when the pending answer arrives.
    var isForgotten = false
    let waiters = Waiters()
    private weak var watch: SessionWatch?

    init(_ user: UInt32, of watch: SessionWatch) { (self.user, self.watch) = (user, watch) }

    var state: SessionState { host.machine }

    func perform(_ action: SessionState.Action) { watch?.perform(action, for: self) }

    func timeHasCome() {
      if watch?.isServed(user) == true { watch?.confirm(self) }
      sendTimer()
    }
  }

  private let connection: Connection
  private let owners: SessionOwners
  private var entries: [UInt32: Entry] = [:]
  /// The users about whom logind is to be asked: accounts take turns.
  private var waiting = TurnQueue<Account, UInt32>()
  private var inFlight = 0
  private var owner: NameWatch?
  private var signals: [SignalMatch] = []

  private let accountOf: (UInt32, Account.Login) -> Account

  init(on connection: Connection, accountOf: @escaping (UInt32, Account.Login) -> Account) {
    self.connection = connection
    self.accountOf = accountOf
    owners = SessionOwners(on: connection)
    owner = NameWatch(LogindNames.service, on: connection) { [weak self] owner in
      self?.owners.forgetAll()
      self?.handleForAll(owner == nil ? .left : .came)
    }
    owners.onLearned = { [weak self] user in
      guard let self, let user else { return self?.doubtAll() ?? () }
      // It may be a new session.
      entries[user]?.mayHaveNewSession = true
      doubt(user)
    }
    // The `State` of a logind user has no change signal. It follows from sessions, seats and the manager.
    follow(properties: "Session") { $0.sessionChanged($1.path) }
    follow(properties: "User") { $0.userChanged($1.path) }
    follow(properties: "Seat") { $0.seatChanged($1) }
    follow("UserNew") { $0.doubt($1) }
    follow("UserRemoved") { $0.doubt($1) }
    follow("SessionNew") { watch, signal in
      // A new session does not reduce any user's access until it becomes active, which is announced.
      if let path = signal.arguments.last?.objectPath { watch.owners.learn(path) }
    }
    follow("SessionRemoved") { watch, signal in
      guard let path = signal.arguments.last?.objectPath else { return }
      watch.sessionChanged(path, hasEnded: true)
      watch.owners.forget(path)
    }
  }

  func state(of user: UInt32) -> Facts.Session { entries[user]?.state.state ?? .unknown }

  /// Returns whether a user has a session or lingers, according to logind's last answer.
  func login(of user: UInt32) -> Account.Login { entries[user]?.login ?? .unknown }

  /// Returns the hold on deliveries to a user until logind confirms the state.
  func hold(on user: UInt32) -> Hold<MonotonicClock>? { entries[user]?.state.hold(at: SessionState.now) }

  /// Until when an agent of a user may still be starting, or nil if the user has no session. Only the session that
  /// logind elects for the user's display counts, because agents start with a desktop.
  func agentMayStart(of user: UInt32) -> MonotonicInstant? {
    guard let entry = entries[user], entry.state.state == .active else { return nil }
    return entry.begin + Self.startingTime
  }

  func isDoubtful(_ user: UInt32) -> Bool { entries[user]?.state.isDoubtful ?? false }

  /// Makes a round wait until a user's state is known, and tracks the user from then on.
  func find(_ user: UInt32, for round: AnswerGroup) {
    let entry = entries[user] ?? Entry(user, of: self)
    entries[user] = entry
    entry.isForgotten = false
    entry.waiters.add(round)
    confirm(entry)
    entry.handle(.wanted)
  }

  /// Has the state of a user confirmed if it has aged. The question must not start logind.
  private func confirm(_ entry: Entry) { if owner?.owner != nil { entry.handle(.served) } }

  /// Records that polkit announced a change, which may be a changed session of any user.
  func doubtAll() { handleForAll(.doubted) }

  func forget(_ user: UInt32) {
    guard let entry = entries[user] else { return }
    entry.isForgotten = true
    entry.waiters.release()
    let isWaiting = waiting.removeAll { $0 == user }
    if isWaiting { entries[user] = nil }
    // The bus counts a question until it is answered. Keeping the entry prevents one more question each time that a
    // client comes and goes.
    if !entry.state.isAsking { entries[user] = nil }
  }

  private func handleForAll(_ event: SessionState.Event) {
    for entry in entries.values { entry.handle(event) }
  }

  private func perform(_ action: SessionState.Action, for entry: Entry) {
    switch action {
    case .ask:
      waiting.edit(accountOf(entry.user, entry.login)) { $0.append(entry.user) }
      askNext()
    case .changed(let before): if !entry.isForgotten { onChange?(entry.user, before) }
    case .ready: entry.waiters.release()
    }
  }
}

// MARK: - Signals
extension SessionWatch {
  private func follow(_ rule: MatchRule, _ action: @escaping (SessionWatch, Signal) -> Void) {
    signals.append(
      connection.onSignal(rule) { [weak self] signal in
        if let self, signal.path.rawValue.hasPrefix(LogindNames.path.rawValue) { action(self, signal) }
      })
  }

  private func follow(_ member: MemberName, _ action: @escaping (SessionWatch, Signal) -> Void) {
    follow(MatchRule(sender: LogindNames.service, interface: LogindNames.manager, member: member), action)
  }

  private func follow(properties interface: String, _ action: @escaping (SessionWatch, Signal) -> Void) {
    let rule = MatchRule(
      sender: LogindNames.service, interface: .properties, member: .propertiesChanged,
      argument0: "\(LogindNames.service).\(interface)")
    follow(rule) { if Self.isMeaningful($1) { action($0, $1) } }
  }

  private static func isMeaningful(_ signal: Signal) -> Bool {
    guard signal.arguments.count == 3 else { return false }
    let changed = signal.arguments[1].options?.map(\.name) ?? []
    let invalidated = signal.arguments[2].array?.compactMap(\.string) ?? []
    return !meaningful.isDisjoint(with: changed + invalidated)
  }

  private func doubt(_ user: UInt32) { entries[user]?.handle(.doubted) }

  /// Handles a signal that names the user first.
  private func doubt(_ signal: Signal) {
    if let user = signal.arguments.first?.uint32 { doubt(user) }
  }

  private func sessionChanged(_ path: ObjectPath, hasEnded: Bool = false) {
    switch owners.owner(of: path) {
    case .user(let user): doubt(user)
    // The user's state is doubted once logind has named the user.
    case .asked: owners.changedWhileAsked(path)
    case .unknown:
      doubtAll()
      // An answer about a session that has ended would raise another doubt, and be remembered.
      if !hasEnded { owners.learn(path) }
    }
  }

  private func userChanged(_ path: ObjectPath) {
    for entry in entries.values where entry.path == nil || entry.path == path { entry.handle(.doubted) }
  }

  /// Handles a seat's new active session. The session that was active before announces its own change.
  private func seatChanged(_ signal: Signal) {
    let active = signal.arguments[1].properties?["ActiveSession"]?.structure?.last?.objectPath
    active.map { sessionChanged($0) } ?? doubtAll()
  }
}

// MARK: - Questions
extension SessionWatch {
  private func askNext() {
    while inFlight < Self.parallel, let user = waiting.next() {
      guard let entry = entries[user] else { continue }
      inFlight += 1
      ask(entry)
    }
  }

  private func ask(_ entry: Entry) {
    call("GetUser", of: LogindNames.manager, at: LogindNames.path, [.uint32(entry.user)], expecting: "o", entry) {
      watch, result in
      switch result {
      case .success(let values):
        guard let path = values.first?.objectPath else { return watch.answered(.inactive, entry) }
        (entry.path, entry.login) = (path, .present)
        watch.askState(at: path, entry)
      // The call would have started logind. A logind that is masked or fails has another error.
      case .failure(.refused(let error)):
        let isInstalled = error.name != .serviceUnknown || watch.owner?.owner != nil
        entry.login = isInstalled ? .absent : .untracked
        watch.answered(isInstalled ? .inactive : .untracked, entry)
      case .failure(.lost), .failure(.notSent): watch.answered(nil, entry)
      }
    }
  }

  private func askState(at path: ObjectPath, _ entry: Entry) {
    let arguments: [Value] = [.string(Self.user.rawValue), .string("State")]
    call("Get", of: .properties, at: path, arguments, expecting: .variant, entry) { watch, result in
      switch result {
      case .success(let values) where values.first?.unwrapped.string == "active":
        guard entry.mayHaveNewSession || entry.state.state != .active else {
          return watch.answered(.active, entry)
        }
        entry.mayHaveNewSession = false
        watch.askDisplay(at: path, entry)
      case .success, .failure(.refused): watch.answered(.inactive, entry)
      case .failure(.lost), .failure(.notSent): watch.answered(nil, entry)
      }
    }
  }

  /// Asks which session is the user's display and when it began. Without an answer, no agent is expected to start.
  private func askDisplay(at path: ObjectPath, _ entry: Entry) {
    func began(_ watch: SessionWatch, at time: MonotonicInstant?) {
      entry.begin = time ?? .origin - Self.startingTime
      watch.answered(.active, entry)
    }
    let display: [Value] = [.string(Self.user.rawValue), .string("Display")]
    call("Get", of: .properties, at: path, display, expecting: .variant, entry) { watch, result in
      guard case .success(let values) = result,
        let session = values.first?.unwrapped.structure?.last?.objectPath, session != .root
      else { return began(watch, at: nil) }
      let begin: [Value] = [.string(LogindNames.session.rawValue), .string("TimestampMonotonic")]
      watch.call("Get", of: .properties, at: session, begin, expecting: .variant, entry) { watch, result in
        began(watch, at: (try? result.get())?.first?.unwrapped.uint64.map(MonotonicInstant.init(microseconds:)))
      }
    }
  }

  private func call(
    _ member: MemberName, of interface: InterfaceName, at path: ObjectPath, _ arguments: [Value],
    expecting signature: Signature, _ entry: Entry,
    _ handler: @escaping (SessionWatch, Result<[Value], CallFailure>) -> Void
  ) {
    let message = Message(calling: member, of: interface, at: path, on: LogindNames.service, arguments)
    entry.question = connection.call(message, timeout: .never, expecting: signature) { [weak self] result in
      if let self { handler(self, result) }
    }
  }

  /// Handles the answer, or nil if logind has not given one.
  private func answered(_ state: Facts.Session?, _ entry: Entry) {
    entry.question = nil
    inFlight -= 1
    defer { askNext() }
    guard entries[entry.user] === entry else { return }
    if entry.isForgotten {
      entries[entry.user] = nil
    } else {
      entry.handle(state.map { .answered($0) } ?? .lost)
    }
  }
}
