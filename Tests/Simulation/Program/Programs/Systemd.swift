// SPDX-License-Identifier: Apache-2.0
import DBus

/// The part of systemd that returns the unit of a process.
final class Systemd: SystemService {
  static let service = "org.freedesktop.systemd1"

  /// Whether it finds no unit, as for programs that were started outside of units.
  var knowsNothing = false
  /// The users whose command lines are too long for a list.
  var longLists: Set<UInt32> = []

  /// That of the user in the session deployment.
  override var isOnSystemBus: Bool { false }

  init(_ world: World) { super.init(world, Self.service, user: 0) }

  /// Until when another restart could make it absent so often that the service gives up a check.
  private var restartsUntil: Int64 = .min / 2

  /// Leaves the bus and returns, again and again, without answering.
  func restart(_ count: Int) {
    guard world.schedule.now > restartsUntil else { return }
    restartsUntil = world.schedule.now + Int64(count) * 550_000 + 5_000_000
    leave(count)
  }

  private func leave(_ count: Int) {
    guard isRunning, !world.bus.isDown else { return }
    hang()
    world.schedule.after(400_000) { [self] in
      guard isRunning, !world.bus.isDown else { return }
      exit()
      world.schedule.after(150_000) { [self] in comeBack(count) }
    }
  }

  private func comeBack(_ count: Int) {
    guard !isRunning else { return }
    guard !world.bus.isDown else { return world.schedule.after(150_000) { [self] in comeBack(count) } }
    start()
    if count > 0, world.healedAt == nil { leave(count - 1) }
  }

  override func serve(_ call: Parcel) {
    switch call.member {
    case "GetUnitByPID":
      let program = call.values.first?.uint32.flatMap(world.program)
      guard !knowsNothing, let program else {
        // The service never asks about the same process again.
        if !(program is Agent) { program?.isUnverifiable = true }
        // It may be in a sandbox, so it does not count as an agent until the service has asked again.
        (program as? Agent)?.unit = .unknown
        world.truth.changed("systemd does not know \(program?.name ?? "a process")")
        return refuse(call, "org.freedesktop.systemd1.NoUnitForPID", "There is no such process")
      }
      (program as? Agent)?.unit = .found
      answer(
        call,
        [.objectPath(ObjectPath(unchecked: "/org/freedesktop/systemd1/unit/user_40\(program.user)_2eservice"))])
    case "GetUnitProcesses":
      let user = call.values.first?.string?.split(whereSeparator: { "@.".contains($0) }).dropFirst().first ?? ""
      guard !longLists.contains(UInt32(user) ?? .max) else { return refuse(call, "LimitsExceeded", "It is too long") }
      let programs = world.programs(of: UInt32(user) ?? .max)
      let rows = programs.map { program -> Value in
        let usual = program is Agent ? Agent.unitName : "app-example.scope"
        let scope = program.isSandboxed ? "app-flatpak-org.example.App-1.scope" : usual
        // Programs may have groups of their own in their units.
        let inner = program.process.isMultiple(of: 2) ? "/inner" : ""
        let path = "/user.slice/user-\(user).slice/user@\(user).service/app.slice/\(scope)\(inner)"
        return .structure([.string(path), .uint32(program.process), .string("/usr/bin/example")])
      }
      answer(call, [.array("(sus)", rows)])
      for case let agent as Agent in programs where agent.unit == .found {
        agent.unit = .described
        world.truth.changed("systemd describes the agent of \(agent.user)")
      }
    default: super.serve(call)
    }
  }
}
