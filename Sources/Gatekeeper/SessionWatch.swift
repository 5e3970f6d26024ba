import DBus
import MainLoop

/// Follows with logind whether users have an active session.
final class SessionWatch {
  /// Called with a user whose state has become another, and whether nothing was known of it before.
  var onChange: ((UInt32, Bool) -> Void)?

  private static let service: BusName = "org.freedesktop.login1"
  private static let path: ObjectPath = "/org/freedesktop/login1"
  private static let manager: InterfaceName = "org.freedesktop.login1.Manager"
  private static let user: InterfaceName = "org.freedesktop.login1.User"
  private static let properties: InterfaceName = "org.freedesktop.DBus.Properties"

  private final class Entry {
    var state = Facts.Session.unknown
    var question: PendingCall?
    /// Something has happened since the question was asked.
    var isOutdated = false
    /// Nobody wants to know any more; it goes with the answer that is still to come.
    var isForgotten = false
    var waiting: [() -> Void] = []
  }

  private let connection: Connection
  private var entries: [UInt32: Entry] = [:]
  private var owner: NameWatch?
  private var signals: [SignalMatch] = []
  private var look: LoopSource?

  init(on connection: Connection) {
    self.connection = connection
    owner = NameWatch(Self.service, on: connection) { [weak self] _ in self?.lookAgain() }
    // A user's state has no signal of its own: it follows from those of sessions, seats and the manager.
    for (interface, member) in [
      (Self.properties, "PropertiesChanged"), (Self.manager, "SessionNew"), (Self.manager, "SessionRemoved"),
      (Self.manager, "UserNew"), (Self.manager, "UserRemoved"),
    ] as [(InterfaceName, MemberName)] {
      signals.append(
        connection.onSignal(MatchRule(sender: Self.service, interface: interface, member: member)) {
          [weak self] signal in
          guard let self, signal.sender == owner?.owner, signal.path.rawValue.hasPrefix(Self.path.rawValue) else {
            return
          }
          lookAgain()
        })
    }
  }

  /// What is known of a user's session.
  func state(of user: UInt32) -> Facts.Session { entries[user]?.state ?? .unknown }

  /// Calls `done` when a user's state is known, at once if it is; follows it from then on.
  func find(_ user: UInt32, _ done: @escaping () -> Void) {
    let entry = entries[user] ?? Entry()
    entries[user] = entry
    entry.isForgotten = false
    guard entry.state == .unknown || entry.question != nil else { return done() }
    entry.waiting.append(done)
    ask(user, entry)
  }

  /// Calls `done` when a user's state has been looked up anew.
  func findAgain(_ user: UInt32, _ done: @escaping () -> Void) {
    guard let entry = entries[user] else { return find(user, done) }
    entry.waiting.append(done)
    entry.isOutdated = true
    ask(user, entry)
  }

  /// A user's state is of no interest any more.
  func forget(_ user: UInt32) {
    // The bus counts a question as long as it has no answer: there must not be another one for each time that somebody
    // comes and goes.
    guard let entry = entries[user], entry.question != nil else {
      entries[user] = nil
      return
    }
    entry.waiting = []
    entry.isForgotten = true
  }

  private func lookAgain() {
    // Several signals tell of one event.
    guard look == nil, !entries.isEmpty else { return }
    look = MainLoop.main.nextTurn { [weak self] in
      guard let self else { return }
      look = nil
      for (user, entry) in entries {
        entry.isOutdated = true
        ask(user, entry)
      }
    }
  }

  private func ask(_ user: UInt32, _ entry: Entry) {
    guard entry.question == nil else { return }
    entry.isOutdated = false
    let message = try? Message(
      calling: "GetUser", of: Self.manager, at: Self.path, on: Self.service, [.uint32(user)])
    guard let message else { return set(.inactive, of: user, entry) }
    entry.question = connection.call(message, timeout: .never, expecting: "o") {
      [weak self, weak entry] result in
      guard let self, let entry, entries[user] === entry else { return }
      entry.question = nil
      switch result {
      case .success(let values):
        guard let path = values.first?.objectPath else { return set(.inactive, of: user, entry) }
        askState(of: user, at: path, entry)
      case .failure(let error):
        // A call would have started it, if it could be started.
        let isAbsent = owner?.owner == nil && error.name != .noReply
        set(isAbsent ? .untracked : .inactive, of: user, entry)
      }
    }
  }

  private func askState(of user: UInt32, at path: ObjectPath, _ entry: Entry) {
    let message = try? Message(
      calling: "Get", of: Self.properties, at: path, on: Self.service,
      [.string(Self.user.rawValue), .string("State")])
    guard let message else { return set(.inactive, of: user, entry) }
    entry.question = connection.call(message, timeout: .never, expecting: .variant) {
      [weak self, weak entry] result in
      guard let self, let entry, entries[user] === entry else { return }
      entry.question = nil
      let state = (try? result.get())?.first?.unwrapped.string
      set(state == "active" ? .active : .inactive, of: user, entry)
    }
  }

  private func set(_ state: Facts.Session, of user: UInt32, _ entry: Entry) {
    if entry.isForgotten {
      entries[user] = nil
      return
    }
    if entry.isOutdated { return ask(user, entry) }
    let before = entry.state
    entry.state = state
    let waiting = entry.waiting
    entry.waiting = []
    if before != state { onChange?(user, before == .unknown) }
    for done in waiting { done() }
  }
}
