// SPDX-License-Identifier: Apache-2.0
@_exported import DBus
import MainLoop

extension Connection {
  /// Calls a method and returns the arguments of the reply.
  ///
  /// Waits for at most 25 s unless another `timeout` is given. Throws what
  /// ``Connection/call(_:timeout:expecting:within:_:)`` reports. If the task is cancelled, the reply is ignored, and the
  /// error is ``ErrorName/cancelled``: `notSent` if the task was cancelled before the call, otherwise `lost`.
  public func call(
    _ message: Message, timeout: CallTimeout = .standard, expecting signature: Signature? = nil,
    within budget: ReadBudget = .reply
  ) async throws(CallFailure) -> [Value] {
    guard !Task.isCancelled else { throw .notSent(.cancelled) }
    let request = AsyncCall()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        request.continuation = continuation
        request.pending = call(message, timeout: timeout, expecting: signature, within: budget) { request.finish($0) }
      }
    } onCancel: {
      Task { @MainActor in request.finish(.failure(.lost(.cancelled))) }
    }
    return try result.get()
  }
}

/// A call and the task that waits for its reply.
private final class AsyncCall {
  var pending: PendingCall?
  var continuation: CheckedContinuation<Result<[Value], CallFailure>, Never>?

  /// Resumes the task. Only the first call has an effect.
  func finish(_ result: Result<[Value], CallFailure>) {
    let waiting = continuation
    continuation = nil
    pending = nil
    waiting?.resume(returning: result)
  }
}
