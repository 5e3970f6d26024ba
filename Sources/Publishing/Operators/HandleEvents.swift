// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that calls closures when something happens between its upstream and its subscriber.
  public struct HandleEvents<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is watched.
    public let upstream: Upstream
    /// Called with the upstream's subscription, before the subscriber gets one.
    public var receiveSubscription: ((any Subscription) -> Void)?
    /// Called with each value, before the subscriber gets it.
    public var receiveOutput: ((Output) -> Void)?
    /// Called with the end, before the subscriber gets it.
    public var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
    /// Called when the subscriber cancels, before the upstream is cancelled.
    public var receiveCancel: (() -> Void)?
    /// Called when the subscriber asks for values, before the upstream is asked.
    public var receiveRequest: ((Subscribers.Demand) -> Void)?

    /// Watches `upstream`.
    public init(
      upstream: Upstream,
      receiveSubscription: ((any Subscription) -> Void)? = nil,
      receiveOutput: ((Output) -> Void)? = nil,
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

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: HandleEventsLink(self, subscriber))
    }
  }
}

extension Publisher {
  /// Calls closures when something happens. The subscription comes before the first request (as in Combine since iOS
  /// 14; older versions told them the other way round).
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

private final class HandleEventsLink<Downstream: Subscriber>: Link, Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let downstream: Downstream
  private var onSubscription: ((any Subscription) -> Void)?
  private var onOutput: ((Input) -> Void)?
  private var onCompletion: ((Subscribers.Completion<Failure>) -> Void)?
  private var onCancel: (() -> Void)?
  private var onRequest: ((Subscribers.Demand) -> Void)?

  init<Upstream: Publisher>(_ events: Publishers.HandleEvents<Upstream>, _ downstream: Downstream)
  where Upstream.Output == Input, Upstream.Failure == Failure {
    self.downstream = downstream
    onSubscription = events.receiveSubscription
    onOutput = events.receiveOutput
    onCompletion = events.receiveCompletion
    onCancel = events.receiveCancel
    onRequest = events.receiveRequest
  }

  func receive(subscription: any Subscription) {
    guard phase == .waiting else { return subscription.cancel() }
    onSubscription?(subscription)
    if attach(subscription) { downstream.receive(subscription: self) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    onOutput?(input)
    guard phase == .live else { return .none }
    let more = downstream.receive(input)
    if more > .none { onRequest?(more) }
    return more
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    phase = .ending
    upstream = nil
    onCompletion?(completion)
    let wasCancelled = phase == .done
    phase = .done
    let held = release()
    if !wasCancelled { downstream.receive(completion: completion) }
    withExtendedLifetime(held) {}
  }

  override func request(_ demand: Subscribers.Demand) {
    guard phase == .live else { return }
    onRequest?(demand)
    super.request(demand)
  }

  override func cancel() {
    guard phase == .live || phase == .ending else { return }
    onCancel?()
    let last = detach()
    let held = release()
    last?.cancel()
    withExtendedLifetime(held) {}
  }

  /// Lets go of the closures; what is returned still holds them.
  private func release() -> Any {
    let held = (onSubscription, onOutput, onCompletion, onCancel, onRequest)
    onSubscription = nil
    onOutput = nil
    onCompletion = nil
    onCancel = nil
    onRequest = nil
    return held
  }

  override var description: String { "HandleEvents" }
}
