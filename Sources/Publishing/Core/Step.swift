// SPDX-License-Identifier: Apache-2.0
/// What an operator makes of one value.
@usableFromInline
enum Verdict<Output, Failure: Error> {
  /// This goes down.
  case pass(Output)
  /// Nothing goes down; upstream owes another value for the one swallowed.
  case skip
  /// Upstream is cancelled and downstream finished.
  case finish
  /// This goes down as the last value; then as ``finish``.
  case last(Output)
  /// Upstream is cancelled and downstream fails.
  case fail(Failure)
}

/// An operator that decides about each value as it comes: filter, scan, prefix(while:) and the like.
@usableFromInline
protocol Step: Rule {
  func take(_ input: Input, _ memory: inout Memory) -> Verdict<Output, Thrown>

  /// Whether nothing at all will go down, so that the end comes with the subscription.
  var isEmpty: Bool { get }
}

extension Step {
  @inlinable
  var isEmpty: Bool { false }
}

/// Runs a ``Step``.
@usableFromInline
final class StepLink<S: Step, Downstream: Subscriber>: Link, Subscriber
where Downstream.Input == S.Output, Downstream.Failure == S.Thrown {
  @usableFromInline typealias Input = S.Input
  @usableFromInline typealias Failure = S.Failure

  @usableFromInline let step: S
  @usableFromInline let downstream: Downstream
  @exclusivity(unchecked) @usableFromInline var memory: S.Memory

  @inlinable
  init(_ step: S, _ memory: S.Memory, _ downstream: Downstream) {
    self.step = step
    self.memory = memory
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    if step.isEmpty { return finishAtOnce(downstream) }
    downstream.receive(subscription: self)
  }

  @inlinable
  func receive(_ input: S.Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    // A copy, since the step may run a closure that comes back here.
    var memory = self.memory
    let verdict = step.take(input, &memory)
    self.memory = memory
    guard phase == .live else { return .none }
    switch verdict {
    case .pass(let output):
      return downstream.receive(output)
    case .skip:
      return .max(1)
    case .last(let output):
      phase = .ending
      _ = downstream.receive(output)
      guard phase == .ending else { return .none }
      detach()?.cancel()
      downstream.receive(completion: .finished)
    case .finish:
      detach()?.cancel()
      downstream.receive(completion: .finished)
    case .fail(let error):
      detach()?.cancel()
      downstream.receive(completion: .failure(error))
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<S.Failure>) {
    guard phase == .live else { return }
    _ = detach()
    downstream.receive(completion: step.lift(completion))
  }

  @usableFromInline
  override var description: String { S.label }
}

extension StepLink where S.Memory == Void {
  @inlinable
  convenience init(_ step: S, _ downstream: Downstream) { self.init(step, (), downstream) }
}
