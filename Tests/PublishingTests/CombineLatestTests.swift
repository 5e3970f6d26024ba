// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("combineLatest") struct CombineLatestTests {
  let trace = Trace()
  let a = PassthroughSubject<Int, TestError>()

  @Test func `combineLatest is silent until every side has spoken`() {
    let b = PassthroughSubject<String, TestError>()
    a.combineLatest(b).record(trace)
    a.send(1)
    a.send(2)
    b.send("a")
    #expect(trace.text == "(2, \"a\")")
  }

  @Test func `combineLatest keeps the last value of a finished side`() {
    let b = PassthroughSubject<Int, TestError>()
    a.combineLatest(b).record(trace)
    a.send(1)
    a.send(completion: .finished)
    b.send(10)
    b.send(11)
    b.send(completion: .finished)
    #expect(trace.text == "(1, 10) (1, 11) end")
  }

  @Test func `combineLatest of one source with itself shows the half-updated pair`() {
    a.combineLatest(a).record(trace)
    a.send(1)
    a.send(2)
    #expect(trace.text == "(1, 1) (2, 1) (2, 2)")
  }

  @Test func `combineLatest: a side that ends silent ends it at once, as no tuple can come`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    a.combineLatest(b).record(trace)
    b.send(1)
    trace.clear()
    a.finish()
    #expect(trace.entries.sorted() == ["b:cancel", "end"])
  }

  @Test func `combineLatest: one failure cancels the other before it goes down`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    a.combineLatest(b).record(trace)
    trace.clear()
    b.fail(.oops)
    #expect(trace.text == "a:cancel fail")
  }

  @Test
  func `combineLatest: without demand no tuple passes, and with demand the next one is made of the newest values`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = a.combineLatest(b).record(asking: .max(1))
    #expect(a.requested == .max(1))
    #expect(b.requested == .max(1))
    a.send(1)
    b.send(10)
    a.send(2)
    recorder.request(.max(1))
    b.send(11)
    #expect(recorder.values.map { "\($0)" } == ["(1, 10)", "(2, 11)"])
    #expect(recorder.breaches == [])
  }

  @Test func `combineLatest of three and four, with and without a transform`() {
    let s = (0..<4).map { CurrentValueSubject<Int, TestError>($0) }
    let two = s[0].combineLatest(s[1]) { $0 * 10 + $1 }.record()
    let three = s[0].combineLatest(s[1], s[2]).map { "\($0)\($1)\($2)" }.record()
    let threeSum = s[0].combineLatest(s[1], s[2]) { $0 + $1 + $2 }.record()
    let four = s[0].combineLatest(s[1], s[2], s[3]).map { "\($0)\($1)\($2)\($3)" }.record()
    let fourSum = s[0].combineLatest(s[1], s[2], s[3]) { $0 + $1 + $2 + $3 }.record()
    s[1].send(5)
    #expect(two.values == [1, 5])
    #expect(three.values == ["012", "052"])
    #expect(threeSum.values == [3, 7])
    #expect(four.values == ["0123", "0523"])
    #expect(fourSum.values == [6, 10])
  }
}
