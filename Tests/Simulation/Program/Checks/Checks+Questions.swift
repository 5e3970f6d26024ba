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
    if parcel.member == "Get", parcel.path == Agent.path { searched(parcel) }
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

  /// The service asks a connection whether it is an agent.
  private func searched(_ question: Parcel) {
    guard let name = question.destination, let user = world.bus.peers[name]?.user else { return }
    if isWaiting(user) { searches[user] = (world.schedule.now, [:]) }
    guard let begin = searches[user]?.since, world.schedule.now - begin > 40_000_000,
      let client = world.clients.first(where: { $0.name == name }), !client.poses
    else { return }
    searches[user]?.counts[name, default: 0] += 1
    guard searches[user]?.counts[name] ?? 0 > 4 else { return }
    broken("programs are asked for an agent only while another one waits", "client \(client.number)")
  }

  /// Whether a program of a user may need its agent.
  private func isWaiting(_ user: UInt32) -> Bool {
    let bus = world.bus
    let idle = Set(
      world.clients.filter { $0.subscriptions.isEmpty && $0.regions.isEmpty && $0.almanacPath == nil }.map(\.name)
        + (world.agents + world.seconds).map(\.name))
    return bus.peers.contains { $0.value.user == user && !idle.contains($0.key) }
      || bus.pending.contains { $0.value == world.serviceName && bus.peers[$0.key.caller]?.user == user }
  }
}
