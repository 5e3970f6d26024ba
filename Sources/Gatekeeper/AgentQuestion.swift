import DBus
import GeopublicistLocationModel

/// One connection that is asked whether it is an agent.
final class AgentQuestion {
  static let path: ObjectPath = "/org/freedesktop/GeoClue2/Agent"
  static let interface: InterfaceName = "org.freedesktop.GeoClue2.Agent"
  static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
  /// Who is silent for so long is no agent; on a machine that is busy, one takes its time.
  private static let patience = CallTimeout.milliseconds(2_000)

  let name: BusName
  private let handler: (AccuracyLevel?) -> Void
  private var call: PendingCall?

  init(_ name: BusName, _ handler: @escaping (AccuracyLevel?) -> Void) {
    self.name = name
    self.handler = handler
  }

  func send(through probes: ProbePool) {
    let message = try? Message(
      calling: "Get", of: Self.properties, at: Self.path, on: name,
      [.string(Self.interface.rawValue), .string("MaxAccuracyLevel")])
    guard let message, let probe = probes.take() else { return handler(nil) }
    message.startsService = false
    call = probe.connection.call(message, timeout: Self.patience, expecting: .variant) { [handler] result in
      if case .failure(let error) = result, error.name == .noReply {} else { probe.answered() }
      handler((try? result.get())?.first?.unwrapped.uint32.map(AccuracyLevel.init(rounding:)))
    }
  }
}
