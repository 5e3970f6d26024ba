// SPDX-License-Identifier: Apache-2.0
/// A subject that keeps nothing: a value goes to those subscribers that have asked for one, in the order they came.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
  @exclusivity(unchecked) @usableFromInline var conduits = Conduits<Output, Failure>()
  @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
  private var upstreams: [any Subscription] = []
  private var isWanted = false

  /// A subject without subscribers.
  public init() {}

  deinit {
    for upstream in upstreams { upstream.cancel() }
  }

  /// Gives the subject an upstream, which is asked for everything as soon as any subscriber asks for anything.
  public func send(subscription: any Subscription) {
    guard completion == nil else { return subscription.cancel() }
    upstreams.append(subscription)
    if isWanted { subscription.request(.unlimited) }
  }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if let completion {
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(completion: completion)
      return
    }
    let conduit = PassthroughConduit(self, { subscriber.receive($0) }, { subscriber.receive(completion: $0) })
    conduits.add(conduit)
    subscriber.receive(subscription: conduit)
  }

  /// Publishes a value.
  @inlinable
  public func send(_ input: Output) {
    for conduit in conduits.list { conduit.offer(input) }
  }

  /// Ends the sequence; everything sent afterwards is ignored.
  public func send(completion: Subscribers.Completion<Failure>) {
    guard self.completion == nil else { return }
    self.completion = completion
    for conduit in conduits.removeAll() { conduit.finish(completion) }
  }

  fileprivate func want() {
    guard !isWanted else { return }
    isWanted = true
    for upstream in upstreams { upstream.request(.unlimited) }
  }
}

extension PassthroughSubject: UpstreamKeeper {
  @usableFromInline
  func forget(_ subscription: any Subscription) {
    let identifier = subscription.combineIdentifier
    upstreams.removeAll { $0.combineIdentifier == identifier }
  }
}

@usableFromInline
final class PassthroughConduit<Output, Failure: Error>: Conduit<Output, Failure> {
  @usableFromInline var subject: PassthroughSubject<Output, Failure>?

  @inlinable
  init(_ subject: PassthroughSubject<Output, Failure>, _ deliver: @escaping Deliver, _ conclude: @escaping Conclude) {
    self.subject = subject
    super.init(deliver, conclude)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    guard let subject else { return }
    self.demand += demand
    subject.want()
  }

  @usableFromInline
  override func leave() {
    let subject = self.subject
    self.subject = nil
    subject?.conduits.remove(self)
  }

  @usableFromInline
  override var description: String { "PassthroughSubject" }
}
