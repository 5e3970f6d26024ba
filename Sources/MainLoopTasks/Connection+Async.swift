// SPDX-License-Identifier: Apache-2.0
@_exported import DBus
import MainLoop

extension Connection {
  /// Calls a method and returns the arguments of the reply.
  ///
  /// Waits for at most 25 s unless another `timeout` is given, like ``Connection/call(_:timeout:expecting:within:_:)``.
  /// Throws the `CallFailure` that a call with a handler would report, or a `CancellationError` if the task is
  /// cancelled, in which case the reply is ignored.
  public func call(
    _ message: Message, timeout: CallTimeout = .standard, expecting signature: Signature? = nil
  ) async throws -> [Value] {
    let request = AsyncCall()
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await withCheckedThrowingContinuation { continuation in
        request.continuation = continuation
        request.pending = call(message, timeout: timeout, expecting: signature) { request.finish($0.mapError { $0 }) }
      }
    } onCancel: {
      Task { @MainActor in request.finish(.failure(CancellationError())) }
    }
  }
}

/// A call and the task that waits for its reply.
private final class AsyncCall {
  var pending: PendingCall?
  var continuation: CheckedContinuation<[Value], any Error>?

  /// Resumes the task. Only the first call has an effect.
  func finish(_ result: Result<[Value], any Error>) {
    let waiting = continuation
    continuation = nil
    pending = nil
    waiting?.resume(with: result)
  }
}
