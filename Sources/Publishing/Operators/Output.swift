// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the values at certain positions. It finishes with the last of them.
  public struct Output<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// The positions, counted from zero.
    public let range: CountableRange<Int>

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, range: CountableRange<Int>) {
      self.upstream = upstream
      self.range = range
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: StepLink(OutputStep<_, Failure>(range: range), 0, Outlet(subscriber)))
    }
  }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes the value at one position, counted from zero, and finishes.
  @inlinable
  public func output(at index: Int) -> Publishers.Output<Self> {
    output(in: index...index)
  }

  /// Publishes the values at some positions, counted from zero, and finishes with the last.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
    let positions = range.relative(to: 0..<Int.max)
    precondition(positions.lowerBound >= 0, "positions must not be negative")
    return Publishers.Output(upstream: self, range: positions)
  }

  /// Publishes the first values and finishes with the last of them.
  @inlinable
  public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
    precondition(maxLength >= 0, "length must not be negative")
    return output(in: ..<maxLength)
  }
}

@usableFromInline
struct OutputStep<Value, Failure: Error>: Step, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Int

  @usableFromInline let range: CountableRange<Int>

  @inlinable
  init(range: CountableRange<Int>) { self.range = range }

  @inlinable
  static var label: String { "Output" }

  @inlinable
  func take(_ input: Value, _ position: inout Int) -> Verdict<Value, Failure> {
    defer { position += 1 }
    if position < range.lowerBound { return .skip }
    return position == range.upperBound - 1 ? .last(input) : .pass(input)
  }

  @inlinable
  var isEmpty: Bool { range.isEmpty }
}
