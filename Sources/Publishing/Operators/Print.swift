// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Prints all events between upstream and the subscriber.
  public struct Print<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// The beginning of each line.
    public let prefix: String
    /// The destination, or `nil` for the standard output.
    public let stream: (any TextOutputStream)?

    public init(upstream: Upstream, prefix: String, to stream: (any TextOutputStream)? = nil) {
      self.upstream = upstream
      self.prefix = prefix
      self.stream = stream
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: PrintLink(prefix, stream, subscriber))
    }
  }
}

extension Publisher {
  /// Prints all events: the subscription, requests, values, the completion and the cancellation.
  public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil) -> Publishers.Print<Self> {
    Publishers.Print(upstream: self, prefix: prefix, to: stream)
  }
}

@usableFromInline
final class PrintLink<Value, Failure: Error>: OperatorLink<Value, Value, Failure> {
  @usableFromInline let prefix: String
  /// How the line of a value begins.
  @usableFromInline let valueHead: String
  @usableFromInline var stream: (any TextOutputStream)?
  /// The last line, whose memory is reused.
  private var line = ""

  @inlinable
  init<S: Subscriber<Value, Failure>>(_ prefix: String, _ stream: (any TextOutputStream)?, _ subscriber: S) {
    self.prefix = prefix.isEmpty ? "" : prefix + ": "
    valueHead = self.prefix + "receive value: ("
    self.stream = stream
    super.init("Print", subscriber)
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    log("receive subscription: (\(subscription))")
    super.receive(subscription: subscription)
  }

  @inlinable
  override func receive(_ input: Value) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    log(valueHead, text(of: input), ")\n")
    let more = downstream.receive(input)
    if more > .none { log("request ", described(more) + " (synchronous)") }
    return more
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    switch completion {
    case .finished: log("receive finished")
    case .failure(let error): log("receive error: (\(error))")
    }
    super.receive(completion: completion)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    guard phase == .live else { return }
    log("request ", described(demand))
    super.request(demand)
  }

  @usableFromInline
  override func cancel() {
    guard phase == .live else { return }
    log("receive cancel")
    super.cancel()
  }

  /// Returns the same text as interpolation, which looks up the conformance each time. Here it is known statically.
  @inlinable
  func text(of value: Value) -> String {
    guard !(value is any TextOutputStreamable), let value = value as? any CustomStringConvertible else {
      return "\(value)"
    }
    return value.description
  }

  @usableFromInline
  func described(_ demand: Subscribers.Demand) -> String { demand.max.map { "max: (\($0))" } ?? "unlimited" }

  @usableFromInline
  func log(_ event: String, _ subject: String = "") { log(prefix, event, subject + "\n") }

  @usableFromInline
  func log(_ head: String, _ subject: String, _ end: String) {
    // Writing to the stream may cause another line, so `line` is emptied first.
    var text = ""
    swap(&text, &line)
    text.removeAll(keepingCapacity: true)
    text += head
    text += subject
    text += end
    if var target = stream {
      target.write(text)
      stream = target
    } else {
      Swift.print(text, terminator: "")
    }
    line = text
  }
}
