// SPDX-License-Identifier: Apache-2.0
import DBus

enum LogindNames {
  static let service: BusName = "org.freedesktop.login1"
  static let path: ObjectPath = "/org/freedesktop/login1"
  static let manager: InterfaceName = "org.freedesktop.login1.Manager"
  static let session: InterfaceName = "org.freedesktop.login1.Session"
}

/// Learns from logind which user each session belongs to, so that a change of a session concerns only that user.
final class SessionOwners {
  enum Owner: Equatable {
    case user(UInt32)
    /// logind has been asked.
    case asked
    case unknown
  }

  /// Called with the user of a session once logind has named it, or with nil if logind has not answered.
  var onLearned: ((UInt32?) -> Void)?

  /// The maximum number of sessions that are remembered, and that are asked about at the same time.
  private static let capacity = 4_096
  private static let parallel = 16

  private let connection: Connection
  private var owners: [ObjectPath: UInt32] = [:]
  private var questions: [ObjectPath: Question] = [:]

  private struct Question {
    var call: PendingCall?
    /// Whether the session has changed since the question.
    var isOvertaken = false
  }

  init(on connection: Connection) { self.connection = connection }

  func owner(of session: ObjectPath) -> Owner {
    owners[session].map { .user($0) } ?? (questions[session] == nil ? .unknown : .asked)
  }

  /// Records that a session has changed while logind is asked about its user.
  func changedWhileAsked(_ session: ObjectPath) { questions[session]?.isOvertaken = true }

  /// Asks logind for the user of a session, unless that is known or too many questions are open.
  func learn(_ session: ObjectPath) {
    guard owner(of: session) == .unknown, questions.count < Self.parallel else { return }
    let message = Message(
      calling: "Get", of: .properties, at: session, on: LogindNames.service,
      [.string(LogindNames.session.rawValue), .string("User")])
    message.startsService = false
    questions[session] = Question()
    questions[session]?.call = connection.call(message, timeout: .never, expecting: .variant) { [weak self] result in
      guard let self, let question = questions.removeValue(forKey: session) else { return }
      switch result {
      case .success(let values):
        guard let user = values.first?.unwrapped.structure?.first?.uint32 else { return onLearned?(nil) ?? () }
        if owners.count >= Self.capacity { owners = [:] }
        owners[session] = user
        onLearned?(user)
      // The session has ended, and logind no longer names its user.
      case .failure(.refused): if question.isOvertaken { onLearned?(nil) }
      case .failure(.lost), .failure(.notSent): onLearned?(nil)
      }
    }
  }

  /// Records that a session has ended.
  func forget(_ session: ObjectPath) { owners[session] = nil }

  func forgetAll() { (owners, questions) = ([:], [:]) }
}
