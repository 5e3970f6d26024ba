import DBus
import GeopublicistProcessSupport
import MainLoop

/// Asks polkit, and tells when its answers may have become others.
///
/// The subject is always the connection, never a process: a pid is somebody else's as soon as it is free.
final class PolkitAuthority {
  typealias Question = CheckQueue.Question

  /// Called when every answer may have become another.
  var onChange: (() -> Void)?

  private static let service: BusName = "org.freedesktop.PolicyKit1"
  private static let path: ObjectPath = "/org/freedesktop/PolicyKit1/Authority"
  private static let interface: InterfaceName = "org.freedesktop.PolicyKit1.Authority"

  private let connection: Connection
  private var queue = CheckQueue()
  private var calls: [CheckQueue.Number: PendingCall] = [:]
  private var listeners: [Question: [(Facts.Answer) -> Void]] = [:]
  private var owner: NameWatch?
  private var changes: SignalMatch?
  private var hasComplained = false

  init(on connection: Connection) {
    self.connection = connection
    owner = NameWatch(Self.service, on: connection) { [weak self] _ in self?.changed() }
    changes = connection.onSignal(
      MatchRule(sender: Self.service, path: Self.path, interface: Self.interface, member: "Changed")
    ) { [weak self] signal in
      guard let self, signal.sender == owner?.owner else { return }
      changed()
    }
  }

  /// Asks whether a connection may do something; joins a check of the same that is under way.
  func check(_ question: Question, _ handler: @escaping (Facts.Answer) -> Void) {
    listeners[question, default: []].append(handler)
    perform(queue.handle(.asked(question)))
  }

  /// Ends a check, and the dialog that it may have opened; whoever waits for it hears nothing.
  func withdraw(_ question: Question) {
    listeners[question] = nil
    perform(queue.handle(.withdrawn(question)))
  }

  /// A connection has left the bus.
  func forget(_ peer: BusName) {
    for question in listeners.keys where question.peer == peer { listeners[question] = nil }
    perform(queue.handle(.gone(peer)))
  }

  private func changed() {
    perform(queue.handle(.policyChanged))
    onChange?()
  }

  private func perform(_ actions: [CheckQueue.Action]) {
    for action in actions {
      switch action {
      case .send(let number, let question): send(number, question)
      case .cancel(let number): cancel(number)
      case .report(let question, let answer):
        for listener in listeners.removeValue(forKey: question) ?? [] { listener(answer) }
      }
    }
  }

  private func send(_ number: CheckQueue.Number, _ question: Question) {
    let subject: Value = .structure([
      .string("system-bus-name"), .options([("name", .string(question.peer.rawValue))]),
    ])
    let message = try? Message(
      calling: "CheckAuthorization", of: Self.interface, at: Self.path, on: Self.service,
      [
        subject, .string(question.action.rawValue), .dictionary(key: .string, value: .string, []),
        .uint32(question.isInteractive ? 1 : 0), .string("\(number)"),
      ])
    guard let message else { return perform(queue.handle(.answered(number, .unavailable))) }
    // Never given up from here: the bus counts a call as long as it has no reply, and so does the queue.
    calls[number] = connection.call(message, timeout: .never, expecting: "(bba{ss})") { [weak self] result in
      self?.answered(number, result)
    }
  }

  private func answered(_ number: CheckQueue.Number, _ result: Result<[Value], DBusError>) {
    calls[number] = nil
    switch result {
    case .success(let values): perform(queue.handle(.answered(number, Self.answer(values))))
    case .failure(let error):
      complain(error)
      perform(queue.handle(.answered(number, .unavailable)))
    }
  }

  private func cancel(_ number: CheckQueue.Number) {
    let message = try? Message(
      calling: "CancelCheckAuthorization", of: Self.interface, at: Self.path, on: Self.service,
      [.string("\(number)")])
    guard let message else { return }
    message.wantsReply = false
    message.startsService = false
    connection.send(message)
  }

  /// polkit that is not there is a way to run the service; polkit that refuses to speak to it is a mistake in its
  /// setup.
  private func complain(_ error: DBusError) {
    guard error.name.rawValue.hasPrefix("org.freedesktop.PolicyKit1.Error."), !hasComplained,
      error.name.rawValue != "org.freedesktop.PolicyKit1.Error.Cancelled"
    else { return }
    hasComplained = true
    Log.warning("polkit does not answer as it should: \(error.message)")
  }

  private static func answer(_ values: [Value]) -> Facts.Answer {
    guard let fields = values.first?.structure, fields.count == 3, let isAuthorized = fields[0].boolean,
      let isChallenge = fields[1].boolean
    else { return .unavailable }
    return isAuthorized ? .yes : isChallenge ? .challenge : .no
  }
}
