// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// Runs entirely on the main actor, like a program with one thread.
@MainActor @Suite("values") struct ValuesTests {
  /// Yields to other tasks until `condition` holds.
  private func settle(until condition: () -> Bool) async {
    for _ in 0..<100_000 where !condition() { await Task.yield() }
  }

  /// Yields to other tasks for a while, during which nothing should happen.
  private func settle() async {
    for _ in 0..<20 { await Task.yield() }
  }

  /// A task that reads all values of a publisher.
  @MainActor private final class Reader {
    private(set) var values: [Int] = []
    private(set) var hasEnded = false
    private(set) var error: (any Error)?
    private var task: Task<Void, Never>?

    init<P: Publisher<Int, Never> & SendableMetatype>(_ publisher: P, onceCancelled: Bool = false) {
      task = Task { @MainActor in
        while onceCancelled, !Task.isCancelled { await Task.yield() }
        for await value in publisher.values { values.append(value) }
        hasEnded = true
      }
    }

    init<P: Publisher<Int, TestError> & SendableMetatype>(_ publisher: P) {
      task = Task { @MainActor in
        do {
          for try await value in publisher.values { values.append(value) }
          hasEnded = true
        } catch {
          self.error = error
        }
      }
    }

    func cancel() { task?.cancel() }

    func wait() async { await task?.value }
  }

  @Test func `.values yields all values of a sequence and then ends`() async {
    var seen: [Int] = []
    for await value in [1, 2, 3].publisher.values { seen.append(value) }
    #expect(seen == [1, 2, 3])
  }

  @Test func `.values throws a failure after it has yielded all values`() async {
    var seen: [Int] = []
    var caught: (any Error)?
    do {
      for try await value in Record<Int, TestError>(output: [1, 2], completion: .failure(.oops)).values {
        seen.append(value)
      }
    } catch {
      caught = error
    }
    #expect(seen == [1, 2])
    #expect(caught as? TestError == .oops)
  }

  @Test func `a task that waits in .values continues when the publisher completes`() async {
    let subject = PassthroughSubject<Int, Never>()
    let probe = Probe<Int, Never>()
    let connection = probe.subscribe(subject)
    let reader = Reader(subject)
    await settle { probe.requested > .none }
    probe.send(1)
    await settle { reader.values == [1] }
    await settle()
    probe.finish()
    await settle { reader.hasEnded }
    #expect(reader.values == [1])
    #expect(reader.hasEnded)
    connection.cancel()
    await reader.wait()
  }

  @Test func `a task that waits in .values receives the failure of the publisher`() async {
    let probe = Probe<Int, TestError>()
    let reader = Reader(probe)
    await settle { probe.requested > .none }
    probe.fail(.oops)
    await reader.wait()
    #expect(reader.error as? TestError == .oops)
    #expect(reader.values == [])
  }

  @Test func `cancelling a task that waits in .values cancels upstream`() async {
    let probe = Probe<Int, Never>()
    let reader = Reader(probe)
    await settle { probe.requested > .none }
    reader.cancel()
    await reader.wait()
    #expect(reader.hasEnded)
    #expect(probe.cancels == 1)
    probe.send(1)
    #expect(reader.values == [])
  }

  @Test func `cancelling a task that waits in a throwing .values sequence cancels upstream`() async throws {
    let probe = Probe<Int, TestError>()
    let reader = Reader(probe)
    await settle { probe.requested > .none }
    reader.cancel()
    await reader.wait()
    #expect(reader.hasEnded || reader.error is CancellationError)
    #expect(probe.cancels == 1)
  }

  @Test func `.values yields nothing to a task that was cancelled before, and cancels upstream`() async {
    let probe = Probe<Int, Never>()
    let reader = Reader(probe, onceCancelled: true)
    reader.cancel()
    await reader.wait()
    #expect(reader.hasEnded)
    #expect(reader.values == [])
    #expect(probe.links.isEmpty || probe.cancels == 1)
  }

  @Test func `.values drops a value that is sent between two calls of next() unless it is buffered`() async {
    let subject = PassthroughSubject<Int, Never>()
    let plain = Reader(subject)
    let kept = Reader(subject.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest))
    await settle()
    for value in 1...4 { subject.send(value) }
    await settle { plain.values.count == 1 && kept.values.count == 2 }
    await settle()
    subject.send(5)
    await settle { plain.values.count == 2 && kept.values.count == 3 }
    subject.send(completion: .finished)
    await plain.wait()
    await kept.wait()
    #expect(plain.values == [1, 5])
    #expect(kept.values == [1, 4, 5])
  }

  @Test func `.values requests one value for each call of next()`() async {
    let trace = Trace()
    let probe = Probe<Int, Never>(trace)
    let reader = Reader(probe)
    await settle { probe.requested > .none }
    #expect(probe.requested == .max(1))
    #expect(probe.offer(1))
    await settle { probe.requested > .max(1) }
    #expect(probe.requested == .max(2))
    probe.finish()
    await reader.wait()
    #expect(trace.text == "up:sub up:max(1) up:max(1)")
  }

  @Test func `leaving a loop over .values cancels upstream`() async {
    let probe = Probe<Int, Never>()
    let task = Task { @MainActor in
      for await _ in probe.values { break }
    }
    await settle { probe.requested > .none }
    probe.send(1)
    await task.value
    await settle { probe.cancels > 0 }
    #expect(probe.cancels == 1)
  }

  @Test func `after the end of .values, next() returns nil`() async {
    var iterator = Just(1).values.makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) == 1)
    #expect(await iterator.next(isolation: #isolation) == nil)
    #expect(await iterator.next(isolation: #isolation) == nil)
  }

  @Test func `after .values has thrown a failure, next() returns nil`() async throws {
    var iterator = Fail<Int, TestError>(error: .oops).values.makeAsyncIterator()
    await #expect(throws: TestError.oops) { _ = try await iterator.next(isolation: #isolation) }
    #expect(try await iterator.next(isolation: #isolation) == nil)
  }

  @Test func `.values of a CurrentValueSubject begins with the current value`() async {
    let subject = CurrentValueSubject<Int, Never>(1)
    var iterator = subject.values.makeAsyncIterator()
    subject.send(2)
    #expect(await iterator.next(isolation: #isolation) == 2)
    subject.send(3)
    #expect(await iterator.next(isolation: #isolation) == 3)
  }

  @Test func `two loops over .values of one publisher subscribe separately`() async {
    let subject = PassthroughSubject<Int, Never>()
    let readers = [Reader(subject), Reader(subject)]
    await settle()
    subject.send(1)
    await settle { readers.allSatisfy { $0.values == [1] } }
    subject.send(completion: .finished)
    for reader in readers { await reader.wait() }
    #expect(readers.map(\.values) == [[1], [1]])
  }

  @Test func `Future.value waits for the result or throws the failure`() async throws {
    let future = Future<Int, Never> { $0(.success(4)) }
    #expect(await future.value == 4)
    let failing = Future<Int, TestError> { $0(.failure(.oops)) }
    await #expect(throws: TestError.oops) { _ = try await failing.value }
  }
}
