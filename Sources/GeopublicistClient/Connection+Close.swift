// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

extension Connection {
  /// The pause before another attempt, in which the service allows a user hundreds of calls again.
  private static let pauseBeforeClosing = Duration.seconds(5)

  /// Closes an object at the service. If the service refuses the call because the user makes too many, closes it later:
  /// the object would use the location until this connection ends.
  func close(_ path: ObjectPath, _ interface: InterfaceName) {
    let message = Message(calling: SubscriptionInterface.close, of: interface, at: path, on: ServiceContract.service)
    // A service that is not running has no objects.
    message.startsService = false
    // On a bus that hangs, the answer may come late.
    call(message, timeout: .never) { [weak self] result in
      guard case .failure(let failure) = result,
        [.serviceLimitsExceeded, .limitsExceeded].contains(failure.error.name)
      else { return }
      MainLoop.main.after(Self.pauseBeforeClosing) { [weak self] in self?.close(path, interface) }.keep()
    }.keep()
  }
}
