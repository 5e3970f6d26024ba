// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import GeopublicistTestSupport
import Publishing
import Testing

/// Random programs: a tree of operators over sources of every kind, and a subscriber that requests, cancels, sends and
/// completes inside its callbacks. No event may follow the end, no value may arrive twice or without demand, nothing
/// may crash, and after the end everything must be released.
@Suite("random programs") struct RandomProgramTests {
  typealias Values = AnyPublisher<Int, TestError>

  /// The random numbers of a program, shared by all of its closures.
  final class Program {
    var random: SeededGenerator
    let scheduler = TestScheduler()
    var subjects: [PassthroughSubject<Int, TestError>] = []
    var variables: [CurrentValueSubject<Int, TestError>] = []
    var text = ""

    init(seed: Int) { random = SeededGenerator(seed: seed) }

    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func chance(_ percent: Int) -> Bool { random.chance(percent) }
  }

  @Test(arguments: 0..<4)
  func `random programs send nothing twice, after the completion or without demand, and do not leak`(quarter: Int) {
    for seed in quarter * 1500..<(quarter + 1) * 1500 {
      guard run(seed: seed) else { return }
    }
  }

  private func run(seed: Int) -> Bool {
    let program = Program(seed: seed)
    weak var weakRecorder: Recorder<Int, TestError>?
    var breaches: [String] = []
    do {
      let recorder = Recorder<Int, TestError>(asking: demand(program))
      weakRecorder = recorder
      var depth = 0
      recorder.onValue = { [unowned recorder] _ in
        guard depth < 4, recorder.values.count < 500 else { return .none }
        depth += 1
        defer { depth -= 1 }
        return act(program, recorder)
      }
      if program.chance(5) { recorder.onSubscription = { [unowned recorder] in recorder.cancel() } }
      if program.chance(20) { recorder.onCompletion = { [unowned recorder] in recorder.cancel() } }
      operators(source(program), program).subscribe(recorder)
      for _ in 0..<program.number(2...12) {
        switch program.number(0...5) {
        case 0: recorder.request(demand(program))
        case 1: program.scheduler.advance(by: .seconds(program.number(1...3)))
        case 2 where program.chance(20): complete(program)
        default: send(program)
        }
      }
      if !program.chance(30) { complete(program) }
      program.scheduler.advance()
      recorder.cancel()
      program.scheduler.advance(by: 100)
      send(program)
      breaches = recorder.breaches
      recorder.onValue = nil
      recorder.onSubscription = nil
      recorder.onCompletion = nil
    }
    if weakRecorder != nil { breaches.append("the subscriber is kept") }
    if breaches != [] { Issue.record("seed \(seed): \(program.text): \(breaches)") }
    return breaches == []
  }

  private func demand(_ program: Program) -> Subscribers.Demand {
    switch program.number(0...3) {
    case 0: .none
    case 1: .unlimited
    default: .max(program.number(1...3))
    }
  }

  /// Performs an action while a value is received, and returns the additional demand.
  private func act(_ program: Program, _ recorder: Recorder<Int, TestError>) -> Subscribers.Demand {
    switch program.number(0...9) {
    case 0: recorder.request(demand(program))
    case 1 where program.chance(40): recorder.cancel()
    case 2: send(program)
    case 3 where program.chance(40): complete(program)
    case 4: return demand(program)
    default: break
    }
    return .none
  }

  private func send(_ program: Program) {
    let value = program.number(0...5)
    program.subjects.randomElement(using: &program.random)?.send(value)
    if program.chance(50) { program.variables.randomElement(using: &program.random)?.send(value) }
  }

  private func complete(_ program: Program) {
    let completion: Subscribers.Completion<TestError> = program.chance(30) ? .failure(.oops) : .finished
    program.subjects.randomElement(using: &program.random)?.send(completion: completion)
    program.variables.randomElement(using: &program.random)?.send(completion: completion)
  }

  private func source(_ program: Program) -> Values {
    let kind = program.number(0...9)
    program.text += " s\(kind)"
    switch kind {
    case 0: return Just(1).setFailureType(to: TestError.self).eraseToAnyPublisher()
    case 1: return (0..<program.number(0...6)).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    case 2: return Fail(error: .oops).eraseToAnyPublisher()
    case 3: return Empty(completeImmediately: program.chance(50)).eraseToAnyPublisher()
    case 4:
      return Record(output: [1, 2, 3], completion: program.chance(50) ? .failure(.oops) : .finished)
        .eraseToAnyPublisher()
    case 5:
      let variable = CurrentValueSubject<Int, TestError>(7)
      program.variables.append(variable)
      return variable.eraseToAnyPublisher()
    default:
      let subject = PassthroughSubject<Int, TestError>()
      program.subjects.append(subject)
      return subject.eraseToAnyPublisher()
    }
  }

  private func operators(_ source: Values, _ program: Program) -> Values {
    (0..<program.number(1...4)).reduce(source) { values, _ in
      let kind = program.number(0...3)
      let number = program.number(0...11)
      program.text += " o\(kind).\(number)"
      return switch kind {
      case 0: stepping(values, number)
      case 1: answering(values, number)
      case 2: combining(values, number, program)
      default: timed(values, number, program)
      }
    }
  }

  private func stepping(_ values: Values, _ number: Int) -> Values {
    switch number {
    case 0: values.map { $0 + 1 }.eraseToAnyPublisher()
    case 1: values.filter { $0 % 2 == 0 }.eraseToAnyPublisher()
    case 2: values.compactMap { $0 == 1 ? nil : $0 }.eraseToAnyPublisher()
    case 3: values.scan(0, +).eraseToAnyPublisher()
    case 4: values.removeDuplicates().eraseToAnyPublisher()
    case 5: values.dropFirst(2).eraseToAnyPublisher()
    case 6: values.prefix(3).eraseToAnyPublisher()
    case 7: values.drop { $0 < 2 }.eraseToAnyPublisher()
    case 8: values.prefix { $0 < 4 }.eraseToAnyPublisher()
    case 9: values.output(in: 1...2).eraseToAnyPublisher()
    case 10: values.collect(2).map(\.count).eraseToAnyPublisher()
    default: values.tryMap { try refusingTwo($0, $0) }.typed().eraseToAnyPublisher()
    }
  }

  private func answering(_ values: Values, _ number: Int) -> Values {
    switch number {
    case 0: values.first().eraseToAnyPublisher()
    case 1: values.last().eraseToAnyPublisher()
    case 2: values.count().eraseToAnyPublisher()
    case 3: values.reduce(0, +).eraseToAnyPublisher()
    case 4: values.first { $0 > 2 }.eraseToAnyPublisher()
    case 5: values.contains(3).map { $0 ? 1 : 0 }.eraseToAnyPublisher()
    case 6: values.max().eraseToAnyPublisher()
    case 7: values.replaceEmpty(with: 5).eraseToAnyPublisher()
    case 8: values.replaceError(with: 6).setFailureType(to: TestError.self).eraseToAnyPublisher()
    case 9: values.ignoreOutput().map { (never: Never) -> Int in }.eraseToAnyPublisher()
    case 10: values.allSatisfy { $0 < 3 }.map { $0 ? 1 : 0 }.eraseToAnyPublisher()
    default: values.handleEvents(receiveOutput: { _ in }).eraseToAnyPublisher()
    }
  }

  private func combining(_ values: Values, _ number: Int, _ program: Program) -> Values {
    let other = source(program)
    return switch number {
    case 0: values.merge(with: other.map { $0 }).eraseToAnyPublisher()
    case 1: values.zip(other) { $0 + $1 }.eraseToAnyPublisher()
    case 2: values.combineLatest(other) { $0 + $1 }.eraseToAnyPublisher()
    case 3: values.flatMap { _ in other }.eraseToAnyPublisher()
    case 4:
      values.flatMap(maxPublishers: .max(2)) { [$0, 8].publisher.setFailureType(to: TestError.self) }
        .eraseToAnyPublisher()
    case 5: values.map { _ in other }.switchToLatest().eraseToAnyPublisher()
    case 6: values.append(other).eraseToAnyPublisher()
    case 7: values.prepend(other).eraseToAnyPublisher()
    case 8: values.catch { _ in other }.eraseToAnyPublisher()
    case 9: values.retry(3).eraseToAnyPublisher()
    case 10: values.prefix(untilOutputFrom: other).eraseToAnyPublisher()
    default: values.drop(untilOutputFrom: other).eraseToAnyPublisher()
    }
  }

  private func timed(_ values: Values, _ number: Int, _ program: Program) -> Values {
    let scheduler = program.scheduler
    return switch number {
    case 0: values.debounce(for: 2, scheduler: scheduler).eraseToAnyPublisher()
    case 1: values.throttle(for: 2, scheduler: scheduler, latest: program.chance(50)).eraseToAnyPublisher()
    case 2: values.delay(for: 1, scheduler: scheduler).eraseToAnyPublisher()
    case 3: values.receive(on: scheduler).eraseToAnyPublisher()
    case 4: values.subscribe(on: scheduler).eraseToAnyPublisher()
    case 5: values.timeout(3, scheduler: scheduler).eraseToAnyPublisher()
    case 6: values.collect(.byTime(scheduler, 2)).map(\.count).eraseToAnyPublisher()
    case 7: values.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).eraseToAnyPublisher()
    case 8: values.buffer(size: 2, prefetch: .keepFull, whenFull: .customError { .other }).eraseToAnyPublisher()
    case 9: values.share().eraseToAnyPublisher()
    case 10: values.multicast(subject: CurrentValueSubject(0)).autoconnect().eraseToAnyPublisher()
    default: values.keepingNewest().eraseToAnyPublisher()
    }
  }
}
