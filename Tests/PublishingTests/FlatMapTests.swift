// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("flatMap") struct FlatMapTests {
  typealias Source = PassthroughSubject<Int, TestError>
  let trace = Trace()

  @Test func `flatMap(maxPublishers: 1): values that a subject sends while one child runs are lost`() {
    let outer = PassthroughSubject<Source, TestError>()
    let children = (0..<3).map { _ in Source() }
    outer.flatMap(maxPublishers: .max(1)) { $0 }.record(trace)
    outer.send(children[0])
    outer.send(children[1])
    children[0].send(1)
    children[1].send(99)
    children[0].send(completion: .finished)
    children[1].send(99)
    outer.send(children[2])
    children[2].send(2)
    children[2].send(completion: .finished)
    outer.send(completion: .finished)
    #expect(trace.text == "1 2 end")
  }

  @Test func `flatMap(maxPublishers: 1) asks for one, and for one more when a child ends`() {
    let probe = Probe<Int, TestError>(trace)
    let child = Probe<Int, TestError>(trace, "c")
    probe.flatMap(maxPublishers: .max(1)) { _ in child }.record()
    probe.send(0)
    child.finish()
    #expect(trace.text == "up:sub up:max(1) c:sub c:unlimited up:max(1)")
  }

  @Test func `flatMap: outer end waits for the children`() {
    let outer = PassthroughSubject<Source, TestError>()
    let child = Source()
    outer.flatMap { $0 }.record(trace)
    outer.send(child)
    outer.send(completion: .finished)
    #expect(trace.text == "")
    child.send(1)
    child.send(completion: .finished)
    #expect(trace.text == "1 end")
  }

  @Test func `flatMap: limited demand = max(1) per child, extra values wait in order`() {
    let outer = PassthroughSubject<Probe<Int, TestError>, TestError>()
    let a = Probe<Int, TestError>(Trace(), "a")
    let b = Probe<Int, TestError>(Trace(), "b")
    let recorder = outer.flatMap { $0 }.record(trace, asking: .max(2))
    outer.send(a)
    outer.send(b)
    #expect(a.requested == .max(1))
    #expect(b.requested == .max(1))
    a.send(1)
    b.send(2)
    a.send(3)
    b.send(4)
    trace.mark()
    recorder.request(.max(2))
    #expect(trace.text == "1 2 | 3 4")
    #expect(recorder.breaches == [])
  }

  @Test func `flatMap: a failing child cancels the outer subscription and the other children; no value follows`() {
    let probe = Probe<Probe<Int, TestError>, TestError>(trace)
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = probe.flatMap { $0 }.record(trace)
    probe.send(a)
    probe.send(b)
    trace.clear()
    a.fail(.oops)
    b.send(1)
    probe.send(Probe<Int, TestError>(trace, "c"))
    #expect(trace.entries.last == "fail")
    #expect(trace.entries.dropLast().sorted() == ["b:cancel", "up:cancel"])
    #expect(recorder.breaches == [])
  }

  @Test func `flatMap: a failing outer cancels the children`() {
    let probe = Probe<Probe<Int, TestError>, TestError>(trace)
    let child = Probe<Int, TestError>(trace, "c")
    probe.flatMap { $0 }.record(trace)
    probe.send(child)
    trace.clear()
    probe.fail(.oops)
    child.send(1)
    #expect(trace.text == "c:cancel fail")
  }

  @Test func `flatMap: cancel reaches the outer and every child once`() {
    let probe = Probe<Probe<Int, TestError>, TestError>(trace)
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = probe.flatMap { $0 }.record(trace)
    probe.send(a)
    probe.send(b)
    trace.clear()
    recorder.cancel()
    recorder.cancel()
    a.send(1)
    probe.finish()
    #expect(trace.entries.sorted() == ["a:cancel", "b:cancel", "up:cancel"])
  }

  @Test func `flatMap without a limit asks the outer for everything, whatever downstream asks`() {
    let probe = Probe<Int, TestError>(trace)
    probe.flatMap { Just($0).setFailureType(to: TestError.self) }.record(asking: .max(1))
    #expect(trace.text == "up:sub up:unlimited")
  }

  @Test func `flatMap: kept values come out before the end`() {
    let recorder = [1, 2].publisher
      .flatMap { [$0 * 10, $0 * 10 + 1].publisher }
      .record(trace, asking: .max(1))
    for _ in 0..<4 { recorder.request(.max(1)) }
    #expect(recorder.values.sorted() == [10, 11, 20, 21])
    #expect(trace.entries.last == "end")
    #expect(recorder.breaches == [])
  }

  @Test func `flatMap: a child that speaks while subscribing keeps its place`() {
    [1, 2, 3].publisher.flatMap { Just($0 * 2) }.record(trace)
    #expect(trace.text == "2 4 6 end")
  }

  @Test func `flatMap: failure types adapt where one side never fails`() {
    let numbers = [1, 2].publisher.flatMap { _ in Fail<Int, TestError>(error: .oops) }.record()
    #expect(numbers.completion == .failure(.oops))
    let never = [1].publisher.setFailureType(to: TestError.self).flatMap { Just($0) }.record()
    #expect(never.completion == .finished)
  }
}
