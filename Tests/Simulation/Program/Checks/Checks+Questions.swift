// SPDX-License-Identifier: Apache-2.0

/// The bus permits a connection only a number of calls without a reply, so the service must not ask others without limit.
extension Checks {
  nonisolated struct Question {
    let service: String
    /// The process of which systemd is asked for the unit.
    let process: UInt32?
    /// The user whom it is about, if the service is polkit.
    let user: UInt32?
  }

  /// How many questions may be open at once. logind is asked about sessions and users.
  private static let mostQuestions = [Systemd.service: 16, Logind.service: 32, Polkit.service: 64]
  private static let mostQuestionsOfUser = 16

  func asked(_ parcel: Parcel) {
    let bus = world.bus
    if parcel.member == "CancelCheckAuthorization", parcel.startsService {
      broken("the withdrawal of a question does not start polkit", parcel.story)
    }
    guard let service = parcel.destination, let limit = Self.mostQuestions[service], bus.owners[service] != nil else {
      return
    }
    // The bus may not have noticed that the service has left its last connection.
    questions = questions.filter { $0.key.caller == parcel.sender && bus.pending[$0.key] != nil }
    let question = Question(
      service: service, process: parcel.member == "GetUnitByPID" ? parcel.values.first?.uint32 : nil,
      user: Polkit.subject(of: parcel).flatMap { bus.peers[$0]?.user })
    questions[SimulatedBus.Call(caller: parcel.sender, serial: parcel.serial)] = question
    let open = questions.values.filter { $0.service == service }
    if open.count > limit { broken("a service is asked few questions at once", "\(open.count) to \(service)") }
    // Questions about a user whose session was not known also count for the account that such users share.
    let accounts = world.truth.hasSessionEnded ? 2 : 1
    if let user = question.user, open.count(where: { $0.user == user }) > accounts * Self.mostQuestionsOfUser {
      broken("polkit is asked few questions about one user at once", "\(user)")
    }
    // A program may be asked about as a client and as an agent.
    if let process = question.process, open.count(where: { $0.process == process }) > 2 {
      broken("systemd is asked once about a process", "\(process)")
    }
  }
}
