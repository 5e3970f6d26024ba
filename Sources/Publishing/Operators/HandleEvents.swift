// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Calls closures for the events between upstream and the subscriber before they are passed on.
  public struct HandleEvents<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    public var receiveSubscription: ((any Subscription) -> Void)?
    public var receiveOutput: ((Upstream.Output) -> Void)?
    public var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
    public var receiveCancel: (() -> Void)?
    public var receiveRequest: ((Subscribers.Demand) -> Void)?

    public init(
      upstream: Upstream,
      receiveSubscription: ((any Subscription) -> Void)? = nil,
      receiveOutput: ((Upstream.Output) -> Void)? = nil,
      receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
      receiveCancel: (() -> Void)? = nil,
      receiveRequest: ((Subscribers.Demand) -> Void)?
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
      self.receiveCancel = receiveCancel
      self.receiveRequest = receiveRequest
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: HandleEventsLink(self, subscriber))
    }
  }
}

extension Publisher {
  /// Calls closures for each event. The subscription precedes the first request, as in Combine since iOS 14.
  public func handleEvents(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
    receiveCancel: (() -> Void)? = nil,
    receiveRequest: ((Subscribers.Demand) -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(
      upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion, receiveCancel: receiveCancel, receiveRequest: receiveRequest)
  }
}

@usableFromInline
final class HandleEventsLink<Upstream: Publisher>: OperatorLink<
  Upstream.Output, Upstream.Output, Upstream.Failure
>
{
  /// The closures; released at the end.
  @exclusivity(unchecked) @usableFromInline var events: Publishers.HandleEvents<Upstream>?

  @inlinable
  init<S: Subscriber<Upstream.Output, Upstream.Failure>>(_ events: Publishers.HandleEvents<Upstream>, _ subscriber: S) {
    self.events = events
    super.init("HandleEvents", subscriber)
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    if phase == .waiting { events?.receiveSubscription?(subscription) }
    super.receive(subscription: subscription)
  }

  @inlinable
  override func receive(_ input: Upstream.Output) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    events?.receiveOutput?(input)
    guard phase == .live else { return .none }
    let more = downstream.receive(input)
    if more > .none { events?.receiveRequest?(more) }
    return more
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Upstream.Failure>) {
    guard phase == .live else { return }
    phase = .ending
    upstream = nil
    events?.receiveCompletion?(completion)
    let wasCancelled = phase == .done
    let held = endAndTakeEvents()
    if !wasCancelled { downstream.receive(completion: completion) }
    withExtendedLifetime(held) {}
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    guard phase == .live else { return }
    events?.receiveRequest?(demand)
    super.request(demand)
  }

  @usableFromInline
  override func cancel() {
    guard phase == .live || phase == .ending else { return }
    let last = upstream
    // The closure may cause values, which the subscriber must not receive any more.
    let held = endAndTakeEvents()
    held?.receiveCancel?()
    last?.cancel()
  }

  @inlinable
  func endAndTakeEvents() -> Publishers.HandleEvents<Upstream>? {
    let held = events
    _ = detach()
    events = nil
    return held
  }
}
