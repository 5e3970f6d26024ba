// SPDX-License-Identifier: Apache-2.0
import MainLoop
@_exported import Publicist

extension LocationPublicist {
  /// Returns future locations as an asynchronous sequence.
  ///
  /// A loop slower than the source receives the newest `count` locations. The subscription ends when the iteration
  /// ends or its task is cancelled. Start and stop updates on the ``manager``.
  public func locations(bufferingNewest count: Int) -> some AsyncSequence<Location, Never> {
    locationPublisher()
      .flatMap { $0.publisher }
      .buffer(size: count, prefetch: .byRequest, whenFull: .dropOldest)
      .values
  }
}

extension LocationManager {
  /// Requests one location and returns it.
  ///
  /// Throws the first `LocationError` that the source reports, one with the code `denied` if access is refused, one
  /// with `unavailable` or `locationUnknown` after the timeout, or a `CancellationError` if the task is cancelled. The
  /// source is released afterwards unless updates are running.
  public func currentLocation(timeout: Duration = .seconds(30)) async throws -> Location {
    try Task.checkCancellation()
    if let refusal { throw refusal }
    let expiry = PassthroughSubject<Result<Location, LocationError>, Never>()
    // Subscribe before the request, because the answer may arrive immediately; `first()` stores it.
    var answers = events.compactMap(Result.init(answer:)).merge(with: expiry).first().values.makeAsyncIterator()
    beginRequest(timeout: timeout)
    defer { endRequest() }
    // Not a timer of the loop, so that a request also ends in a test, where libdispatch runs the main actor.
    let timer = Task {
      try await Task.sleep(for: timeout)
      expiry.send(.failure(failure(after: timeout)))
    }
    defer { timer.cancel() }
    if let answer = await answers.next() { return try answer.get() }
    throw CancellationError()
  }
}

extension Result where Success == Location, Failure == LocationError {
  /// Creates the answer to a request from an event of the source, or nil if the event is not an answer.
  fileprivate init?(answer event: LocationSourceEvent) {
    switch event {
    case .location(let location): self = .success(location)
    case .failure(let error): self = .failure(error)
    case .authorization(let authorization) where [.denied, .restricted].contains(authorization.status):
      self = .failure(LocationError(.denied, authorization.sentence))
    case .authorization, .status: return nil
    }
  }
}
