// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("map, compactMap, filter, removeDuplicates") struct MapTests {
  struct Person {
    var name = "A"
    var age = 1
    var size = 2.5
  }
  typealias Source = PassthroughSubject<Int, TestError>

  @Test func `map accepts one, two or three key paths`() {
    let person = Just(Person())
    #expect(person.map(\.name).record().values == ["A"])
    let two = person.eraseToAnyPublisher().map(\.name, \.age).record()
    #expect(two.values.map { "\($0)" } == ["(\"A\", 1)"])
    let three = person.eraseToAnyPublisher().map(\.name, \.age, \.size).record()
    #expect(three.values.map { "\($0)" } == ["(\"A\", 1, 2.5)"])
  }

  @Test func `two consecutive maps are combined into one, and so are two filters`() {
    let subject = Source()
    let mapped: Publishers.Map<Source, String> = subject.map { $0 + 1 }.map { "\($0)" }
    let filtered: Publishers.Filter<Source> = subject.filter { $0 % 2 == 0 }.filter { $0 % 3 == 0 }
    let (texts, multiples) = (mapped.record(), filtered.record())
    for value in 1...6 { subject.send(value) }
    #expect(texts.values == ["2", "3", "4", "5", "6", "7"])
    #expect(multiples.values == [6])
  }

  @Test(arguments: [
    Rule("requests a value for each one that it drops", asking: .max(2), "+1 +1 +2", gives: "1 max(0) max(1) 2 max(0)")
  ])
  func `an operator that drops a value requests another one`(rule: Rule) {
    var count = 0
    rule.check {
      $0.up.filter { _ in
        count += 1
        return count != 2
      }
    }
    rule.check { $0.up.removeDuplicates() }
    var last = 0
    rule.check {
      $0.up.compactMap { value in
        defer { last = value }
        return value == last ? nil : value
      }
    }
  }

  @Test(arguments: [
    Rule("waits for demand with its value", asking: .none, "end | ask:1", gives: "| 7 end"),
    Rule("passes values on", "1 end", gives: "1 end"),
    Rule("passes a failure on", "fail", gives: "fail"),
  ])
  func `replaceEmpty satisfies its rules`(rule: Rule) {
    rule.check { $0.up.replaceEmpty(with: 7) }
  }

  @Test func `removeDuplicates passes the first value without a comparison`() {
    let trace = Trace()
    [1, 2].publisher
      .removeDuplicates {
        trace.add("cmp(\($0),\($1))")
        return $0 == $1
      }
      .sink { trace.add("\($0)") }
      .cancel()
    #expect(trace.text == "1 cmp(1,2) 2")
  }

  @Test
  func
    `removeDuplicates compares with the last value that it received, even if it dropped that value`()
  {
    let subject = PassthroughSubject<Double, Never>()
    let recorder = subject.removeDuplicates { abs($0 - $1) < 1 }.record()
    for step in 0...10 { subject.send(Double(step) * 0.4) }
    #expect(recorder.values == [0])
  }
}
