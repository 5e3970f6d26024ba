// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the elements of a sequence.
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
    public typealias Output = Elements.Element

    /// The sequence. Iterated once for each subscriber.
    public let sequence: Elements

    public init(sequence: Elements) { self.sequence = sequence }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      let link = SequenceLink(sequence, .finished, subscriber)
      if link.next == nil { subscriber.receiveEmpty() } else { subscriber.receive(subscription: link) }
    }
  }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}

extension Sequence {
  /// A publisher of the elements.
  @inlinable public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

/// The subscription to a sequence. Sends its elements on request, then a completion.
@usableFromInline
final class SequenceLink<Elements: Swift.Sequence, Downstream: Subscriber>: Subscription, Described
where Elements.Element == Downstream.Input {
  @usableFromInline var sequence: Elements?
  @usableFromInline let completion: Subscribers.Completion<Downstream.Failure>
  @usableFromInline var downstream: Downstream?
  @usableFromInline var iterator: Elements.Iterator
  /// The element to send next. Read one ahead, so that the completion immediately follows the last value.
  @usableFromInline var next: Elements.Element?
  @usableFromInline var demand = Subscribers.Demand.none
  @usableFromInline var isSending = false

  @inlinable
  init(_ sequence: Elements, _ completion: Subscribers.Completion<Downstream.Failure>, _ downstream: Downstream) {
    self.sequence = sequence
    self.completion = completion
    self.downstream = downstream
    iterator = sequence.makeIterator()
    next = iterator.next()
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    guard downstream != nil else { return }
    self.demand += demand
    guard !isSending else { return }
    isSending = true
    defer { isSending = false }
    while self.demand > .none, let downstream, let element = next {
      self.demand.spendOne()
      next = iterator.next()
      let more = downstream.receive(element)
      guard self.downstream != nil else { return }
      self.demand += more
      if next == nil {
        cancel()
        downstream.receive(completion: completion)
      }
    }
  }

  @inlinable
  func cancel() {
    let held = (downstream, sequence)
    downstream = nil
    sequence = nil
    withExtendedLifetime(held) {}
  }

  @usableFromInline var description: String { sequence.map { String(describing: $0) } ?? "Sequence" }
}
