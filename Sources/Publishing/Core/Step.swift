// SPDX-License-Identifier: Apache-2.0
/// What an operator does with a value.
@usableFromInline
enum Verdict<Output> {
  /// Sends this value downstream.
  case pass(Output)
  /// Sends nothing and requests another value in its place.
  case skip
  /// Cancels upstream and finishes.
  case finish
}

/// An operator that decides about each value when it arrives: filter, scan, prefix(while:) and similar. Fails with the
/// error that its closure throws.
@usableFromInline
final class StepLink<Input, Memory, Output, Failure: Error>: OperatorLink<Input, Output, Failure> {
  @usableFromInline typealias Take = (Input, inout Memory) throws(Failure) -> Verdict<Output>

  @exclusivity(unchecked) @usableFromInline var memory: Memory
  @usableFromInline let take: Take

  @inlinable
  init<S: Subscriber<Output, Failure>>(_ label: String, _ memory: Memory, _ subscriber: S, _ take: @escaping Take) {
    self.memory = memory
    self.take = take
    super.init(label, subscriber)
  }

  @inlinable
  override func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    // Work on a copy, because the closure may re-enter this operator.
    var memory = self.memory
    let verdict: Verdict<Output>
    do throws(Failure) {
      verdict = try take(input, &memory)
    } catch {
      end(.failure(error))
      return .none
    }
    self.memory = memory
    guard phase == .live else { return .none }
    switch verdict {
    case .pass(let output):
      return downstream.receive(output)
    case .skip:
      return .max(1)
    case .finish:
      end(.finished)
      return .none
    }
  }
}

extension Publisher {
  /// Attaches a subscriber behind an operator that decides about each value.
  @inlinable
  func step<Memory, S: Subscriber>(
    _ label: String, _ memory: Memory, _ subscriber: S,
    _ take: @escaping (Output, inout Memory) throws(Failure) -> Verdict<S.Input>
  ) where S.Failure == Failure {
    receive(subscriber: StepLink(label, memory, subscriber, take))
  }

  /// Like `step`, for an operator that may also fail with any error.
  @inlinable
  func tryStep<Memory, S: Subscriber>(
    _ label: String, _ memory: Memory, _ subscriber: S,
    _ take: @escaping (Output, inout Memory) throws -> Verdict<S.Input>
  ) where S.Failure == any Error {
    receiveErased(StepLink(label, memory, subscriber, take))
  }
}
