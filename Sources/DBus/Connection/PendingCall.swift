import CDBus

/// A call whose reply has not come; letting go of it, or ``cancel()``, means that the reply is not wanted any more.
@MainActor public final class PendingCall {
  private var pending: OpaquePointer?

  fileprivate init(_ pending: OpaquePointer) { self.pending = pending }

  isolated deinit { cancel() }

  /// Gives the reply up; the handler is not called. After the reply it does nothing.
  public func cancel() {
    guard let pending else { return }
    self.pending = nil
    dbus_pending_call_cancel(pending)
    dbus_pending_call_unref(pending)
  }

  fileprivate final class Handler {
    var body: ((Result<[Value], DBusError>) -> Void)?
    let signature: Signature?
    weak var call: PendingCall?

    init(_ signature: Signature?, _ body: @escaping (Result<[Value], DBusError>) -> Void) {
      self.signature = signature
      self.body = body
    }

    func complete(_ pending: OpaquePointer) {
      guard let body, let raw = dbus_pending_call_steal_reply(pending) else { return }
      self.body = nil
      let result = result(of: Message(owning: raw))
      call?.cancel()
      body(result)
    }

    private func result(of reply: Message) -> Result<[Value], DBusError> {
      if let error = reply.error { return .failure(error) }
      if let signature, reply.signature != signature.rawValue {
        return .failure(DBusError(.invalidArgs, "The reply has the signature '\(reply.signature)', not '\(signature)'"))
      }
      return Result { () throws(DBusError) in try reply.arguments() }
    }
  }
}

/// How long to wait for a reply.
nonisolated public enum CallTimeout: Hashable, Sendable {
  case milliseconds(Int32)
  case never

  fileprivate var rawValue: Int32 {
    switch self {
    case .milliseconds(let count): max(1, count)
    case .never: DBUS_TIMEOUT_INFINITE
    }
  }
}

extension Connection {
  /// Calls a method; the handler hears once, later, what came of it.
  ///
  /// Fails with `NoReply` after the timeout, with `Disconnected` when the bus has gone, with `InvalidArgs` when the
  /// reply has another signature than `expecting`, and with whatever error the other side sends.
  public func call(
    _ message: Message, timeout: CallTimeout = .milliseconds(5_000), expecting signature: Signature? = nil,
    _ handler: @escaping (Result<[Value], DBusError>) -> Void
  ) -> PendingCall? {
    var pending: OpaquePointer?
    guard dbus_connection_send_with_reply(raw, message.raw, &pending, timeout.rawValue) != 0 else {
      fatalError("out of memory")
    }
    guard let pending else {
      handler(.failure(DBusError(.disconnected, "The connection to the bus is closed")))
      return nil
    }
    let call = PendingCall(pending)
    let box = PendingCall.Handler(signature, handler)
    box.call = call
    let set = dbus_pending_call_set_notify(
      pending,
      { pending, data in
        guard let pending, let data else { return }
        Unmanaged<PendingCall.Handler>.fromOpaque(data).takeUnretainedValue().complete(pending)
      },
      Unmanaged.passRetained(box).toOpaque(),
      { data in
        if let data { Unmanaged<PendingCall.Handler>.fromOpaque(data).release() }
      })
    guard set != 0 else { fatalError("out of memory") }
    return call
  }
}
