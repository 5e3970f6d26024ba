// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

final class SwitchCommand: Command {
  static let name = "switch"
  static let summary = tr("Show or set the location switch, on a desktop that has none")
  static let operands: String? = "[on|off|LEVEL]"

  static func operandWords(after operands: [String]) -> [String] {
    operands.isEmpty ? ["on", "off"] + AccuracyLevel.words : []
  }

  static let examples: Examples = [
    ("switch", tr("Show the switch, and which agent decides.")),
    ("switch city", tr("Allow this user's programs approximate locations.")),
    ("switch off", tr("Turn location off for all programs of this user.")),
  ]

  let invocation: Invocation
  private let location = LocationSwitch()
  private let wanted: AccuracyLevel?
  private var timer: LoopSource?

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    guard invocation.operands.count < 2 else { throw .init(tr("switch accepts only one of on, off or LEVEL")) }
    wanted = try invocation.operands.first.map { word throws(UsageError) in
      guard let level = LocationSwitch.level(word) else {
        throw .init(tr("switch requires on, off, country, city, neighborhood, street or exact, not '\(word)'"))
      }
      return level
    }
  }

  func begin() {
    invocation.attempt {
      if let wanted { try location.write(wanted) }
      let level = try location.read()
      if wanted != nil, level != .none, AgentState.current == .notRunning { return start(level) }
      show(level)
    }
  }

  /// Starts the agent, now and at each login, and waits until it runs and has determined its state.
  private func start(_ level: AccuracyLevel) {
    let unit = "geopublicist-agent.service"
    if let problem = Program.run(["systemctl", "--user", "enable", "--now", unit]) {
      invocation.complain(
        tr("The agent could not be started (\(problem)); make your desktop run `geopublicist agent` at login"))
      return show(level)
    }
    var attempts = 0
    timer = MainLoop.main.every(.milliseconds(50)) { [weak self] in
      attempts += 1
      let isReady = ![.notRunning, .waiting].contains(AgentState.current)
      if isReady || attempts >= 60 { self?.show(level) }
    }
  }

  private func show(_ level: AccuracyLevel) {
    timer = nil
    let (word, state) = (LocationSwitch.word(level), AgentState.current)
    let others = state == .registered ? [] : otherAgents()
    var rows = Rows()
    rows.add(tr("Location"), word, level == .none ? .doubtful : .good)
    rows.add(tr("Agent"), state.rawValue, detail: state.sentence)
    for agent in others { rows.add(tr("Other agent"), agent.description) }
    invocation.show(
      rows.lines(for: invocation.output),
      orJSON: [JSONText.object([("Switch", .string(word)), ("Agent", .string(state.rawValue))])])
    guard wanted != nil, let complaint = Self.complaint(about: level, state, others, on: .current) else {
      return invocation.finish(ExitStatus.success)
    }
    invocation.fail(complaint)
  }

  /// The other agents of this user, which GeoClue may follow; none if the bus cannot be asked.
  private func otherAgents() -> [AgentProgram] {
    ((try? BusQuestions(invocation.bus))?.agents() ?? []).filter { !$0.isOwn }
  }

  /// Returns why the switch does not have the wanted effect; nil if it does.
  nonisolated static func complaint(
    about level: AccuracyLevel, _ state: AgentState, _ others: [AgentProgram], on desktop: Desktop
  ) -> String? {
    // GeoClue follows this agent.
    guard state != .registered else { return nil }
    if let other = others.first(where: { $0.level.map { $0 != level } ?? false }), let found = other.level {
      let effect =
        if level == .none { tr("Location is not off") } else { tr("The level is not \(LocationSwitch.word(level))") }
      return tr(
        "\(effect) for programs that use GeoClue: \(other.name) decides, and its level is \(LocationSwitch.word(found)); "
          + "\(other.setting(level, on: desktop))")
    }
    if let other = others.first(where: { $0.level == nil }) {
      return tr(
        "\(other.name) decides for programs that use GeoClue, and its level is unknown; change its setting too: "
          + "\(desktop.settingLocation(level != .none))")
    }
    guard others.isEmpty else { return nil }
    switch state {
    case .aside:
      return tr(
        "Another agent decides for programs that use GeoClue; change its setting too: "
          + "\(desktop.settingLocation(level != .none))")
    case .refused, .notRunning: return level == .none ? nil : tr("Location stays off: \(state.sentence)")
    case .registered, .waiting: return nil
    }
  }
}
