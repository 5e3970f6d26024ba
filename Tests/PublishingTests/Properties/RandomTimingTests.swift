// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import GeopublicistTestSupport
import Publishing
import Testing

/// Compares the timed operators with short models on values at random times.
@Suite("random timing") struct RandomTimingTests {
  typealias Heard = [String]

  /// Distinct times in milliseconds, of which no two differ by a multiple of the interval.
  private func times(seed: Int) -> [Int] {
    var random = SeededGenerator(seed: seed)
    var now = 0
    return (0..<30).map { index in
      now += random.chance(60) ? Int.random(in: 1...400, using: &random) : Int.random(in: 401...2500, using: &random)
      // Each has a different remainder, so none coincides with another's due time.
      return now * 100 + index
    }
  }

  /// Returns the output and its times for values at the given times (unit: 10 microseconds).
  private func play<P: Publisher>(
    _ times: [Int], _ build: (PassthroughSubject<Int, TestError>, TestScheduler) -> P
  ) -> Heard where P.Output == Int, P.Failure == TestError {
    let (subject, scheduler) = (PassthroughSubject<Int, TestError>(), TestScheduler())
    for (index, time) in times.enumerated() {
      scheduler.schedule(after: VirtualTime(nanoseconds: time * 10_000)) { subject.send(index) }
    }
    var heard: Heard = []
    let subscription = build(subject, scheduler).sink(
      receiveCompletion: { heard.append("\($0.traced)@\(scheduler.now.nanoseconds / 10_000)") },
      receiveValue: { heard.append("\($0)@\(scheduler.now.nanoseconds / 10_000)") })
    scheduler.run()
    subscription.cancel()
    return heard
  }

  private static let second = 100_000

  @Test func `debounce sends a value after a second without another one`() {
    for seed in 0..<200 {
      let times = times(seed: seed)
      let expected = times.indices.compactMap { index -> String? in
        let due = times[index] + Self.second
        return index + 1 < times.count && times[index + 1] <= due ? nil : "\(index)@\(due)"
      }
      #expect(play(times) { $0.debounce(for: 1, scheduler: $1) } == expected, "seed \(seed)")
    }
  }

  @Test(arguments: [true, false])
  func `throttle sends the first value immediately and then at most one value per second`(latest: Bool) {
    for seed in 0..<200 {
      let times = times(seed: seed)
      var expected: Heard = []
      var last: Int?
      var pending: (index: Int, due: Int)?
      for (index, time) in times.enumerated() {
        if let waiting = pending, waiting.due < time {
          expected.append("\(waiting.index)@\(waiting.due)")
          last = waiting.due
          pending = nil
        }
        if let waiting = pending {
          if latest { pending = (index, waiting.due) }
        } else if let last, time - last < Self.second {
          pending = (index, last + Self.second)
        } else {
          expected.append("\(index)@\(time)")
          last = time
        }
      }
      if let waiting = pending { expected.append("\(waiting.index)@\(waiting.due)") }
      #expect(play(times) { $0.throttle(for: 1, scheduler: $1, latest: latest) } == expected, "seed \(seed)")
    }
  }

  @Test func `delay delivers every value one second later`() {
    for seed in 0..<50 {
      let times = times(seed: seed)
      let expected = times.enumerated().map { "\($0)@\($1 + Self.second)" }
      #expect(play(times) { $0.delay(for: 1, scheduler: $1) } == expected, "seed \(seed)")
    }
  }

  @Test func `timeout ends after the first second without a value`() {
    for seed in 0..<200 {
      let times = times(seed: seed)
      var expected: Heard = []
      var last = 0
      for (index, time) in times.enumerated() where time - last < Self.second {
        guard index == expected.count else { break }
        expected.append("\(index)@\(time)")
        last = time
      }
      expected.append("end@\(last + Self.second)")
      #expect(play(times) { $0.timeout(1, scheduler: $1) } == expected, "seed \(seed)")
    }
  }

  @Test func `collect(.byTime) groups the values of each second`() {
    for seed in 0..<100 {
      let times = times(seed: seed)
      let (subject, scheduler) = (PassthroughSubject<Int, TestError>(), TestScheduler())
      var groups: [[Int]] = []
      let subscription = subject.collect(.byTime(scheduler, 1))
        .sink(receiveCompletion: { _ in }, receiveValue: { groups.append($0) })
      for (index, time) in times.enumerated() {
        scheduler.advance(to: VirtualTime(nanoseconds: time * 10_000))
        subject.send(index)
      }
      subject.send(completion: .finished)
      scheduler.advance(by: 2)
      let expected = Dictionary(grouping: times.indices) { times[$0] / Self.second }
        .sorted { $0.key < $1.key }.map(\.value)
      #expect(groups == expected, "seed \(seed)")
      subscription.cancel()
    }
  }
}
