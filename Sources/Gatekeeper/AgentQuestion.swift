// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistLocationModel

/// One connection that is asked whether it is an agent, and for its level.
final class AgentQuestion {
  /// How long an agent may take on a busy machine.
  private static let patience = CallTimeout.milliseconds(2_000)

  /// What a connection answers.
  enum Answer {
    case level(AccuracyLevel)
    case notAnAgent
    case silence
  }

  private var call: PendingCall?

  /// Asks a connection; the question ends with this object.
  func ask(_ name: BusName, through probes: ProbePool, _ handler: @escaping (Answer) -> Void) {
    let message = try? Message(
      calling: "Get", of: .properties, at: GeoClueNames.agentPath, on: name,
      [.string(GeoClueNames.agent.rawValue), .string("MaxAccuracyLevel")])
    guard let message, let probe = probes.take() else { return handler(.silence) }
    message.startsService = false
    call = probe.connection.call(message, timeout: Self.patience, expecting: .variant, within: .smallAnswer) {
      result in
      if case .failure(let error) = result, error.name == .noReply { return handler(.silence) }
      probe.answered()
      let level = (try? result.get())?.first?.unwrapped.uint32.map(AccuracyLevel.init(rounding:))
      handler(level.map { .level($0) } ?? .notAnAgent)
    }
  }
}
