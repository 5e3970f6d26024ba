// SPDX-License-Identifier: Apache-2.0
import Combine
import Testing

/// The scheduler that replaces `DispatchQueue.main` in programs written for Combine.
@MainActor @Suite("TaskScheduler") struct TaskSchedulerTests {
  let scheduler = TaskScheduler.main

  @Test func `scheduled work runs asynchronously and in order on the main actor`() async {
    var entries: [Int] = []
    for number in 1...3 { scheduler.schedule { entries.append(number) } }
    #expect(entries == [])
    while entries.count < 3 { await Task.yield() }
    #expect(entries == [1, 2, 3])
  }

  /// Regression: tasks that wake up at the same time run in any order, so that a completion could overtake its value.
  @Test func `delayed work runs in the order of its times`() async {
    let date = scheduler.now.advanced(by: .milliseconds(20))
    var entries: [Int] = []
    for number in 0..<500 { scheduler.schedule(after: date) { entries.append(number) } }
    while entries.count < 500 { await Task.yield() }
    #expect(entries == Array(0..<500))
    var ends = 0
    let subscriptions = (0..<200).map { number in
      Just(number).delay(for: .milliseconds(10), scheduler: scheduler)
        .collect().sink {
          #expect($0 == [number])
          ends += 1
        }
    }
    while ends < 200 { await Task.yield() }
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `debounce works on a TaskScheduler`() async {
    let subject = PassthroughSubject<Int, Never>()
    let values = subject.debounce(for: .milliseconds(20), scheduler: scheduler).keepingNewest().values
    var iterator = values.makeAsyncIterator()
    let start = scheduler.now
    for value in 1...3 { subject.send(value) }
    #expect(await iterator.next() == 3)
    #expect(start.distance(to: scheduler.now) >= .milliseconds(20))
  }

  @Test func `repeated work does not run early, and stops when it is cancelled`() async throws {
    var times: [TaskScheduler.SchedulerTimeType] = []
    let start = scheduler.now
    let repetition = scheduler.schedule(after: start, interval: .milliseconds(10)) { times.append(scheduler.now) }
    while times.count < 3 { await Task.yield() }
    repetition.cancel()
    #expect(start.distance(to: times[2]) >= .milliseconds(20))
    let count = times.count
    try await Task.sleep(for: .milliseconds(40))
    #expect(times.count == count)
  }

  /// Regression: after a sleep of the machine, each missed time was made up for, and an interval of zero never waited.
  @Test(arguments: [10, 0, -1]) func `missed times are skipped`(milliseconds: Int) async throws {
    var count = 0
    let start = scheduler.now.advanced(by: -10)
    let repetition = scheduler.schedule(after: start, interval: .milliseconds(milliseconds)) { count += 1 }
    while count == 0 { await Task.yield() }
    try await Task.sleep(for: .milliseconds(50))
    repetition.cancel()
    #expect((1...600).contains(count), "\(count)")
  }

  @Test func `strides are measured in seconds`() {
    typealias Span = TaskScheduler.SchedulerTimeType.Stride
    #expect(Span.seconds(1.5) + 0.5 == 2)
    #expect(Span.milliseconds(1500) * 2 == 3)
    #expect(Span.seconds(1) - 3 < 0)
    #expect((Span.seconds(1) - 3).magnitude == 2)
    #expect(scheduler.now.advanced(by: 1) > scheduler.now)
  }
}
