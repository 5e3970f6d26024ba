// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

final class AgentCommand: Command {
  static let name = "agent"
  static let summary = tr("Run the location agent of this user, on a desktop that has none")

  static let examples: Examples = [
    ("switch on", tr("Turn location on and start the agent, now and at each login.")),
    ("agent", tr("Run the agent until Ctrl-C, for a desktop without systemd's user units.")),
  ]

  let invocation: Invocation
  private let location = LocationSwitch()
  private var agent: UserAgent?
  private var file: AgentStatusFile?
  private var watch: FolderWatch?
  private var reported = ""

  init(_ invocation: Invocation) throws(UsageError) { self.invocation = invocation }

  func begin() {
    do throws(AgentStatusFile.Failure) {
      file = try AgentStatusFile()
    } catch { return invocation.fail(error.message) }
    do throws(DBusError) {
      agent = try UserAgent(on: invocation.bus, level: readSwitch()) { [invocation] in
        invocation.fail(tr("Lost the connection to the message bus"), ExitStatus.unavailable)
      }
    } catch { return invocation.fail(error) }
    agent?.onChange = { [weak self] _ in self?.report() }
    watch = FolderWatch([UserFile.folder]) { [weak self] in self?.switched() }
    report()
  }

  /// Ends with success, since systemd stops the user unit by a signal.
  func interrupted() { invocation.finish(ExitStatus.success) }

  private func switched() {
    let level = readSwitch()
    guard level != agent?.level else { return }
    agent?.level = level
    report()
  }

  /// Reads the switch; a file that cannot be read allows nothing.
  private func readSwitch() -> AccuracyLevel {
    do throws(KeyFile.FileError) {
      return try location.read()
    } catch {
      invocation.complain(error.description)
      return .none
    }
  }

  private func report() {
    guard let agent else { return }
    let state = AgentState(agent.phase)
    file?.write(state.rawValue)
    let word = LocationSwitch.word(agent.level)
    let line = "\(word): \(state.sentence)"
    guard line != reported else { return }
    reported = line
    invocation.show(
      [line], orJSON: [JSONText.object([("Switch", .string(word)), ("Agent", .string(state.rawValue))])])
  }
}
