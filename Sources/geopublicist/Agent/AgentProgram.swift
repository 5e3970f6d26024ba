// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

/// A program of this user that is a GeoClue agent.
nonisolated struct AgentProgram: Equatable {
  /// Zero if the bus does not know it.
  let process: UInt32
  /// The kernel's name for the program.
  let program: String
  /// The finest level that it allows; nil if it does not answer, or the bus did not permit the question.
  let level: AccuracyLevel?
  var isSilent = false

  /// Whether the agent is `geopublicist agent`.
  var isOwn: Bool { program == "geopublicist" }

  var name: String { isOwn ? "geopublicist agent" : "\(program) (process \(process))" }

  /// The agent and its level.
  var description: String { "\(name): \(level.map(LocationSwitch.word) ?? tr("unknown"))" }

  /// How to change the agent's level.
  func setting(_ level: AccuracyLevel, on desktop: Desktop) -> String {
    if isOwn {
      let isOff = self.level == AccuracyLevel.none
      return "geopublicist switch \(level == .exact && isOff ? "on" : LocationSwitch.word(level))"
    }
    switch program {
    case "gnome-shell", "phosh", "io.elementary.d":
      return level == .none || level == .exact && self.level == AccuracyLevel.none
        ? desktop.settingLocation(level != .none) : desktop.allowingExact
    default: return tr("change the setting of \(program), or end it: kill \(process)")
    }
  }
}

extension BusQuestions {
  /// Milliseconds that a connection may take to answer whether it is an agent.
  private static let patience: Int32 = 1_000

  /// Returns this user's GeoClue agents: the connections that answer as one, and the programs of known agents that do
  /// not answer. The service's own agent, which has the same user in a test, is left out.
  func agents() -> [AgentProgram] {
    let names = (try? ask("ListNames", of: .bus, at: .bus, on: .bus))?.first?.array ?? []
    let own = connection.uniqueName
    let others = names.compactMap { $0.string.flatMap(BusName.init(validating:)) }.filter { $0.isUnique && $0 != own }
    let processes = others.filter { credential("GetConnectionUnixUser", of: $0) == getuid() }.map { name in
      (name, credential("GetConnectionUnixProcessID", of: name) ?? 0)
    }
    var (levels, open): ([BusName: Result<[Value], CallFailure>], Int) = ([:], 0)
    for (name, _) in processes {
      open += 1
      let message = GeoClueAgent.levelQuestion(to: name)
      connection.call(message, timeout: .milliseconds(Self.patience), expecting: .variant) { result in
        levels[name] = result
        open -= 1
      }.keep()
    }
    turnLoop(until: { open == 0 })
    return processes.compactMap { name, process in
      let program = Processes.program(of: process) ?? "?"
      guard let result = levels[name], program != "geopublicistd" else { return nil }
      switch result {
      case .success(let values):
        let level = values.first?.unwrapped.uint32.map(AccuracyLevel.init(rounding:))
        return level.map { AgentProgram(process: process, program: program, level: $0) }
      case .failure(.lost): return known(process, program, isSilent: true)
      case .failure(.refused(let error)) where error.name == .accessDenied:
        return known(process, program, isSilent: Processes.isStopped(process))
      case .failure(.refused), .failure(.notSent): return nil
      }
    }
  }

  /// Returns an agent that cannot be asked: the policy of a system bus lets only GeoClue and the service ask.
  private func known(_ process: UInt32, _ program: String, isSilent: Bool) -> AgentProgram? {
    let path = Processes.executable(of: process) ?? ""
    let isOwn = program == "geopublicist" && Processes.words(of: process).dropFirst().contains("agent")
    guard isOwn || RivalWatch.isAgent(executable: path) else { return nil }
    let level: AccuracyLevel? =
      if isSilent { nil } else if isOwn { try? LocationSwitch().read() } else {
        // GeoClue's demonstration permits everything.
        path.hasSuffix("/demos/agent") ? .exact : nil
      }
    return AgentProgram(process: process, program: program, level: level, isSilent: isSilent)
  }

  private func credential(_ member: MemberName, of name: BusName) -> UInt32? {
    (try? ask(member, of: .bus, at: .bus, on: .bus, [.string(name.rawValue)]))?.first?.uint32
  }
}
