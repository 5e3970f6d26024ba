// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("zip") struct ZipTests {
  @Test(arguments: [
    Rule("pairs by index and keeps values that are ahead", "a:1 a:2 b:10 b:20", gives: "(1, 10) (2, 20)"),
    Rule("ends when no pair can follow", "a:1 a:end | b:10", gives: "| (1, 10) end"),
    Rule(
      "a side that ends with nothing stored ends it and cancels the other", "b:10 clear a:end", gives: "b:cancel end"),
    Rule("passes its demand on to each side", asking: .max(2), "", gives: "a:sub b:sub a:max(2) b:max(2)"),
    Rule("one failure cancels the other side and drops stored values", "a:1 clear a:fail b:2", gives: "b:cancel fail"),
  ])
  func `zip satisfies its rules`(rule: Rule) {
    rule.check { $0.a.zip($0.b) }
  }

  @Test func `zip of three or four publishers waits for a value of each`() {
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

  @Test func `zip accepts a transform for two, three or four publishers`() {
    let s = (0..<4).map { _ in CurrentValueSubject<Int, TestError>(1) }
    let two = s[0].zip(s[1]) { $0 + $1 }.record()
    let three = s[0].zip(s[1], s[2]) { $0 + $1 + $2 }.record()
    let four = s[0].zip(s[1], s[2], s[3]) { $0 + $1 + $2 + $3 }.record()
    #expect([two, three, four].map(\.values) == [[2], [3], [4]])
  }

  @Test func `values that a subscriber of zip requests while it receives one are delivered in order`() {
    let recorder = [1, 2, 3].publisher.zip(["a", "b", "c"].publisher)
      .map { "\($0)\($1)" }
      .record(asking: .max(1)) { _ in .max(1) }
    #expect(recorder.trace.text == "1a 2b 3c end")
    #expect(recorder.breaches == [])
  }

  @Test func `zip and combineLatest of several publishers fail if one of them fails immediately`() {
    let silent = PassthroughSubject<Int, TestError>()
    let first = Just(1).setFailureType(to: TestError.self)
    let failing = Fail<Int, TestError>(error: .oops)
    #expect(first.zip(failing, silent).record().trace.text == "fail")
    #expect(first.combineLatest(failing, silent).record().trace.text == "fail")
    #expect(first.zip(first, failing, silent).record().trace.text == "fail")
  }
}
