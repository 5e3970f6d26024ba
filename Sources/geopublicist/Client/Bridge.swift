// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// The bridge as its clients see it: a connection to its bus, calls, and its comings and goings.
final class Bridge {
  let connection: Connection
  /// The bridge has come (true) or gone (false); what was there when this connection was opened is told as well.
  var onPresence: ((Bool) -> Void)?

  private var watch: NameWatch?

  init(on bus: Connection.Bus) throws(DBusError) {
    do throws(DBusError) {
      connection = try Connection(to: bus)
    } catch  where error.name == .badAddress || error.name == .accessDenied {
      throw error
    } catch {
      // libdbus has many names for a bus that is not there: no address, no file, no X11 to look it up, …
      throw DBusError(.noServer, error.message)
    }
    connection.onDisconnected = { [weak self] in self?.onPresence?(false) }
    watch = NameWatch(Contract.service, on: connection) { [weak self] owner in self?.onPresence?(owner != nil) }
  }

  /// Whose signals count.
  var owner: BusName? { watch?.owner }

  /// Calls a method of the bridge; the bus starts it if it can, and says after 25 s that it cannot.
  func call(
    _ member: MemberName, of interface: InterfaceName = Contract.manager, at path: ObjectPath = Contract.path,
    _ arguments: [Value] = [], timeout: CallTimeout = .milliseconds(30_000), interactive: Bool = false,
    expecting signature: Signature? = nil, _ handler: @escaping (Result<[Value], DBusError>) -> Void
  ) {
    do throws(DBusError) {
      let message = try Message(calling: member, of: interface, at: path, on: Contract.service, arguments)
      message.allowsInteractiveAuthorization = interactive
      connection.call(message, timeout: timeout, expecting: signature, handler).keep()
    } catch {
      handler(.failure(error))
    }
  }

  /// All properties of the bridge.
  func readProperties(_ handler: @escaping (Result<Value, DBusError>) -> Void) {
    call(
      "GetAll", of: .properties, [.string(Contract.manager.rawValue)], expecting: .variantDictionary
    ) { result in handler(result.map { $0.first ?? .options([]) }) }
  }

  /// Follows a signal of the bridge, and of nobody else.
  func onSignal(
    of interface: InterfaceName, at path: ObjectPath, _ handler: @escaping (Signal) -> Void
  ) -> SignalMatch {
    connection.onSignal(MatchRule(sender: Contract.service, path: path, interface: interface)) { [weak self] signal in
      if signal.sender == self?.owner { handler(signal) }
    }
  }
}
