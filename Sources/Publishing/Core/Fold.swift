// SPDX-License-Identifier: Apache-2.0
/// What an operator with one answer makes of one value.
@usableFromInline
enum Ruling<Output, Failure: Error> {
  /// More values are needed.
  case goOn
  /// This is the answer; upstream is cancelled.
  case answer(Output)
  /// Upstream is cancelled and downstream fails.
  case fail(Failure)
}

/// An operator that takes in everything and gives one answer: reduce, count, first, contains and the like.
@usableFromInline
protocol Fold: Rule {
  var start: Memory { get }
  func take(_ input: Input, _ memory: inout Memory) -> Ruling<Output, Thrown>
  /// The answer when upstream has finished; `nil` if there is none.
  func conclude(_ memory: Memory) -> Output?
}

/// Runs a ``Fold``: asks upstream for everything, and keeps the answer until it is asked for.
@usableFromInline
final class FoldLink<F: Fold, Downstream: Subscriber>: Link, Subscriber
where Downstream.Input == F.Output, Downstream.Failure == F.Thrown {
  @usableFromInline typealias Input = F.Input
  @usableFromInline typealias Failure = F.Failure

  @usableFromInline let fold: F
  @usableFromInline let downstream: Downstream
  @exclusivity(unchecked) @usableFromInline var memory: F.Memory
  @usableFromInline var answer: F.Output?
  @usableFromInline var isWanted = false

  @inlinable
  init(_ fold: F, _ downstream: Downstream) {
    self.fold = fold
    self.downstream = downstream
    memory = fold.start
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    downstream.receive(subscription: self)
    if phase == .live { subscription.request(.unlimited) }
  }

  @inlinable
  func receive(_ input: F.Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    // Taken out meanwhile: the fold may run a closure that comes back here, and an array in it is not to be copied.
    var memory = self.memory
    self.memory = fold.start
    let ruling = fold.take(input, &memory)
    self.memory = memory
    guard phase == .live else { return .none }
    switch ruling {
    case .goOn:
      break
    case .answer(let output):
      phase = .ending
      let last = upstream
      upstream = nil
      last?.cancel()
      settle(output)
    case .fail(let error):
      detach()?.cancel()
      downstream.receive(completion: .failure(error))
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<F.Failure>) {
    guard phase == .live else { return }
    phase = .ending
    upstream = nil
    if case .finished = completion, let output = fold.conclude(memory) {
      settle(output)
    } else {
      phase = .done
      downstream.receive(completion: fold.lift(completion))
    }
  }

  /// Gives the answer if it is wanted, or keeps it.
  @inlinable
  func settle(_ output: F.Output) {
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
    demand.mustBePositive()
    guard phase == .live || phase == .ending, !isWanted else { return }
    isWanted = true
    guard phase == .ending, let output = answer else { return }
    answer = nil
    settle(output)
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    answer = nil
    last?.cancel()
  }

  @usableFromInline
  override var description: String { F.label }
}
