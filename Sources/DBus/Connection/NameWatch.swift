// SPDX-License-Identifier: Apache-2.0

/// Watches the owner of a well-known name until released or cancelled.
///
/// ```swift
/// NameWatch("org.freedesktop.GeoClue2", on: connection) { owner in print(owner == nil ? "gone" : "there") }.keep()
/// ```
@MainActor public final class NameWatch {
  /// The watched name.
  public let name: BusName
  /// The unique name of the owner, or nil while there is none or it is not known yet.
  public private(set) var owner: BusName?
  private let onChange: (BusName?) -> Void
  private var match: SignalMatch?
  private var question: PendingCall?
  private weak var connection: Connection?

  /// Calls `onChange` with the current owner, if there is one, and on each change, with nil if there is no owner. Never
  /// starts a service.
  public init(_ name: BusName, on connection: Connection, _ onChange: @escaping (BusName?) -> Void) {
    self.name = name
    self.onChange = onChange
    match = connection.onSignal(.nameOwnerChanged(of: name)) { [weak self] signal in
      guard signal.arguments.count == 3, let new = signal.arguments[2].string else { return }
      self?.question = nil
      self?.update(BusName(validating: new))
    }
    connection.whenRejoined(self) { [weak self] forgetsOwners in
      // Another watch's handler, or this one's, may cancel the watch now.
      if forgetsOwners, self?.connection != nil { self?.update(nil) }
      if let self, let connection = self.connection { ask(on: connection) }
    }
    self.connection = connection
    ask(on: connection)
  }

  isolated deinit { connection?.forgetRejoin(self) }

  private func ask(on connection: Connection) {
    let message = Message(callingBus: "GetNameOwner", [.string(name.rawValue)])
    // The owner at that time is not announced, so the answer is needed, however long the bus hangs.
    question = connection.call(message, timeout: .never, expecting: .string) { [weak self] result in
      switch result {
      case .success(let values): if let owner = values.first?.string { self?.update(BusName(validating: owner)) }
      case .failure(.refused(let error)): if error.name == .nameHasNoOwner { self?.update(nil) }
      // The signal reports the owner, if there is one.
      case .failure(.lost), .failure(.notSent): break
      }
    }
  }

  /// Ends the watch. The handler is not called again.
  public func cancel() {
    connection?.forgetRejoin(self)
    connection = nil
    question?.cancel()
    match?.cancel()
  }

  /// Leaves the watch to the connection until it is cancelled or the connection is closed.
  public func keep() { match?.keep(with: self) }

  private func update(_ new: BusName?) {
    guard new != owner else { return }
    owner = new
    onChange(new)
  }
}
