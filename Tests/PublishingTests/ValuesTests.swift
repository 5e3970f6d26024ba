// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// On the main actor throughout, as a program with one thread uses it.
@MainActor @Suite("values") struct ValuesTests {
  /// Lets other tasks run until `condition` holds.
  private func settle(until condition: () -> Bool) async {
    for _ in 0..<100_000 where !condition() { await Task.yield() }
  }

  /// Lets other tasks run for a while, in which nothing should happen.
  private func settle() async {
    for _ in 0..<20 { await Task.yield() }
  }

  /// What a task that reads values has seen.
  private final class Seen {
    var values: [Int] = []
    var ended = false
    var error: (any Error)?
  }

  @Test func `values: all of a sequence, then the end`() async {
    var seen: [Int] = []
    for await value in [1, 2, 3].publisher.values { seen.append(value) }
    #expect(seen == [1, 2, 3])
  }

  @Test func `values: a failure is thrown after the values`() async {
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

  @Test func `values: the end wakes a task that waits`() async {
    let subject = PassthroughSubject<Int, Never>()
    let probe = Probe<Int, Never>()
    let seen = Seen()
    let connection = probe.subscribe(subject)
    let task = Task { @MainActor in
      for await value in subject.values { seen.values.append(value) }
      seen.ended = true
    }
    await settle { probe.requested > .none }
    probe.send(1)
    await settle { seen.values == [1] }
    await settle()
    probe.finish()
    await settle { seen.ended }
    #expect(seen.values == [1])
    #expect(seen.ended)
    connection.cancel()
    await task.value
  }

  @Test func `values: a failure wakes a task that waits`() async {
    let probe = Probe<Int, TestError>()
    let seen = Seen()
    let task = Task { @MainActor in
      do {
        for try await value in probe.values { seen.values.append(value) }
      } catch {
        seen.error = error
      }
    }
    await settle { probe.requested > .none }
    probe.fail(.oops)
    await task.value
    #expect(seen.error as? TestError == .oops)
    #expect(seen.values == [])
  }

  @Test func `values: cancelling the task wakes it and cancels upstream`() async {
    let trace = Trace()
    let probe = Probe<Int, Never>(trace)
    let seen = Seen()
    let task = Task { @MainActor in
      for await value in probe.values { seen.values.append(value) }
      seen.ended = true
    }
    await settle { probe.requested > .none }
    task.cancel()
    await task.value
    #expect(seen.ended)
    #expect(probe.cancels == 1)
    probe.send(1)
    #expect(seen.values == [])
  }

  @Test func `values: cancelling the task ends a throwing sequence too`() async throws {
    let probe = Probe<Int, TestError>()
    let seen = Seen()
    let task = Task { @MainActor in
      do {
        for try await value in probe.values { seen.values.append(value) }
        seen.ended = true
      } catch {
        seen.error = error
      }
    }
    await settle { probe.requested > .none }
    task.cancel()
    await task.value
    #expect(seen.ended || seen.error is CancellationError)
    #expect(probe.cancels == 1)
  }

  @Test func `values: a task cancelled before the first next() gets nothing, and upstream is cancelled`() async {
    let probe = Probe<Int, Never>()
    let seen = Seen()
    let task = Task { @MainActor in
      while !Task.isCancelled { await Task.yield() }
      for await value in probe.values { seen.values.append(value) }
      seen.ended = true
    }
    task.cancel()
    await task.value
    #expect(seen.ended)
    #expect(seen.values == [])
    #expect(probe.links.isEmpty || probe.cancels == 1)
  }

  @Test func `values: a value sent between two next() is lost; a buffer before it keeps the newest`() async {
    let subject = PassthroughSubject<Int, Never>()
    let plain = Seen()
    let kept = Seen()
    let first = Task { @MainActor in
      for await value in subject.values { plain.values.append(value) }
    }
    let second = Task { @MainActor in
      let buffered = subject.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)
      for await value in buffered.values { kept.values.append(value) }
    }
    await settle()
    for value in 1...4 { subject.send(value) }
    await settle { plain.values.count == 1 && kept.values.count == 2 }
    await settle()
    subject.send(5)
    await settle { plain.values.count == 2 && kept.values.count == 3 }
    subject.send(completion: .finished)
    await first.value
    await second.value
    #expect(plain.values == [1, 5])
    #expect(kept.values == [1, 4, 5])
  }

  @Test func `values asks for one value at each next()`() async {
    let trace = Trace()
    let probe = Probe<Int, Never>(trace)
    let seen = Seen()
    let task = Task { @MainActor in
      for await value in probe.values { seen.values.append(value) }
    }
    await settle { probe.requested > .none }
    #expect(probe.requested == .max(1))
    #expect(probe.offer(1))
    await settle { probe.requested > .max(1) }
    #expect(probe.requested == .max(2))
    probe.finish()
    await task.value
    #expect(trace.text == "up:sub up:max(1) up:max(1)")
  }

  @Test func `values: leaving the loop cancels upstream`() async {
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

  @Test func `values: after the end next() goes on giving nil`() async {
    var iterator = Just(1).values.makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) == 1)
    #expect(await iterator.next(isolation: #isolation) == nil)
    #expect(await iterator.next(isolation: #isolation) == nil)
  }

  @Test func `values: after a failure was thrown, the sequence has ended`() async throws {
    var iterator = Fail<Int, TestError>(error: .oops).values.makeAsyncIterator()
    await #expect(throws: TestError.oops) { _ = try await iterator.next(isolation: #isolation) }
    #expect(try await iterator.next(isolation: #isolation) == nil)
  }

  @Test func `values of a CurrentValueSubject start with the current one`() async {
    let subject = CurrentValueSubject<Int, Never>(1)
    var iterator = subject.values.makeAsyncIterator()
    subject.send(2)
    #expect(await iterator.next(isolation: #isolation) == 2)
    subject.send(3)
    #expect(await iterator.next(isolation: #isolation) == 3)
  }

  @Test func `values: two loops over the same publisher are two subscriptions`() async {
    let subject = PassthroughSubject<Int, Never>()
    let (a, b) = (Seen(), Seen())
    let tasks = [a, b].map { seen in
      Task { @MainActor in
        for await value in subject.values { seen.values.append(value) }
      }
    }
    await settle()
    subject.send(1)
    await settle { a.values == [1] && b.values == [1] }
    subject.send(completion: .finished)
    for task in tasks { await task.value }
    #expect([a.values, b.values] == [[1], [1]])
  }

  @Test func `Future.value waits for the promise, and throws its failure`() async throws {
    let future = Future<Int, Never> { $0(.success(4)) }
    #expect(await future.value == 4)
    let failing = Future<Int, TestError> { $0(.failure(.oops)) }
    await #expect(throws: TestError.oops) { _ = try await failing.value }
  }
}
