// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import MainLoop

/// A subscription at the service that outlives the service: after a restart it subscribes again. Letting go of it, or
/// ``cancel()``, ends it.
///
/// ```swift
/// let service = try ServiceConnection(to: .system)
/// var options = ClientOptions()
/// options.distanceThreshold = 50
/// let subscription = ServiceSubscription(on: service, options) { event in
///   if case .location(let update) = event { print(update.location.latitude, update.location.longitude) }
/// }
/// ```
@MainActor public final class ServiceSubscription {
  /// What happens to a subscription.
  nonisolated public enum Event: Sendable {
    /// A location.
    case location(ServiceLocation)
    /// What the program may have, at the beginning and when it changes.
    case authorization(Authorization)
    /// The service reports a failure; updates may continue.
    case failure(DBusError)
    /// The service refuses to start the updates; they begin when that changes.
    case refused(DBusError)
    /// The service cannot be called; unless that is final, it is called again from time to time.
    case failed(DBusError, isFinal: Bool)
    /// The service has gone; it is subscribed to again.
    case interrupted
    /// Updates continue after an interruption.
    case resumed
    /// The service has ended the subscription, usually with the reason `completed`.
    case closed(String)
  }

  private let service: ServiceConnection
  private var machine: ResubscriptionMachine
  private var onEvent: ((Event) -> Void)?
  private var signals: SignalMatch?
  private var watch: NameWatch?
  private var timer: (time: UInt64, source: LoopSource)?
  private var queue: [ResubscriptionMachine.Event] = []
  private var isHandling = false

  /// Subscribes with these options.
  ///
  /// - Parameters:
  ///   - service: The connection that owns the subscription.
  ///   - options: Level, filters and limits.
  ///   - starts: Whether to receive updates; if not, only changes of the authorization are reported, and the location is
  ///     not used.
  ///   - onEvent: Called with everything that happens, across restarts of the service.
  public init(
    on service: ServiceConnection, _ options: ClientOptions, starts: Bool = true,
    _ onEvent: @escaping (Event) -> Void
  ) {
    self.service = service
    self.onEvent = onEvent
    machine = ResubscriptionMachine(starts: starts)
    // Before the first call, so that it is known whose answer it is.
    watch = NameWatch(ServiceContract.service, on: service.connection) { [weak self] owner in
      self?.handle(.ownerChanged(owner))
    }
    handle(.want(options))
  }

  isolated deinit { cancel() }

  /// Changes the options while the subscription exists.
  public func change(to options: ClientOptions) { if onEvent != nil { handle(.want(options)) } }

  /// Ends it; the handler is not called any more.
  public func cancel() {
    guard onEvent != nil else { return }
    onEvent = nil
    handle(.want(nil))
    (signals, watch, timer) = (nil, nil, nil)
  }

  private var now: UInt64 { UInt64(max(0, MainLoop.main.clock.monotonic())) }

  private func handle(_ event: ResubscriptionMachine.Event) {
    queue.append(event)
    guard !isHandling else { return }
    isHandling = true
    defer { isHandling = false }
    while !queue.isEmpty {
      let event = queue.removeFirst()
      for action in machine.handle(event, at: now, chance: .random(in: 0...1)) { perform(action) }
    }
    setTimer()
  }

  private func setTimer() {
    guard let time = machine.deadline else {
      timer = nil
      return
    }
    guard timer?.time != time else { return }
    let source = MainLoop.main.at(monotonic: Int64(clamping: time)) { [weak self] in
      self?.timer = nil
      self?.handle(.timer)
    }
    timer = (time, source)
  }

  private func perform(_ action: ResubscriptionMachine.Action) {
    switch action {
    case .create(let options, let attempt):
      signals = nil
      service.manager.call("CreateSubscription", options.value(ClientOption.ofSubscription), expecting: "o") {
        [weak self, service] result in
        switch result {
        case .success(let values):
          guard let path = values.first?.objectPath else { return }
          guard let self else { return Self.call("Close", path, on: service) }
          handle(.created(path, attempt: attempt))
        case .failure(let error): self?.handle(.failed(error, attempt: attempt))
        }
      }
    case .follow(let path):
      // The service sends to this connection alone, so that no signal is lost before the match is in place.
      signals = service.proxy(path).onSignal { [weak self] signal in self?.received(signal) }
    case .start(let path, let attempt):
      Self.call("Start", path, on: service) { [weak self] result in
        switch result {
        case .success: self?.handle(.started(attempt: attempt))
        case .failure(let error): self?.handle(.failed(error, attempt: attempt))
        }
      }
    case .close(let path):
      signals = nil
      Self.call("Close", path, on: service)
    case .set(let path, let option, let options):
      guard let property = option.property.flatMap(MemberName.init(validating:)) else { return }
      service.proxy(path).set(property, to: Value(option.value(in: options), for: option)) { [weak self] result in
        if case .failure(let error) = result { self?.onEvent?(.failure(error)) }
      }
    case .readAuthorization(let path): readAuthorization(path)
    case .readMessage(let path):
      service.proxy(path).get("AuthorizationMessage") { [weak self] result in
        if let message = (try? result.get())?.string { self?.handle(.message(message)) }
      }
    case .tell(let event): onEvent?(event)
    }
  }

  private func readAuthorization(_ path: ObjectPath) {
    service.proxy(path).getAll { [weak self] result in
      guard let properties = try? result.get(), let status = properties["AuthorizationStatus"]?.string,
        let reason = properties["AuthorizationReason"]?.string
      else { return }
      self?.handle(.authorization(status: status, reason: reason))
    }
  }

  private func received(_ signal: Signal) {
    let texts = signal.arguments.compactMap(\.string)
    switch signal.member {
    case "LocationUpdated":
      if let location = signal.arguments.first.flatMap(ServiceLocation.init) { handle(.location(location)) }
    case "AuthorizationChanged" where texts.count == 2:
      handle(.authorization(status: texts[0], reason: texts[1]))
    case "ErrorOccurred" where texts.count == 2:
      if let name = ErrorName(validating: texts[0]) { handle(.error(DBusError(name, texts[1]))) }
    case "Closed" where texts.count == 1: handle(.closed(texts[0]))
    default: break
    }
  }

  private static func call(
    _ member: MemberName, _ path: ObjectPath, on service: ServiceConnection,
    _ handler: @escaping (Result<[Value], DBusError>) -> Void = { _ in }
  ) {
    service.proxy(path).call(member, expecting: "", handler)
  }
}
