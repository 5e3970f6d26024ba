// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

extension Connection {
  /// The result of a ping.
  nonisolated public enum PingResult: Sendable {
    /// The peer answered, possibly with an error. It therefore reads what it is sent.
    case answered
    /// The bus policy does not allow the ping.
    case refused
    /// The peer has left the bus, or the connection is lost.
    case lost
  }

  /// Pings a peer without a timeout. Every D-Bus library answers pings for its program.
  ///
  /// The call has a random serial number, which a peer that does not read cannot guess.
  public func ping(_ peer: BusName, _ handler: @escaping (PingResult) -> Void) -> PendingCall {
    let message = Message(calling: "Ping", of: .peer, at: .root, on: peer)
    message.startsService = false
    dbus_message_set_serial(message.raw, .random(in: 1 << 31 ... .max))
    return replies.add(message, to: peer, timeout: .never, expecting: nil, within: .smallAnswer) {
      [weak replies] result in
      switch result {
      case .success: handler(.answered)
      case .failure(.refused) where replies?.lastSender == peer: handler(.answered)
      case .failure(.refused(let error)): handler(error.name == .accessDenied ? .refused : .lost)
      case .failure(.lost), .failure(.notSent): handler(.lost)
      }
    }
  }
}
