// SPDX-License-Identifier: Apache-2.0
/// An operator that reduces all values to one result: reduce, count, first, contains and similar. Requests everything
/// from upstream and keeps the result until there is demand for it. Fails with the error that its closure throws.
@usableFromInline
final class FoldLink<Input, Memory, Output, Failure: Error>: EagerLink<Input, Output, Failure> {
  /// Returns the result, or `nil` while more values are needed.
  @usableFromInline typealias Take = (Input, inout Memory) throws(Failure) -> Output?

  @usableFromInline let start: Memory
  @exclusivity(unchecked) @usableFromInline var memory: Memory
  @usableFromInline let take: Take
  /// Returns the result after upstream has finished, or `nil` if there is none.
  @usableFromInline let conclude: (Memory) -> Output?
  @usableFromInline var answer: Output?
  @usableFromInline var isWanted = false

  @inlinable
  init<S: Subscriber<Output, Failure>>(
    _ label: String, _ start: Memory, _ subscriber: S, conclude: @escaping (Memory) -> Output?, _ take: @escaping Take
  ) {
    self.start = start
    memory = start
    self.take = take
    self.conclude = conclude
    super.init(label, subscriber)
  }

  @inlinable
  override func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    // The memory is moved out, because the closure may re-enter this operator, and so that an array in it is not
    // copied.
    var memory = self.memory
    self.memory = start
    let output: Output?
    do throws(Failure) {
      output = try take(input, &memory)
    } catch {
      end(.failure(error))
      return .none
    }
    self.memory = memory
    guard phase == .live, let output else { return .none }
    phase = .ending
    let last = upstream
    upstream = nil
    last?.cancel()
    settle(output)
    return .none
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    upstream = nil
    if case .finished = completion, let output = conclude(memory) {
      phase = .ending
      settle(output)
    } else {
      phase = .done
      downstream.receive(completion: completion)
    }
  }

  /// Delivers the result if it has been requested, otherwise keeps it.
  @inlinable
  func settle(_ output: Output) {
    guard phase == .ending else { return }
    guard isWanted else {
      answer = .some(output)
      return
    }
    _ = downstream.receive(output)
    guard phase == .ending else { return }
    phase = .done
    downstream.receive(completion: .finished)
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    guard phase == .live || phase == .ending, !isWanted else { return }
    isWanted = true
    guard let output = answer else { return }
    answer = nil
    settle(output)
  }

  @usableFromInline override func release() { answer = nil }
}

extension Publisher {
  /// Attaches a subscriber behind an operator whose result at the end of upstream is computed from its memory.
  @inlinable
  func fold<Memory, S: Subscriber>(
    _ label: String, _ start: Memory, _ subscriber: S, conclude: @escaping (Memory) -> S.Input?,
    _ take: @escaping (Output, inout Memory) throws(Failure) -> S.Input?
  ) where S.Failure == Failure {
    receive(subscriber: FoldLink(label, start, subscriber, conclude: conclude, take))
  }

  /// Like `fold`, for an operator whose result at the end of upstream is always the same; by default there is none.
  @inlinable
  func fold<Memory, S: Subscriber>(
    _ label: String, _ start: Memory, _ subscriber: S, atEnd result: S.Input? = nil,
    _ take: @escaping (Output, inout Memory) throws(Failure) -> S.Input?
  ) where S.Failure == Failure {
    receive(subscriber: FoldLink(label, start, subscriber, conclude: { _ in result }, take))
  }

  /// Like `fold`, for an operator that may also fail with any error.
  @inlinable
  func tryFold<Memory, S: Subscriber>(
    _ label: String, _ start: Memory, _ subscriber: S, conclude: @escaping (Memory) -> S.Input?,
    _ take: @escaping (Output, inout Memory) throws -> S.Input?
  ) where S.Failure == any Error {
    receiveErased(FoldLink(label, start, subscriber, conclude: conclude, take))
  }

  @inlinable
  func tryFold<Memory, S: Subscriber>(
    _ label: String, _ start: Memory, _ subscriber: S, atEnd result: S.Input? = nil,
    _ take: @escaping (Output, inout Memory) throws -> S.Input?
  ) where S.Failure == any Error {
    receiveErased(FoldLink(label, start, subscriber, conclude: { _ in result }, take))
  }
}
