// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport
import MainLoop

/// Asks polkit for authorization and reports when its answers may have changed. Carries out the actions of
/// ``PolkitQueue``.
///
/// The subject is always the bus connection, never a process: process ids are reused.
final class PolkitAuthority {
  typealias Question = PolkitQueue.Question

  /// Called when every answer may have changed.
  var onDoubt: (() -> Void)?
  /// Called with the answer to each question asked by ``ask(_:about:of:mayStartPolkit:)``.
  var onReply: ((BusName, PolkitAction, PolkitReply) -> Void)?

  private static let service: BusName = "org.freedesktop.PolicyKit1"
  private static let path: ObjectPath = "/org/freedesktop/PolicyKit1/Authority"
  private static let interface: InterfaceName = "org.freedesktop.PolicyKit1.Authority"
  /// How long to wait for polkit to return before a call starts it. Starting it earlier would cancel
  /// an administrator's `systemctl stop`.
  private static let restartTime = Duration.milliseconds(300)

  private let connection: Connection
  private var queue = PolkitQueue()
  private var dialogs: [Question: Dialog] = [:]
  private var lastDialog: UInt64 = 0
  private var owner: NameWatch?
  private var changes: SignalMatch?
  private var restart: LoopSource?
  private var hasReplied = false
  private var hasComplained = false

  private struct Dialog {
    var program: String
    var handlers: [(number: UInt64, handler: (PolkitReply) -> Void)] = []
  }

  init(on connection: Connection) {
    self.connection = connection
    owner = NameWatch(Self.service, on: connection) { [weak self] owner in self?.ownerChanged(to: owner) }
    changes = connection.onSignal(
      MatchRule(sender: Self.service, path: Self.path, interface: Self.interface, member: "Changed")
    ) { [weak self] _ in
      self?.doubt(nil)
      self?.onDoubt?()
    }
  }

  var isThere: Bool { owner?.owner != nil }

  /// Asks, without a dialog, whether an account's client may perform an action.
  func ask(_ action: PolkitAction, about peer: BusName, of account: Account, mayStartPolkit: Bool) {
    let question = Question(peer: peer, action: action, isInteractive: false)
    perform(queue.handle(.asked(question, of: account, mayStartPolkit: mayStartPolkit)))
  }

  /// Shows a dialog to the user. Requests with the same question share one dialog, which is closed when the last of them
  /// is cancelled.
  func showDialog(
    _ action: PolkitAction, about peer: BusName, of account: Account, program: String?,
    _ handler: @escaping (PolkitReply) -> Void
  ) -> Prompt {
    let question = Question(peer: peer, action: action, isInteractive: true)
    lastDialog &+= 1
    dialogs[question, default: Dialog(program: program ?? "unknown")].handlers.append((lastDialog, handler))
    perform(queue.handle(.asked(question, of: account, mayStartPolkit: true)))
    return Prompt { [weak self, number = lastDialog] in self?.withdraw(number, from: question) }
  }

  private func withdraw(_ number: UInt64, from question: Question) {
    dialogs[question]?.handlers.removeAll { $0.number == number }
    guard dialogs[question]?.handlers.isEmpty == true else { return }
    dialogs[question] = nil
    perform(queue.handle(.withdrawn(question)))
  }

  /// Records that the policy for one client, or for all (nil), may have changed, including during an open dialog.
  func doubt(_ peer: BusName?) { perform(queue.handle(.policyChanged(peer))) }

  /// Drops all questions about a connection that has left the bus.
  func forget(_ peer: BusName) {
    for question in dialogs.keys where question.peer == peer { dialogs[question] = nil }
    perform(queue.handle(.gone(peer)))
  }

  private func ownerChanged(to owner: BusName?) {
    perform(queue.handle(.policyChanged(nil)))
    perform(queue.handle(owner == nil ? .polkitLeft : .polkitCame))
    // At start-up this is only the first report of the existing owner.
    if hasReplied { onDoubt?() }
  }

  private func perform(_ actions: [PolkitQueue.Action]) {
    for action in actions {
      switch action {
      case .send(let number, let question, let mayStart): send(number, question, mayStart)
      case .cancel(let number): cancel(number)
      case .report(let question, let reply): report(question, reply)
      case .waitForPolkit:
        restart = MainLoop.main.after(Self.restartTime) { [weak self] in
          guard let self else { return }
          // It may have been replaced before its last questions were reported as lost.
          perform(queue.handle(isThere ? .polkitCame : .waitedForPolkit))
        }
      }
    }
  }

  private func report(_ question: Question, _ reply: PolkitReply) {
    hasReplied = true
    guard question.isInteractive else { return onReply?(question.peer, question.action, reply) ?? () }
    for request in dialogs.removeValue(forKey: question)?.handlers ?? [] { request.handler(reply) }
  }
}

// MARK: - Messages
extension PolkitAuthority {
  private func send(_ number: PolkitQueue.Number, _ question: Question, _ mayStartPolkit: Bool) {
    let subject: Value = .structure([.string("system-bus-name"), .options([("name", .string(question.peer.rawValue))])])
    // polkit substitutes this for `$(program)` in the action's message.
    let details = dialogs[question].map { [Value.Entry(.string("program"), .string($0.program))] } ?? []
    let message = Message(
      calling: "CheckAuthorization", of: Self.interface, at: Self.path, on: Self.service,
      [
        subject, .string(question.action.rawValue), .dictionary(key: .string, value: .string, details),
        .uint32(question.isInteractive ? 1 : 0), .string("\(number)"),
      ])
    message.startsService = mayStartPolkit
    // No timeout: the bus counts the call until polkit replies, and so must the queue.
    connection.call(message, timeout: .never, expecting: "(bba{ss})") { [weak self] result in
      self?.answered(number, result, mayStartPolkit)
    }.keep()
  }

  private func answered(_ number: PolkitQueue.Number, _ result: Result<[Value], CallFailure>, _ mayStartPolkit: Bool) {
    switch result {
    case .success(let values): perform(queue.handle(.answered(number, Self.reply(values))))
    case .failure(.lost): perform(queue.handle(.lost(number)))
    case .failure(.notSent): perform(queue.handle(.notSent(number)))
    case .failure(.refused(let error)):
      complain(error)
      // polkit itself answers so about a client that has left.
      let isAbsent = error.isAbsence && !mayStartPolkit && !isThere
      perform(queue.handle(isAbsent ? .lost(number) : .answered(number, .unavailable)))
    }
  }

  private func cancel(_ number: PolkitQueue.Number) {
    let message = Message(
      calling: "CancelCheckAuthorization", of: Self.interface, at: Self.path, on: Self.service, [.string("\(number)")])
    message.wantsReply = false
    message.startsService = false
    connection.send(message)
  }

  /// Running without polkit is supported, but a polkit that rejects the service's questions indicates a setup error.
  private func complain(_ error: DBusError) {
    guard error.name.rawValue.hasPrefix("org.freedesktop.PolicyKit1.Error."), !hasComplained,
      error.name.rawValue != "org.freedesktop.PolicyKit1.Error.Cancelled"
    else { return }
    hasComplained = true
    Log.warning("polkit returned an unexpected answer: \(error.message)")
  }

  private static func reply(_ values: [Value]) -> PolkitReply {
    guard let fields = values.first?.structure, fields.count == 3, let isAuthorized = fields[0].boolean,
      let isChallenge = fields[1].boolean, case .dictionary(_, _, let details) = fields[2]
    else { return .unavailable }
    let isTemporary = details.contains { $0.key.string == "polkit.temporary_authorization_id" }
    return PolkitReply(isAuthorized ? .yes : isChallenge ? .challenge : .no, isTemporary: isTemporary)
  }
}
