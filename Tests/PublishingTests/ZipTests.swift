// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("zip") struct ZipTests {
  let trace = Trace()
  let a = PassthroughSubject<Int, TestError>()

  @Test func `zip pairs by index and keeps values that are ahead`() {
    let b = PassthroughSubject<String, TestError>()
    a.zip(b).record(trace)
    a.send(1)
    a.send(2)
    b.send("a")
    b.send("b")
    #expect(trace.text == "(1, \"a\") (2, \"b\")")
  }

  @Test func `zip ends as soon as no pair can follow`() {
    let b = PassthroughSubject<Int, TestError>()
    a.zip(b).record(trace)
    a.send(1)
    a.send(completion: .finished)
    #expect(trace.text == "")
    b.send(10)
    #expect(trace.text == "(1, 10) end")
  }

  @Test func `zip: a side that ends with nothing kept ends it at once`() {
    let b = PassthroughSubject<Int, TestError>()
    a.zip(b).record(trace)
    b.send(10)
    a.send(completion: .finished)
    #expect(trace.text == "end")
  }

  @Test func `zip forwards downstream demand to each side`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    a.zip(b).record(asking: .max(2))
    #expect(trace.text == "a:sub b:sub a:max(2) b:max(2)")
  }

  @Test func `zip: one failure cancels the other side and drops kept values`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = a.zip(b).record(trace)
    a.send(1)
    trace.clear()
    a.fail(.oops)
    #expect(trace.text == "b:cancel fail")
    b.send(2)
    #expect(recorder.breaches == [])
    #expect(recorder.values.isEmpty)
  }

  @Test func `zip: the early end cancels the sides that still run`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    a.zip(b).record(trace)
    trace.clear()
    a.finish()
    #expect(trace.entries.sorted() == ["b:cancel", "end"])
  }

  @Test func `zip of three and four waits for all`() {
    let s = (0..<4).map { _ in PassthroughSubject<Int, TestError>() }
    let three = s[0].zip(s[1], s[2]).map { "\($0)\($1)\($2)" }.record()
    let four = s[0].zip(s[1], s[2], s[3]).map { "\($0)\($1)\($2)\($3)" }.record()
    for round in 1...2 {
      for subject in s.reversed() { subject.send(round) }
    }
    #expect(three.values == ["111", "222"])
    #expect(four.values == ["1111", "2222"])
    s[3].send(completion: .finished)
    #expect(four.completion == .finished)
    #expect(three.completion == nil)
  }

  @Test func `zip with a transform, for two to four`() {
    let s = (0..<4).map { _ in CurrentValueSubject<Int, TestError>(1) }
    let two = s[0].zip(s[1]) { $0 + $1 }.record()
    let three = s[0].zip(s[1], s[2]) { $0 + $1 + $2 }.record()
    let four = s[0].zip(s[1], s[2], s[3]) { $0 + $1 + $2 + $3 }.record()
    #expect(two.values == [2])
    #expect(three.values == [3])
    #expect(four.values == [4])
  }

  @Test func `zip: a demand raised inside a value is honoured without losing order`() {
    let recorder = [1, 2, 3].publisher.zip(["a", "b", "c"].publisher)
      .map { "\($0)\($1)" }
      .record(asking: .max(1)) { _ in .max(1) }
    #expect(recorder.values == ["1a", "2b", "3c"])
    #expect(recorder.completion == .finished)
    #expect(recorder.breaches == [])
  }
}
