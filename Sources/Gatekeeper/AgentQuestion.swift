// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistLocationModel

/// Asks one connection whether it is a GeoClue agent and which level it allows.
final class AgentQuestion {
  /// Long enough for an agent on a busy machine.
  private static let patience = CallTimeout.milliseconds(2_000)

  enum Answer {
    case level(AccuracyLevel)
    case notAnAgent
    case silence
  }

  private var call: PendingCall?

  /// Asks a connection. Releasing this object cancels the question, and the handler is not called.
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
