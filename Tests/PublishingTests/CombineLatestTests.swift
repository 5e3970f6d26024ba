// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("combineLatest") struct CombineLatestTests {
  @Test(arguments: [
    Rule("is silent until every side has sent a value", "a:1 a:2 | b:10", gives: "| (2, 10)"),
    Rule("keeps the last value of a finished side", "a:1 a:end b:10 b:11 b:end", gives: "(1, 10) (1, 11) end"),
    Rule("ends immediately when a side ends without a value", "b:1 clear a:end", gives: "b:cancel end"),
    Rule("one failure cancels the other side before it is passed on", "clear b:fail", gives: "a:cancel fail"),
    Rule(
      "without demand no tuple passes; with demand the next contains the newest values", asking: .max(1),
      "a:1 b:10 a:2 clear ask:1 b:11", gives: "a:max(1) b:max(1) (2, 11)"),
    Rule("passes its demand on to every side", asking: .max(1), "", gives: "a:sub b:sub a:max(1) b:max(1)"),
  ])
  func `combineLatest satisfies its rules`(rule: Rule) {
    rule.check { $0.a.combineLatest($0.b) }
  }

  @Test func `combineLatest of a subject with itself sends a pair after each of the two updates`() {
    let (trace, subject) = (Trace(), PassthroughSubject<Int, TestError>())
    subject.combineLatest(subject).record(trace)
    subject.send(1)
    subject.send(2)
    #expect(trace.text == "(1, 1) (2, 1) (2, 2)")
  }

  @Test func `combineLatest accepts two to four publishers, with and without a transform`() {
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
