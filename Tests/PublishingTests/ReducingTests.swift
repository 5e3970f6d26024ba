// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("scan, reduce and other answers") struct ReducingTests {
  let trace = Trace()

  @Test func `scan gives each step, not the start; reduce gives the start for an empty source`() {
    [1, 2].publisher.eraseToAnyPublisher().scan(0, +).record(trace)
    trace.mark()
    Empty<Int, TestError>().reduce(0, +).record(trace)
    #expect(trace.text == "1 3 end | 0 end")
  }

  @Test func `tryScan and tryReduce: a throw cancels upstream, then fails`() {
    let a = Probe<Int, TestError>(trace)
    a.tryScan(0) { if $1 == 2 { throw TestError.oops } else { $0 + $1 } }.record(trace)
    for value in 1...3 { a.send(value) }
    #expect(trace.text == "up:sub up:unlimited 1 up:cancel fail")
    trace.clear()
    let b = Probe<Int, TestError>(trace)
    b.tryReduce(0) { if $1 == 2 { throw TestError.oops } else { $0 + $1 } }.record(trace)
    for value in 1...3 { b.send(value) }
    #expect(trace.text == "up:sub up:unlimited up:cancel fail")
  }

  @Test func `answers wait for demand, and ask upstream for everything`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.count().record(trace, asking: .none)
    probe.send(5)
    probe.send(5)
    probe.finish()
    #expect(trace.text == "up:sub up:unlimited")
    recorder.request(.max(1))
    #expect(trace.text == "up:sub up:unlimited 2 end")
  }

  @Test func `count, min, max, last`() {
    let numbers = [3, 1, 2].publisher.eraseToAnyPublisher()
    #expect(numbers.count().record().values == [3])
    #expect(numbers.min().record().values == [1])
    #expect(numbers.max().record().values == [3])
    #expect(numbers.last().record().values == [2])
    #expect(numbers.last { $0 > 1 }.record().values == [2])
    #expect(numbers.min { $0 > $1 }.record().values == [3])
    #expect(numbers.max { $0 > $1 }.record().values == [1])
    #expect(numbers.tryMin { $0 < $1 }.record().values == [1])
    #expect(numbers.tryMax { $0 < $1 }.record().values == [3])
    #expect(numbers.tryLast { $0 == 3 }.record().values == [3])
  }

  @Test func `min, max, last of nothing end without a value and without demand`() {
    Empty<Int, TestError>().min().record(trace, asking: .none)
    Empty<Int, TestError>().max().record(trace, asking: .none)
    Empty<Int, TestError>().last().record(trace, asking: .none)
    #expect(trace.text == "end end end")
  }

  @Test func `contains and allSatisfy answer as soon as they know, and cancel upstream`() {
    let a = Probe<Int, TestError>(trace)
    a.contains(2).record(trace)
    for value in 1...3 { a.send(value) }
    #expect(trace.text == "up:sub up:unlimited up:cancel true end")
    trace.clear()
    let b = Probe<Int, TestError>(trace)
    b.allSatisfy { $0 < 2 }.record(trace)
    for value in 1...3 { b.send(value) }
    #expect(trace.text == "up:sub up:unlimited up:cancel false end")
  }

  @Test func `contains, contains(where:), allSatisfy at the end`() {
    let numbers = [1, 2, 3].publisher.eraseToAnyPublisher()
    #expect(numbers.contains(9).record().values == [false])
    #expect(numbers.contains { $0 > 2 }.record().values == [true])
    #expect(numbers.tryContains { $0 > 5 }.record().values == [false])
    #expect(numbers.allSatisfy { $0 > 0 }.record().values == [true])
    #expect(numbers.tryAllSatisfy { $0 > 1 }.record().values == [false])
    #expect(Empty<Int, TestError>().allSatisfy { _ in false }.record().values == [true])
  }

  @Test func `the try forms fail when the closure throws`() {
    let numbers = [1, 2, 3].publisher.eraseToAnyPublisher()
    func failing<A>(_: A...) throws -> Bool { throw TestError.oops }
    #expect(numbers.tryMin { try failing($0, $1) }.record().completion?.traced == "fail")
    #expect(numbers.tryMax { try failing($0, $1) }.record().completion?.traced == "fail")
    #expect(numbers.tryLast { try failing($0) }.record().completion?.traced == "fail")
    #expect(numbers.tryContains { try failing($0) }.record().completion?.traced == "fail")
    #expect(numbers.tryAllSatisfy { try failing($0) }.record().completion?.traced == "fail")
  }

  @Test func `ignoreOutput swallows values and passes the end`() {
    let probe = Probe<Int, TestError>(trace)
    probe.ignoreOutput().record(trace)
    probe.send(1)
    probe.finish()
    #expect(trace.text == "up:sub up:unlimited end")
  }

  @Test func `dropFirst, drop(while:), tryDrop(while:)`() {
    let numbers = [1, 2, 3, 1].publisher.eraseToAnyPublisher()
    #expect(numbers.dropFirst().record().values == [2, 3, 1])
    #expect(numbers.dropFirst(3).record().values == [1])
    #expect(numbers.drop { $0 < 3 }.record().values == [3, 1])
    #expect(numbers.tryDrop { $0 < 2 }.record().values == [2, 3, 1])
    #expect(numbers.tryDrop { _ in throw TestError.oops }.record().completion?.traced == "fail")
  }

  @Test func `dropFirst asks for as many more as it drops`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.dropFirst(2).record(asking: .max(3))
    for value in 1...5 { probe.offer(value) }
    #expect(recorder.values == [3, 4, 5])
    #expect(recorder.breaches == [])
  }

  @Test func `drop(untilOutputFrom:) opens with the other's first value, and cancels it`() {
    let source = Probe<Int, TestError>(trace, "s")
    let other = Probe<String, TestError>(trace, "o")
    let recorder = source.drop(untilOutputFrom: other).record()
    source.send(1)
    other.send("go")
    source.send(2)
    source.finish()
    #expect(recorder.values == [2])
    #expect(recorder.completion == .finished)
    #expect(other.cancels == 1)
  }

  @Test func `drop(untilOutputFrom:): the other's end without a value ends it all, as nothing can come`() {
    let source = Probe<Int, TestError>(trace, "s")
    let other = Probe<String, TestError>(trace, "o")
    source.drop(untilOutputFrom: other).record(trace)
    trace.clear()
    other.finish()
    #expect(trace.entries.sorted() == ["end", "s:cancel"])
  }
}
