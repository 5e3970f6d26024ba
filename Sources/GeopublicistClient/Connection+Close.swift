// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

extension Connection {
  /// Closes an object at the service, and repeats the call if a limit refuses it. Otherwise the object would use the
  /// location until this connection ends.
  func closeObject(_ path: ObjectPath, of interface: InterfaceName) {
    let message = Message(calling: SubscriptionInterface.close, of: interface, at: path, on: ServiceContract.service)
    // A service that is not running has no objects.
    message.startsService = false
    // A timeout would hide a refusal that arrives late.
    call(message, timeout: .never) { [weak self] result in
      guard case .failure(let failure) = result, failure.isLimited else { return }
      // Many objects may be refused together.
      let pause = CallFailure.pauseAfterLimit * Double.random(in: 1...2)
      MainLoop.main.after(pause) { [weak self] in self?.closeObject(path, of: interface) }.keep()
    }.keep()
  }
}

nonisolated extension CallFailure {
  /// The shortest pause before a repetition, after which the service usually accepts the user's calls again.
  static let pauseAfterLimit = Duration.seconds(5)

  /// Whether a limit of the service, the bus or the connection is the reason.
  var isLimited: Bool {
    switch self {
    case .refused(let error): error.name == .serviceLimitsExceeded
    case .notSent(let error): error.name == .limitsExceeded || error.name == .noMemory
    case .lost: false
    }
  }
}
