// SPDX-License-Identifier: Apache-2.0
@_exported import DBus
import MainLoop

extension Connection {
  /// Calls a method and returns the arguments of the reply.
  ///
  /// Waits for at most 25 s unless another `timeout` is given. Throws what
  /// ``Connection/call(_:timeout:expecting:within:_:)`` reports. If the task is cancelled, the reply is ignored, and the
  /// error is ``ErrorName/cancelled``: `notSent` if the task was cancelled before the call, otherwise `lost`. If this side
  /// closes the connection, the error is ``ErrorName/disconnected``.
  public func call(
    _ message: Message, timeout: CallTimeout = .standard, expecting signature: Signature? = nil,
    within budget: ReadBudget = .reply
  ) async throws(CallFailure) -> [Value] {
    guard !Task.isCancelled else { throw .notSent(.cancelled) }
    let request = AwaitedCall()
    request.pending = call(
      message, timeout: timeout, expecting: signature, within: budget, ReplyHandler(of: request).finish)
    let result = await withTaskCancellationHandler {
      await request.result()
    } onCancel: {
      Task { @MainActor in request.finish(.failure(.lost(.cancelled))) }
    }
    return try result.get()
  }
}

/// Fails the call if it is released without a result, because this side has closed the connection.
private final class ReplyHandler {
  private let request: AwaitedCall

  init(of request: AwaitedCall) { self.request = request }

  func finish(_ result: Result<[Value], CallFailure>) { request.finish(result) }

  isolated deinit {
    request.finish(.failure(.lost(DBusError(.disconnected, "The connection was closed by this program"))))
  }
}

/// A call and the task that waits for its reply.
///
/// The actor is its own executor: the task that waits for ``result()`` waits as its job, which goes to the main actor once
/// there is a result. A continuation would resume the task on the thread pool first, which costs two changes of threads.
private actor AwaitedCall: SerialExecutor {
  @MainActor var pending: PendingCall?
  @MainActor private var outcome: Result<[Value], CallFailure>?
  @MainActor private var waiting: UnownedJob?

  nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

  func result() -> Result<[Value], CallFailure> {
    MainActor.assumeIsolated { outcome } ?? .failure(.lost(.cancelled))
  }

  nonisolated func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    MainActor.assumeIsolated {
      if outcome == nil { waiting = job } else { MainActor.shared.enqueue(job) }
    }
  }

  /// Resumes the task. Only the first call has an effect.
  @MainActor func finish(_ result: Result<[Value], CallFailure>) {
    guard outcome == nil else { return }
    outcome = result
    pending = nil
    if let waiting { MainActor.shared.enqueue(waiting) }
  }
}
