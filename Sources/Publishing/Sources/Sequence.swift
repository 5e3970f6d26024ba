// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the elements of a sequence, as they are asked for.
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
    /// What it publishes.
    public typealias Output = Elements.Element

    /// The sequence; iterated once for each subscriber.
    public let sequence: Elements

    /// Publishes the elements of `sequence` and finishes.
    @inlinable
    public init(sequence: Elements) { self.sequence = sequence }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let link = SequenceLink(sequence, .finished, subscriber)
      if link.next == nil {
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .finished)
      } else {
        subscriber.receive(subscription: link)
      }
    }
  }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}

extension Sequence {
  /// A publisher of the elements, as they are asked for.
  @inlinable
  public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

/// The subscription to a sequence: sends its elements as they are asked for, then a completion.
@usableFromInline
final class SequenceLink<Elements: Swift.Sequence, Downstream: Subscriber>: Subscription, Described
where Elements.Element == Downstream.Input {
  @usableFromInline var sequence: Elements?
  @usableFromInline let completion: Subscribers.Completion<Downstream.Failure>
  @usableFromInline var downstream: Downstream?
  @usableFromInline var iterator: Elements.Iterator
  /// The element to send next; one ahead, so that the completion follows the last value at once.
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
    demand.mustBePositive()
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
        close()
        downstream.receive(completion: completion)
      }
    }
  }

  @inlinable
  func cancel() { close() }

  @inlinable
  func close() {
    let held = (downstream, sequence)
    downstream = nil
    sequence = nil
    withExtendedLifetime(held) {}
  }

  @usableFromInline
  var description: String { sequence.map { String(describing: $0) } ?? "Sequence" }
}
