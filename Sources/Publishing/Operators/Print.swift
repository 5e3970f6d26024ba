// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that prints all that happens between its upstream and its subscriber.
  public struct Print<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is watched.
    public let upstream: Upstream
    /// What each line begins with.
    public let prefix: String
    /// Where the lines go; `nil` for the standard output.
    public let stream: (any TextOutputStream)?

    /// Prints what happens to `upstream`.
    public init(upstream: Upstream, prefix: String, to stream: (any TextOutputStream)? = nil) {
      self.upstream = upstream
      self.prefix = prefix
      self.stream = stream
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: PrintLink(prefix, stream, subscriber))
    }
  }
}

extension Publisher {
  /// Prints all that happens: the subscription, each request, each value, the end, the cancellation.
  public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil) -> Publishers.Print<Self> {
    Publishers.Print(upstream: self, prefix: prefix, to: stream)
  }
}

private final class PrintLink<Downstream: Subscriber>: Link, Subscriber {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let prefix: String
  private var stream: (any TextOutputStream)?
  private let downstream: Downstream

  init(_ prefix: String, _ stream: (any TextOutputStream)?, _ downstream: Downstream) {
    self.prefix = prefix.isEmpty ? "" : prefix + ": "
    self.stream = stream
    self.downstream = downstream
  }

  func receive(subscription: any Subscription) {
    log("receive subscription: (\(subscription))")
    if attach(subscription) { downstream.receive(subscription: self) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    log("receive value: (\(input))")
    let more = downstream.receive(input)
    if more > .none { log("request \(described(more)) (synchronous)") }
    return more
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    switch completion {
    case .finished: log("receive finished")
    case .failure(let error): log("receive error: (\(error))")
    }
    _ = detach()
    downstream.receive(completion: completion)
  }

  override func request(_ demand: Subscribers.Demand) {
    guard phase == .live else { return }
    log("request \(described(demand))")
    super.request(demand)
  }

  override func cancel() {
    guard phase == .live else { return }
    log("receive cancel")
    super.cancel()
  }

  private func described(_ demand: Subscribers.Demand) -> String {
    demand.max.map { "max: (\($0))" } ?? "unlimited"
  }

  private func log(_ text: String) {
    let line = prefix + text
    if stream == nil {
      Swift.print(line)
    } else {
      stream?.write(line + "\n")
    }
  }

  override var description: String { "Print" }
}
