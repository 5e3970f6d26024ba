// SPDX-License-Identifier: Apache-2.0
import MainLoop
@_exported import Publicist

extension LocationPublicist {
  /// Returns the locations from now on as an asynchronous sequence.
  ///
  /// A loop that is slower than the source gets the newest `count` locations that came meanwhile. The subscription ends
  /// with the loop, or when its task is cancelled. Start and stop the updates at the ``manager``.
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
  /// Throws the `LocationError` that the source reports first, one with the code `denied` when access is refused or
  /// `locationUnknown` after the timeout, or a `CancellationError` when the task is cancelled. The source is released
  /// again unless updates are running.
  public func currentLocation(timeout: Duration = .seconds(30)) async throws -> Location {
    try Task.checkCancellation()
    // The subscription precedes the request, whose answer may come at once; `first()` keeps it.
    var answers = events.compactMap(Result.init(answer:)).first()
      .timeout(.init(timeout), scheduler: MainLoop.main)
      .values.makeAsyncIterator()
    beginRequest()
    let answer = await answers.next()
    endRequest()
    if let answer { return try answer.get() }
    try Task.checkCancellation()
    throw LocationError(.locationUnknown, "No location came within \(timeout)")
  }
}

extension Result where Success == Location, Failure == LocationError {
  /// The answer to a request in an event of the source, if it is one.
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

extension MainLoop.SchedulerTimeType.Stride {
  fileprivate init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else {
      self.init(microseconds: seconds < 0 ? .min : .max)
      return
    }
    self.init(microseconds: whole.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue)
  }
}
