// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("scan, reduce and other single results") struct ReducingTests {
  @Test(arguments: [Rule("sends each step, not the initial result", "1 2 end", gives: "1 3 end")])
  func `scan satisfies its rules`(rule: Rule) {
    rule.check { $0.up.scan(0, +) }
  }

  @Test(arguments: [
    Rule("sends the initial result if there is no value", "end", gives: "0 end"),
    Rule(
      "waits for demand, and has unlimited demand itself", asking: .none, "1 2 end | ask:1",
      gives: "up:sub up:unlimited | 3 end"),
  ])
  func `reduce satisfies its rules`(rule: Rule) {
    rule.check { $0.up.reduce(0, +) }
  }

  @Test(arguments: [Rule("ends without a value and without demand", asking: .none, "end", gives: "end")])
  func `min, max and last of a publisher without values satisfy their rules`(rule: Rule) {
    rule.check { $0.up.min() }
    rule.check { $0.up.max() }
    rule.check { $0.up.last() }
  }

  @Test func `min and max do not depend on the order of the values`() {
    let numbers = [3, 1, 2].publisher.eraseToAnyPublisher()
    #expect(numbers.min().record().values == [1])
    #expect(numbers.max().record().values == [3])
    #expect(numbers.min { $0 > $1 }.record().values == [3])
    #expect(numbers.max { $0 > $1 }.record().values == [1])
    #expect(numbers.tryMin { $0 < $1 }.record().values == [1])
    #expect(numbers.tryMax { $0 < $1 }.record().values == [3])
    #expect(numbers.last { $0 > 1 }.record().values == [2])
    #expect(numbers.tryLast { $0 == 3 }.record().values == [3])
    #expect(Empty<Int, TestError>().allSatisfy { _ in false }.record().values == [true])
  }
}
