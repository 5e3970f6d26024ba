// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("switchToLatest") struct SwitchToLatestTests {
  typealias Source = PassthroughSubject<Int, TestError>
  let trace = Trace()

  @Test func `switchToLatest ends when outer and last inner have ended`() {
    let outer = PassthroughSubject<Source, TestError>()
    let a = Source()
    outer.switchToLatest().record(trace)
    outer.send(a)
    a.send(1)
    outer.send(completion: .finished)
    a.send(2)
    #expect(trace.text == "1 2")
    a.send(completion: .finished)
    #expect(trace.text == "1 2 end")
  }

  @Test func `switchToLatest cancels the old before it subscribes to the new`() {
    let outer = PassthroughSubject<Probe<Int, TestError>, TestError>()
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = outer.switchToLatest().record(trace)
    outer.send(a)
    outer.send(b)
    #expect(trace.text == "a:sub a:unlimited a:cancel b:sub b:unlimited")
    a.send(1)
    a.finish()
    b.send(2)
    #expect(recorder.values == [2])
    #expect(recorder.completion == nil)
  }

  @Test func `switchToLatest: the last inner ends first, then the outer`() {
    let outer = PassthroughSubject<Source, TestError>()
    let a = Source()
    outer.switchToLatest().record(trace)
    outer.send(a)
    a.send(completion: .finished)
    #expect(trace.text == "")
    outer.send(completion: .finished)
    #expect(trace.text == "end")
  }

  @Test func `switchToLatest: an outer that ends without an inner ends it`() {
    let outer = PassthroughSubject<Source, TestError>()
    outer.switchToLatest().record(trace)
    outer.send(completion: .finished)
    #expect(trace.text == "end")
  }

  @Test func `switchToLatest: a failing inner cancels the outer; a failing outer cancels the inner`() {
    let outer = Probe<Probe<Int, TestError>, TestError>(trace, "o")
    let inner = Probe<Int, TestError>(trace, "i")
    let first = outer.switchToLatest().record(trace)
    outer.send(inner)
    trace.clear()
    inner.fail(.oops)
    #expect(trace.text == "o:cancel fail")
    let second = outer.switchToLatest().record(trace)
    outer.send(inner)
    trace.clear()
    outer.fail(.oops)
    #expect(trace.text == "i:cancel fail")
    #expect(first.breaches + second.breaches == [])
  }

  @Test func `switchToLatest: the unmet demand moves on to the next inner`() {
    let outer = Probe<Probe<Int, TestError>, TestError>(Trace())
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = outer.switchToLatest().record(asking: .max(3))
    outer.send(a)
    a.send(1)
    outer.send(b)
    recorder.request(.max(1))
    #expect(trace.text == "a:sub a:max(3) a:cancel b:sub b:max(2) b:max(1)")
  }

  @Test func `switchToLatest asks the outer for everything`() {
    let outer = Probe<Probe<Int, TestError>, TestError>(trace)
    outer.switchToLatest().record(asking: .max(1))
    #expect(trace.text == "up:sub up:unlimited")
  }

  @Test func `switchToLatest: cancel reaches outer and inner once`() {
    let outer = Probe<Probe<Int, TestError>, TestError>(trace, "o")
    let inner = Probe<Int, TestError>(trace, "i")
    let recorder = outer.switchToLatest().record(trace)
    outer.send(inner)
    trace.clear()
    recorder.cancel()
    recorder.cancel()
    inner.send(1)
    #expect(trace.entries.sorted() == ["i:cancel", "o:cancel"])
  }

  @Test func `switchToLatest: failure types adapt where one side never fails`() {
    let a = PassthroughSubject<Fail<Int, TestError>, Never>()
    let recorder = a.switchToLatest().record()
    a.send(Fail(error: .oops))
    #expect(recorder.completion == .failure(.oops))
    let b = PassthroughSubject<Just<Int>, TestError>()
    let other = b.switchToLatest().record()
    b.send(Just(1))
    #expect(other.values == [1])
  }
}
