// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

extension Connection {
  /// Closes an object at the service, and repeats the call if a limit refuses it, or if the service may have lost its
  /// connection and returns with its objects. Otherwise the object would use the location until this connection ends.
  ///
  /// - Parameter attempts: How often to repeat the call while the name has no owner.
  func closeObject(_ path: ObjectPath, of interface: InterfaceName, attempts: Int = 3) {
    let message = Message(calling: SubscriptionInterface.close, of: interface, at: path, on: ServiceContract.service)
    // A new service has no objects.
    message.startsService = false
    // A timeout would hide a refusal that arrives late.
    call(message, timeout: .never) { [weak self] result in
      guard case .failure(let failure) = result else { return }
      guard failure.isLimited || failure.isWithoutService && attempts > 0 else { return }
      let left = failure.isLimited ? attempts : attempts - 1
      // Many objects may be refused together.
      let pause = CallFailure.pauseAfterLimit * Double.random(in: 1...2)
      MainLoop.main.after(pause) { [weak self] in self?.closeObject(path, of: interface, attempts: left) }.keep()
    }.keep()
  }
}

nonisolated extension CallFailure {
  /// The shortest pause before a repetition, after which the service usually accepts the user's calls again.
  static let pauseAfterLimit = Duration.seconds(5)

  /// Whether no program owns the service's name.
  var isWithoutService: Bool {
    if case .refused(let error) = self { error.isAbsence } else { false }
  }

  /// Whether a limit of the service, the bus or the connection is the reason.
  var isLimited: Bool {
    switch self {
    case .refused(let error): error.name == .serviceLimitsExceeded
    case .notSent(let error): error.name == .limitsExceeded || error.name == .noMemory
    case .lost: false
    }
  }
}
