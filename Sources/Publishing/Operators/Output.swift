// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes the values at certain positions and finishes after the last of them.
  public struct Output<Upstream: Publisher>: Operator {
    public typealias Output = Upstream.Output

    public let upstream: Upstream
    /// The positions, counted from zero.
    public let range: CountableRange<Int>

    public init(upstream: Upstream, range: CountableRange<Int>) {
      self.upstream = upstream
      self.range = range
    }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: OutputLink(range, subscriber))
    }
  }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes the value at one position, counted from zero, and finishes.
  public func output(at index: Int) -> Publishers.Output<Self> { output(in: index...index) }

  /// Publishes the values at a range of positions, counted from zero, and finishes after the last. Traps if a position
  /// is negative.
  public func output<R: RangeExpression<Int>>(in range: R) -> Publishers.Output<Self> {
    Publishers.Output(upstream: self, range: positions(range))
  }

  /// Publishes the first `maxLength` values and finishes after the last. Traps if `maxLength` is negative.
  public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
    precondition(maxLength >= 0, "length must not be negative")
    return output(in: ..<maxLength)
  }
}

/// Returns the positions that a range expression denotes.
@inlinable
func positions(_ range: some RangeExpression<Int>) -> Range<Int> {
  let positions = range.relative(to: 0..<Int.max)
  precondition(positions.lowerBound >= 0, "positions must not be negative")
  return positions
}

@usableFromInline
final class OutputLink<Value, Failure: Error>: OperatorLink<Value, Value, Failure> {
  @usableFromInline let range: Range<Int>
  @exclusivity(unchecked) @usableFromInline var position = 0

  @inlinable
  init<S: Subscriber<Value, Failure>>(_ range: Range<Int>, _ subscriber: S) {
    self.range = range
    super.init("Output", subscriber)
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    if range.isEmpty { endAtOnce() } else { downstream.receive(subscription: self) }
  }

  @inlinable
  override func receive(_ input: Value) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    // Counted first, because the subscriber may cause the next value.
    position += 1
    if position <= range.lowerBound { return .max(1) }
    return position == range.upperBound ? finish(with: input) : downstream.receive(input)
  }
}
