// SPDX-License-Identifier: Apache-2.0
import DBus

/// Programs that come for a moment. They make one call each, and neither read nor answer.
final class Throng {
  private unowned let world: World
  private var programs: [Program] = []

  init(_ world: World) { self.world = world }

  /// Programs of many users come while logind is slow, and leave before it has answered.
  func visit() {
    world.logind.latency = 300_000...300_000
    come(users: (0..<20).map { 2_000 + $0 })
    world.schedule.after(100_000) { [self] in leave() }
    world.schedule.after(700_000) { [world] in world.logind.latency = 50...4_000 }
  }

  /// The only program of a user comes, leaves while logind is asked about the user, and returns at once.
  func comeBack() {
    let user: UInt32 = 2_100
    world.logind.latency = 300_000...300_000
    come(users: [user])
    world.schedule.after(100_000) { [self] in
      leave()
      var answer: Parcel?
      come(users: [user]) { answer = $0 }
      world.schedule.after(3_000_000) { [self] in
        leave()
        if answer?.values.last?.string != "session-inactive", !world.bus.isDown, world.servingSince != nil,
          world.polkit.answersSoon, world.logind.answersSoon
        {
          world.checks.broken("a user who returns is answered", answer?.story ?? "not at all")
        }
      }
    }
    world.schedule.after(1_500_000) { [world] in world.logind.latency = 50...4_000 }
  }

  /// Many programs of one user wait for polkit, which does not answer about them, and answer no question themselves.
  /// A client of another user, whose agent is new, must not wait for them.
  func press(of user: UInt32, against client: Client, _ agent: Agent) {
    world.polkit.ignored = user
    come(users: Array(repeating: user, count: 40))
    world.schedule.after(300_000) { [self] in
      client.exit()
      if agent.isConnected, !agent.isSilent {
        agent.exit()
        agent.start()
      }
      client.start()
      client.subscribe(isPlain: true, at: .exact)
      world.schedule.after(1_500_000) { [world] in
        let expected = world.truth.authorization(of: client, asking: .exact)
        guard expected == ("authorized-when-in-use", ""), client.isConnected,
          !client.subscriptions.contains(where: { $0.told ?? ("", "") == expected })
        else { return }
        world.checks.broken("one user's programs do not delay another's access", "client \(client.number)")
      }
    }
    world.schedule.after(3_000_000) { [self] in
      leave()
      world.polkit.ignored = nil
    }
  }

  /// Programs of many users without a session are refused. These users share one account, and thus one limit of log lines.
  func fillLog() {
    come(users: (0..<40).map { 2_200 + $0 })
    world.schedule.after(1_000_000) { [self] in leave() }
  }

  func program(of process: UInt32) -> Program? { programs.first { $0.process == process } }
  func programs(of user: UInt32) -> [Program] { programs.filter { $0.user == user } }

  /// - Parameter answered: Called with each answer. Without it, the programs do not read.
  private func come(users: [UInt32], answered: ((Parcel) -> Void)? = nil) {
    guard !world.bus.isDown else { return }
    for user in users {
      let program = Program(world, user: user)
      programs.append(program)
      program.connect()
      program.isReading = answered != nil
      program.call(Client.service, Client.path, Client.service, "RequestAuthorization", [.options([])]) {
        answered?($0)
      }
    }
  }

  private func leave() {
    for program in programs { program.disconnect() }
    programs = []
  }
}
