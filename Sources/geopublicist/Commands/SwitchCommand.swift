// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

final class SwitchCommand: Command {
  static let name = "switch"
  static let summary = "Show or set the location switch, on a desktop that has none"
  static let operands: String? = "[on|off|LEVEL]"

  static func operandWords(after operands: [String]) -> [String] {
    operands.isEmpty ? ["on", "off"] + AccuracyLevel.words : []
  }

  static let examples: Examples = [
    ("switch", "Show the switch, and which agent decides."),
    ("switch city", "Allow this user's programs approximate locations."),
    ("switch off", "Turn location off for all programs of this user."),
  ]

  let invocation: Invocation
  private let location = LocationSwitch()
  private let wanted: AccuracyLevel?
  private var timer: LoopSource?

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    guard invocation.operands.count < 2 else { throw .init("switch takes a single on, off or LEVEL") }
    wanted = try invocation.operands.first.map { word throws(UsageError) in
      guard let level = LocationSwitch.level(word) else {
        throw .init("switch takes on, off, country, city, neighborhood, street or exact, not '\(word)'")
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

  /// Starts the agent, now and at each login, and waits until it runs.
  private func start(_ level: AccuracyLevel) {
    let unit = "geopublicist-agent.service"
    if let problem = Program.run(["systemctl", "--user", "enable", "--now", unit]) {
      invocation.complain(
        "The agent could not be started (\(problem)); let your desktop run `geopublicist agent` at login")
      return show(level)
    }
    var attempts = 0
    timer = MainLoop.main.every(microseconds: 50_000) { [weak self] in
      attempts += 1
      if AgentState.current != .notRunning || attempts >= 60 { self?.show(level) }
    }
  }

  private func show(_ level: AccuracyLevel) {
    timer = nil
    let (word, state) = (LocationSwitch.word(level), AgentState.current)
    let elsewhere = "another agent decides for this user; use its switch: \(Desktop.current.turningOn)"
    var rows = Rows()
    rows.add("Location", word, level == .none ? .doubtful : .good)
    rows.add("Agent", state.rawValue, detail: state == .aside ? elsewhere : state.sentence)
    invocation.show(
      rows.lines(for: invocation.output),
      orJSON: [JSONText.object([("Switch", .string(word)), ("Agent", .string(state.rawValue))])])
    invocation.finish(ExitStatus.success)
  }
}
