// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// Tracks through logind whether users have an active session. Carries out the actions of ``SessionState``.
final class SessionWatch {
  /// Called with a user whose state may have changed, and the previous state.
  var onChange: ((UInt32, Facts.Session) -> Void)?

  private static let service: BusName = "org.freedesktop.login1"
  private static let path: ObjectPath = "/org/freedesktop/login1"
  private static let manager: InterfaceName = "org.freedesktop.login1.Manager"
  private static let user: InterfaceName = "org.freedesktop.login1.User"
  /// The properties that determine a user's state. Others, such as the idle hint, can be changed by users at any rate.
  private static let meaningful: Set<String> = ["Active", "ActiveSession", "Display", "Sessions", "State"]

  private final class Entry {
    var state = SessionState()
    var question: PendingCall?
    var timer: LoopSource?
    /// No client of the user is left. The entry is removed when the pending answer arrives.
    var isForgotten = false
    var waiters = Waiters()
  }

  private let connection: Connection
  private var entries: [UInt32: Entry] = [:]
  private var owner: NameWatch?
  private var signals: [SignalMatch] = []

  init(on connection: Connection) {
    self.connection = connection
    owner = NameWatch(Self.service, on: connection) { [weak self] owner in
      self?.handleForAll(owner == nil ? .left : .came)
    }
    // The `State` of a logind user has no change signal. It follows from sessions, seats and the manager.
    for interface in ["Session", "Seat", "User"] {
      follow(.properties, .propertiesChanged, argument0: "org.freedesktop.login1.\(interface)")
    }
    for member in ["SessionNew", "SessionRemoved", "UserNew", "UserRemoved"] as [MemberName] {
      follow(Self.manager, member)
    }
  }

  func state(of user: UInt32) -> Facts.Session { entries[user]?.state.state ?? .unknown }

  /// Returns whether deliveries to a user are held until logind confirms the state.
  func isHeld(_ user: UInt32) -> Bool { entries[user]?.state.isHeld(at: now) ?? false }

  func isDoubtful(_ user: UInt32) -> Bool { entries[user]?.state.isDoubtful ?? false }

  /// Makes a round wait until a user's state is known, and tracks the user from then on.
  func find(_ user: UInt32, for round: Gathering) {
    let entry = entries[user] ?? Entry()
    entries[user] = entry
    entry.isForgotten = false
    entry.waiters.add(round)
    handle(.wanted, user, entry)
  }

  /// Records that polkit announced a change, which may be a changed session.
  func doubtAll() { handleForAll(.doubted) }

  func forget(_ user: UInt32) {
    guard let entry = entries[user] else { return }
    entry.isForgotten = true
    entry.waiters.release()
    // The bus counts a question until it is answered. Keeping the entry prevents one more question each time that a
    // client comes and goes.
    if !entry.state.isAsking { entries[user] = nil }
  }

  private var now: Int64 { MainLoop.main.clock.monotonic() }

  private func follow(_ interface: InterfaceName, _ member: MemberName, argument0: String? = nil) {
    signals.append(
      connection.onSignal(
        MatchRule(sender: Self.service, interface: interface, member: member, argument0: argument0)
      ) { [weak self] signal in
        guard let self, signal.sender == owner?.owner, signal.path.rawValue.hasPrefix(Self.path.rawValue),
          argument0 == nil || Self.isMeaningful(signal)
        else { return }
        handleForAll(.doubted)
      })
  }

  private static func isMeaningful(_ signal: Signal) -> Bool {
    guard signal.arguments.count == 3 else { return false }
    let changed = signal.arguments[1].options?.map(\.name) ?? []
    let invalidated = signal.arguments[2].array?.compactMap(\.string) ?? []
    return !meaningful.isDisjoint(with: changed + invalidated)
  }

  private func handleForAll(_ event: SessionState.Event) {
    for (user, entry) in entries { handle(event, user, entry) }
  }

  private func handle(_ event: SessionState.Event, _ user: UInt32, _ entry: Entry) {
    let actions = entry.state.handle(event, at: now)
    entry.timer = entry.state.wakeUp.map { time in
      MainLoop.main.at(monotonic: time) { [weak self, weak entry] in
        if let self, let entry { handle(.timer, user, entry) }
      }
    }
    for action in actions {
      switch action {
      case .ask: ask(user, entry)
      case .held: onChange?(user, entry.state.state)
      case .changed(let before): if !entry.isForgotten { onChange?(user, before) }
      case .ready: entry.waiters.release()
      }
    }
  }
}

// MARK: - Questions
extension SessionWatch {
  private func ask(_ user: UInt32, _ entry: Entry) {
    let message = try? Message(calling: "GetUser", of: Self.manager, at: Self.path, on: Self.service, [.uint32(user)])
    guard let message else { return answered(.inactive, user, entry) }
    entry.question = connection.call(message, timeout: .never, expecting: "o") { [weak self, weak entry] result in
      guard let self, let entry else { return }
      switch result {
      case .success(let values):
        guard let path = values.first?.objectPath else { return answered(.inactive, user, entry) }
        askState(of: user, at: path, entry)
      case .failure(let failure) where failure.error.name == .noReply: answered(nil, user, entry)
      // The call would have started logind if it were installed.
      case .failure: answered(owner?.owner == nil ? .untracked : .inactive, user, entry)
      }
    }
  }

  private func askState(of user: UInt32, at path: ObjectPath, _ entry: Entry) {
    let message = try? Message(
      calling: "Get", of: .properties, at: path, on: Self.service, [.string(Self.user.rawValue), .string("State")])
    guard let message else { return answered(.inactive, user, entry) }
    entry.question = connection.call(message, timeout: .never, expecting: .variant) { [weak self, weak entry] result in
      guard let self, let entry else { return }
      switch result {
      case .success(let values): answered(values.first?.unwrapped.string == "active" ? .active : .inactive, user, entry)
      case .failure(let failure): answered(failure.error.name == .noReply ? nil : .inactive, user, entry)
      }
    }
  }

  /// Handles the answer, or nil if logind left the bus without answering.
  private func answered(_ state: Facts.Session?, _ user: UInt32, _ entry: Entry) {
    entry.question = nil
    guard entries[user] === entry else { return }
    if entry.isForgotten {
      entries[user] = nil
    } else {
      handle(state.map { .answered($0) } ?? .lost, user, entry)
    }
  }
}
