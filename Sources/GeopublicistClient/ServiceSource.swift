// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import MainLoop

/// The location service as a source of locations, for the same manager and publishers as with GeoClue. The service
/// deals with GeoClue and decides about access.
///
/// ```swift
/// let manager = LocationManager(source: ServiceSource(on: .system))
/// manager.distanceFilter = 50
/// manager.startUpdatingLocation()
/// ```
///
/// The filters run in the service. Updates continue after restarts of the service, GeoClue or the bus, and no
/// location is delivered twice. Without a service the state is `unavailable` immediately, until one is installed or
/// started.
@MainActor public final class ServiceSource: FilteringLocationSource {
  public var onEvent: ((LocationSourceEvent) -> Void)?

  private let bus: Connection.Bus?
  let desktopID: String
  private var service: ServiceConnection?
  private var subscription: ServiceSubscription?
  private var properties: PropertyWatch?
  private var status = SourceStatus()
  var options: ClientOptions?
  private var request: Request?
  private var requests: UInt64 = 0
  var regions: [WeakRegion] = []
  /// Whether the user may be asked by a request for authorization that has not been sent.
  private var question: Bool?
  private var retry: LoopSource?
  private var failures = 0

  private struct Request {
    let id: UInt64
    let options: ClientOptions
    let deadline: MonotonicInstant
    var wasInterrupted = false
    let handler: (Result<Location, LocationError>) -> Void
  }

  struct WeakRegion { weak var region: SourceRegion? }

  /// Uses the service on a bus. The connection is opened when it is first needed, and again after a restart of the
  /// bus.
  ///
  /// - Parameters:
  ///   - bus: The system bus, or the session bus of a user who runs the service there.
  ///   - desktopID: The name of the program's .desktop file without the extension, by which rules know it.
  public init(on bus: Connection.Bus, desktopID: String = "") {
    self.bus = bus
    self.desktopID = desktopID
  }

  /// Uses the service on an open connection.
  public init(on connection: Connection, desktopID: String = "") {
    bus = nil
    self.desktopID = desktopID
    service = ServiceConnection(on: connection)
  }

  public func require(_ level: AccuracyLevel?) {
    follow(
      level.map { level in
        var options = ClientOptions()
        options.accuracy = level
        return options
      })
  }

  public func follow(_ options: ClientOptions?) {
    self.options = options
    self.options?.desktopID = desktopID
    guard let options = self.options else {
      (subscription, properties) = (nil, nil)
      if request == nil, question == nil, !areRegionsWanted { retry = nil }
      return tell(SourceStatus())
    }
    if let subscription {
      subscription.change(to: options)
    } else if let service = connected() {
      subscribe(to: service, options)
    }
  }

  private func subscribe(to service: ServiceConnection, _ options: ClientOptions) {
    if let subscription {
      subscription.move(to: service)
    } else {
      subscription = ServiceSubscription(on: service, options) { [weak self] event in self?.handle(event) }
    }
    properties = service.onProperties { [weak self] values in self?.update(values) }
  }

  private func handle(_ event: ServiceSubscription.Event) {
    switch event {
    case .update(let update): onEvent?(.location(update.location))
    case .authorization(let authorization): onEvent?(.authorization(authorization))
    case .failure(let error): onEvent?(.failure(LocationError(error)))
    case .failed(let error, _): failed(error)
    // The authorization reports a refusal; an interruption that lasts becomes a failure.
    case .refused, .interrupted, .resumed: break
    case .closed: onEvent?(.failure(LocationError(.unavailable, "The service has ended the subscription")))
    }
  }

  public func requestAuthorization(isInteractive: Bool) {
    question = isInteractive
    if !connectsSoon() { ask() }
  }

  private func ask() {
    guard let isInteractive = question else { return }
    question = nil
    guard let service = connected() else { return }
    var asked = ClientOptions()
    (asked.accuracy, asked.desktopID) = (options?.accuracy ?? .exact, desktopID)
    service.requestAuthorization(asked, isInteractive: isInteractive) { [weak self] result in
      switch result {
      case .success(let answer):
        let authorization = Authorization(status: answer.status, reason: answer.reason, asked: asked.accuracy)
        // A subscription reports the authorization itself, with the level.
        if let self, options == nil, let authorization { onEvent?(.authorization(authorization)) }
      case .failure(let failure): self?.failed(failure.error)
      }
    }
  }

}

/// One location.
extension ServiceSource {
  public func requestLocation(
    _ options: ClientOptions, _ handler: @escaping (Result<Location, LocationError>) -> Void
  ) {
    var options = options
    options.desktopID = desktopID
    requests &+= 1
    let deadline = MainLoop.main.clock.monotonic() + options.timeout
    request = Request(id: requests, options: options, deadline: deadline, handler: handler)
    if !connectsSoon() { callAgain() }
  }

  public func cancelRequest() {
    request = nil
    stopCallingAgain()
  }

  private func stopCallingAgain() { if service != nil { retry = nil } }

  private func callAgain() {
    stopCallingAgain()
    guard let request else { return }
    guard let service = connected() else {
      guard MainLoop.main.clock.monotonic() >= request.deadline else { return }
      self.request = nil
      return request.handler(.failure(LocationError(.unavailable, "The message bus is not available")))
    }
    var options = request.options
    options.timeout = max(.seconds(1), request.deadline - MainLoop.main.clock.monotonic())
    service.location(options) { [weak self] result in
      guard let self, self.request?.id == request.id else { return }
      let isInTime = MainLoop.main.clock.monotonic() < request.deadline
      if case .failure(let failure) = result, isInTime, Self.isRestart(failure, of: request) {
        // The service has restarted, or has just exited and is started by the next call.
        self.request?.wasInterrupted = true
        // Without a connection, the next one repeats the call.
        guard self.service != nil else { return }
        retry = MainLoop.main.after(.milliseconds(500)) { [weak self] in
          guard let self else { return }
          if self.service == nil { connectAgain() } else { callAgain() }
        }
        return
      }
      self.request = nil
      switch result {
      case .success: returned()
      case .failure(let failure): missed(failure.error)
      }
      request.handler(result.map(\.location).mapError { LocationError($0.error) })
    }
  }

  /// Whether the service may answer the same call soon. A service that is unknown from the beginning is not
  /// installed.
  private static func isRestart(_ failure: CallFailure, of request: Request) -> Bool {
    switch failure {
    case .lost, .notSent: true
    case .refused(let error): error.name == .serviceUnknown && request.wasInterrupted
    }
  }
}

/// The state of the service's own source.
extension ServiceSource {
  private func update(_ values: [String: Value]) {
    var status = status
    status.update(values)
    status = status.explained(by: "")
    guard status != self.status.explained(by: "") else { return }
    tell(status)
    guard values["StateReason"]?.string?.isEmpty == false else { return }
    service?.get(Location1Interface.stateMessage) { [weak self] result in
      guard let self, options != nil, let message = try? result.get(), status == self.status else { return }
      tell(status.explained(by: message))
    }
  }

  func failed(_ error: DBusError) {
    missed(error)
    onEvent?(.failure(LocationError(error)))
  }

  /// Makes the source unavailable if the bus does not know the service: it is neither installed nor running.
  private func missed(_ error: DBusError) {
    guard error.name == .serviceUnknown else { return }
    tell(SourceStatus(state: .unavailable).explained(by: LocationError(error).message))
  }

  /// Resets the state after the service has answered. With a subscription, its properties are followed instead.
  func returned() { if options == nil { tell(SourceStatus()) } }

  private func tell(_ new: SourceStatus) {
    guard new != status else { return }
    status = new
    onEvent?(.status(new))
  }
}

/// The connection to the bus.
extension ServiceSource {
  /// Returns the service if its bus is available; otherwise connects again later.
  func connected() -> ServiceConnection? {
    if let service { return service }
    guard let bus, retry == nil else { return nil }
    do throws(DBusError) {
      let service = try ServiceConnection(to: bus)
      service.connection.onDisconnected = { [weak self] in self?.disconnected() }
      (self.service, failures) = (service, 0)
      returned()
      return service
    } catch {
      let isFirst = failures == 0
      connectLater()
      lost(LocationError(error), isNew: isFirst)
      return nil
    }
  }

  private func disconnected() {
    (service, properties) = (nil, nil)
    subscription?.disconnected()
    for region in regions { region.region?.disconnected() }
    guard options != nil || request != nil || question != nil || areRegionsWanted else { return }
    connectLater()
    lost(LocationError(.unavailable, "Lost the connection to the message bus"), isNew: true)
  }

  private func lost(_ error: LocationError, isNew: Bool) {
    tell(SourceStatus(state: .unavailable).explained(by: error.message))
    if isNew { onEvent?(.failure(error)) }
  }

  private func connectLater() {
    let left = request.map { max(.milliseconds(1), $0.deadline - MainLoop.main.clock.monotonic()) } ?? .seconds(30)
    let pause = min(left, .seconds(30), Duration.milliseconds(500 << min(failures, 6)))
    failures += 1
    retry = MainLoop.main.after(pause) { [weak self] in self?.connectAgain() }
  }

  /// A new call does not wait for the next attempt to connect, which may be 30 s away, and reports its failure: not at
  /// once, because it may be made wherever the last failure is reported. Returns false if there is no such attempt.
  private func connectsSoon() -> Bool {
    guard service == nil, retry != nil else { return false }
    failures = 0
    retry = MainLoop.main.after(.milliseconds(100)) { [weak self] in self?.connectAgain() }
    return true
  }

  private func connectAgain() {
    retry = nil
    if let options, let service = connected() { subscribe(to: service, options) }
    callAgain()
    ask()
    guard areRegionsWanted, let service = connected() else { return }
    for region in regions { region.region?.begin(on: service) }
  }
}
