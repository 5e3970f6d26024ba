// SPDX-License-Identifier: Apache-2.0
/// A subject that keeps its last value, and gives it to each subscriber at its first demand.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
  @exclusivity(unchecked) @usableFromInline var conduits = Conduits<Output, Failure>()
  @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) @usableFromInline var current: Output
  private var upstreams: [any Subscription] = []

  /// A subject that starts with a value.
  public init(_ value: Output) { current = value }

  deinit {
    for upstream in upstreams { upstream.cancel() }
  }

  /// The last value. Writing it publishes it; after the end it is still written, but published no more.
  @inlinable
  public var value: Output {
    get { current }
    set {
      current = newValue
      for conduit in conduits.list { conduit.offer(newValue) }
    }
  }

  /// Gives the subject an upstream, which is asked for everything at once.
  public func send(subscription: any Subscription) {
    guard completion == nil else { return subscription.cancel() }
    upstreams.append(subscription)
    subscription.request(.unlimited)
  }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if let completion {
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(completion: completion)
      return
    }
    let conduit = CurrentValueConduit(self, { subscriber.receive($0) }, { subscriber.receive(completion: $0) })
    conduits.add(conduit)
    subscriber.receive(subscription: conduit)
  }

  /// Publishes a value.
  @inlinable
  public func send(_ input: Output) {
    if completion == nil { value = input }
  }

  /// Ends the sequence; everything sent afterwards is ignored.
  public func send(completion: Subscribers.Completion<Failure>) {
    guard self.completion == nil else { return }
    self.completion = completion
    for conduit in conduits.removeAll() { conduit.finish(completion) }
  }
}

extension CurrentValueSubject: UpstreamKeeper {
  @usableFromInline
  func forget(_ subscription: any Subscription) {
    let identifier = subscription.combineIdentifier
    upstreams.removeAll { $0.combineIdentifier == identifier }
  }
}

@usableFromInline
final class CurrentValueConduit<Output, Failure: Error>: Conduit<Output, Failure> {
  @usableFromInline var subject: CurrentValueSubject<Output, Failure>?

  @inlinable
  init(_ subject: CurrentValueSubject<Output, Failure>, _ deliver: @escaping Deliver, _ conclude: @escaping Conclude) {
    self.subject = subject
    super.init(deliver, conclude)
    missed = true
  }

  @usableFromInline
  override var newest: Output? { subject?.current }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    guard let subject else { return }
    self.demand += demand
    if missed { offer(subject.current) }
  }

  @usableFromInline
  override func leave() {
    let subject = self.subject
    self.subject = nil
    subject?.conduits.remove(self)
  }

  @usableFromInline
  override var description: String { "CurrentValueSubject" }
}
