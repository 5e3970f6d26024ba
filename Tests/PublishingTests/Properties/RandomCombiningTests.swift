// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import GeopublicistTestSupport
import Publishing
import Testing

/// zip, combineLatest and merge of two to eight sources of every kind, which may fail, under random demand, also while
/// a value is received, compared with a reference that receives the same events.
@Suite("random programs against a reference, for operators with several upstreams") struct RandomCombiningTests {
  typealias Source = AnyPublisher<Int, TestError>

  /// One side: its values, and how many of them it sends automatically.
  struct Side {
    let name: String
    let publisher: Source
    /// The number of values that it sends synchronously on request, and whether it then ends.
    let values: Int
    let ends: Bool
    var subject: PassthroughSubject<Int, TestError>?
  }

  /// The random numbers of a program, shared by all of its closures.
  final class Dice {
    var generator: SeededGenerator

    init(seed: Int) { generator = SeededGenerator(seed: seed) }

    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    func chance(_ percent: Int) -> Bool { generator.chance(percent) }
  }

  @Test(arguments: CombiningReference.Rule.allCases, 0..<4)
  func `random programs with several publishers lose no value or failure and keep the order`(
    rule: CombiningReference.Rule, quarter: Int
  ) {
    for seed in quarter * 1500..<(quarter + 1) * 1500 {
      guard run(rule, seed: seed) else { return }
    }
  }

  private func run(_ rule: CombiningReference.Rule, seed: Int) -> Bool {
    let random = Dice(seed: seed)
    let count = random.number(2...(rule == .merge ? 8 : 4))
    let sides = (0..<count).map { side($0, random) }
    let log = EventLog()
    let publisher = combine(rule, sides.enumerated().map { $1.publisher.logged(log, side: $0) })
    let recorder = Recorder<String, TestError>(asking: .none)
    var depth = 0
    recorder.onValue = { [unowned recorder] _ in
      var more = Subscribers.Demand.none
      if depth < 4 {
        depth += 1
        more = act(recorder, sides, log, random)
        depth -= 1
      }
      log.add(.returned(more))
      return more
    }
    if random.chance(50) {
      let first = demand(random)
      recorder.onSubscription = { [unowned recorder] in request(first, recorder, log) }
    }
    publisher.subscribe(recorder)
    for _ in 0..<random.number(1...12) {
      if random.chance(40) { request(demand(random), recorder, log) } else { send(sides, random) }
    }

    var reference = CombiningReference(rule, sides: count)
    for event in log.events { reference.take(event) }
    let complaints = compare(recorder, reference) + missing(rule, sides, log, reference, recorder)
    if complaints != [] {
      Issue.record("\(rule), seed \(seed), \(sides.map(\.name)): \(log.events)\n\(complaints.joined(separator: "\n"))")
    }
    recorder.onValue = nil
    recorder.onSubscription = nil
    recorder.cancel()
    return complaints == []
  }

  private func compare(_ recorder: Recorder<String, TestError>, _ reference: CombiningReference) -> [String] {
    let (delivered, expected) = (recorder.trace.entries, reference.delivered)
    var isRight = delivered == expected
    // The reference immediately delivers values that are requested while a value is received. A merge delivers them
    // after the current value, so a cancellation may precede them, and a failure may follow more values.
    if recorder.isCancelled { isRight = expected.starts(with: delivered) }
    if expected.last == "fail", delivered.last == "fail", !isRight {
      isRight = delivered.starts(with: expected.dropLast()) && reference.order.starts(with: delivered.dropLast())
    }
    return recorder.breaches + (isRight ? [] : ["expected \(expected), got \(delivered)"])
  }

  /// Names the sides that did not receive the expected demand.
  private func missing(
    _ rule: CombiningReference.Rule, _ sides: [Side], _ log: EventLog, _ reference: CombiningReference,
    _ recorder: Recorder<String, TestError>
  ) -> [String] {
    guard !reference.isOver, !recorder.isCancelled else { return [] }
    let requested = log.events.reduce(Subscribers.Demand.none) { sum, event in
      switch event {
      case .request(let more), .returned(let more): sum + more
      default: sum
      }
    }
    return sides.enumerated().flatMap { index, side -> [String] in
      let sent = log.events.count { if case .value(index, _) = $0 { true } else { false } }
      let hasEnded = log.events.contains(.end(side: index)) || log.events.contains(.failure(side: index))
      let due: Int
      if rule == .merge {
        // One value ahead without demand; all values while there is demand.
        due = reference.demand > .none ? side.values : min(side.values, 1)
      } else {
        due = requested.max.map { min($0, side.values) } ?? side.values
      }
      return (sent < due ? ["side \(index) was asked for \(sent) values instead of \(due)"] : [])
        + (side.ends && sent == side.values && !hasEnded ? ["the end of side \(index) did not arrive"] : [])
    }
  }

  private func request(
    _ demand: Subscribers.Demand, _ recorder: Recorder<String, TestError>, _ log: EventLog
  ) {
    log.add(.request(demand))
    recorder.request(demand)
  }

  private func demand(_ random: Dice) -> Subscribers.Demand {
    random.chance(10) ? .unlimited : .max(random.number(1...5))
  }

  /// Performs one action while a value is received, and returns the additional demand.
  private func act(
    _ recorder: Recorder<String, TestError>, _ sides: [Side], _ log: EventLog, _ random: Dice
  ) -> Subscribers.Demand {
    switch random.number(0...11) {
    case 0, 1: request(demand(random), recorder, log)
    case 2, 3: return demand(random)
    case 4, 5: send(sides, random)
    case 6 where random.chance(20):
      log.add(.cancel)
      recorder.cancel()
    default: break
    }
    return .none
  }

  private func send(_ sides: [Side], _ random: Dice) {
    guard let subject = sides.compactMap(\.subject).randomElement(using: &random.generator) else { return }
    switch random.number(0...9) {
    case 0: subject.send(completion: .finished)
    case 1: subject.send(completion: .failure(.oops))
    default: subject.send(random.number(100...199))
    }
  }

  private func side(_ index: Int, _ random: Dice) -> Side {
    let values = (0..<random.number(0...5)).map { index * 10 + $0 }
    let completion: Subscribers.Completion<TestError> = random.chance(35) ? .failure(.oops) : .finished
    func side(_ name: String, _ publisher: some Publisher<Int, TestError>, _ values: Int, ends: Bool = true) -> Side {
      Side(name: name, publisher: publisher.eraseToAnyPublisher(), values: values, ends: ends)
    }
    switch random.number(0...11) {
    case 0: return side("Just", Just(index).setFailureType(to: TestError.self), 1)
    case 1 where random.chance(60): return side("Fail", Fail(error: .oops), 0)
    case 2 where random.chance(60): return side("Empty", Empty(), 0)
    case 3: return side("never", Empty(completeImmediately: false), 0, ends: false)
    case 4: return side("variable", CurrentValueSubject(index), 1, ends: false)
    case 5, 6, 7:
      let subject = PassthroughSubject<Int, TestError>()
      var side = side("subject", subject, 0, ends: false)
      side.subject = subject
      return side
    default: return side("\(values) \(completion.traced)", Record(output: values, completion: completion), values.count)
    }
  }

  private func combine(_ rule: CombiningReference.Rule, _ s: [Source]) -> AnyPublisher<String, TestError> {
    switch (rule, s.count) {
    case (.zip, 2): s[0].zip(s[1]) { "\($0),\($1)" }.eraseToAnyPublisher()
    case (.zip, 3): s[0].zip(s[1], s[2]) { "\($0),\($1),\($2)" }.eraseToAnyPublisher()
    case (.zip, _): s[0].zip(s[1], s[2], s[3]) { "\($0),\($1),\($2),\($3)" }.eraseToAnyPublisher()
    case (.combineLatest, 2): s[0].combineLatest(s[1]) { "\($0),\($1)" }.eraseToAnyPublisher()
    case (.combineLatest, 3): s[0].combineLatest(s[1], s[2]) { "\($0),\($1),\($2)" }.eraseToAnyPublisher()
    case (.combineLatest, _):
      s[0].combineLatest(s[1], s[2], s[3]) { "\($0),\($1),\($2),\($3)" }.eraseToAnyPublisher()
    case (.merge, 3): s[0].merge(with: s[1], s[2]).map { "\($0)" }.eraseToAnyPublisher()
    case (.merge, 5): s[0].merge(with: s[1], s[2], s[3], s[4]).map { "\($0)" }.eraseToAnyPublisher()
    case (.merge, 8):
      s[0].merge(with: s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { "\($0)" }.eraseToAnyPublisher()
    case (.merge, let count) where count % 2 == 0: Publishers.MergeMany(s).map { "\($0)" }.eraseToAnyPublisher()
    // Each side is one of the publishers that an outer publisher sends.
    case (.merge, _):
      s.publisher.setFailureType(to: TestError.self).flatMap { $0 }.map { "\($0)" }.eraseToAnyPublisher()
    }
  }
}
