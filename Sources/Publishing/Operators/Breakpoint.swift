// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Publishers {
  /// A publisher that stops in the debugger when a closure says so.
  public struct Breakpoint<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is watched.
    public let upstream: Upstream
    /// Whether to stop at a subscription.
    public let receiveSubscription: ((any Subscription) -> Bool)?
    /// Whether to stop at a value.
    public let receiveOutput: ((Output) -> Bool)?
    /// Whether to stop at the end.
    public let receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)?

    /// Watches `upstream`.
    public init(
      upstream: Upstream,
      receiveSubscription: ((any Subscription) -> Bool)? = nil,
      receiveOutput: ((Output) -> Bool)? = nil,
      receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)? = nil
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: BreakpointLink(self, subscriber))
    }
  }
}

extension Publisher {
  /// Raises `SIGTRAP` when a closure returns `true`.
  public func breakpoint(
    receiveSubscription: ((any Subscription) -> Bool)? = nil,
    receiveOutput: ((Output) -> Bool)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)? = nil
  ) -> Publishers.Breakpoint<Self> {
    Publishers.Breakpoint(
      upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion)
  }

  /// Raises `SIGTRAP` when this publisher fails.
  public func breakpointOnError() -> Publishers.Breakpoint<Self> {
    breakpoint(receiveCompletion: { completion in
      if case .failure = completion { true } else { false }
    })
  }
}

/// Asks the closures, and passes everything through; the subscription is the upstream's own.
private struct BreakpointLink<Upstream: Publisher, Downstream: Subscriber>: Subscriber, Described
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let receiveSubscription: ((any Subscription) -> Bool)?
  private let receiveOutput: ((Input) -> Bool)?
  private let receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)?
  private let downstream: Downstream

  init(_ breakpoint: Publishers.Breakpoint<Upstream>, _ downstream: Downstream) {
    receiveSubscription = breakpoint.receiveSubscription
    receiveOutput = breakpoint.receiveOutput
    receiveCompletion = breakpoint.receiveCompletion
    self.downstream = downstream
  }

  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  func receive(subscription: any Subscription) {
    if receiveSubscription?(subscription) == true { stop() }
    downstream.receive(subscription: subscription)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    if receiveOutput?(input) == true { stop() }
    return downstream.receive(input)
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    if receiveCompletion?(completion) == true { stop() }
    downstream.receive(completion: completion)
  }

  private func stop() { raise(SIGTRAP) }

  var description: String { "Breakpoint" }
}
