// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("map, compactMap, filter") struct MapTests {
  struct Person {
    var name = "A"
    var age = 1
    var size = 2.5
  }
  let trace = Trace()

  @Test func `tryMap: a throw cancels upstream, then fails`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.tryMap { _ -> Int in throw TestError.other }.record(trace)
    probe.send(1)
    probe.send(2)
    #expect(trace.text == "up:sub up:unlimited up:cancel fail")
    #expect(recorder.breaches == [])
  }

  @Test func `map: values change, everything else passes`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.map { "v\($0)" }.record(trace, asking: .max(2))
    probe.send(1)
    probe.fail(.oops)
    recorder.request(.max(1))
    #expect(trace.entries.prefix(4).joined(separator: " ") == "up:sub up:max(2) v1 fail")
    #expect(recorder.completion == .failure(.oops))
  }

  @Test func `map with one, two and three key paths`() {
    let person = Just(Person())
    #expect(person.map(\.name).record().values == ["A"])
    let two = person.eraseToAnyPublisher().map(\.name, \.age).record()
    #expect(two.values.map { "\($0)" } == ["(\"A\", 1)"])
    let three = person.eraseToAnyPublisher().map(\.name, \.age, \.size).record()
    #expect(three.values.map { "\($0)" } == ["(\"A\", 1, 2.5)"])
  }

  @Test func `maps of maps are one map`() {
    let subject = PassthroughSubject<Int, TestError>()
    let mapped: Publishers.Map<PassthroughSubject<Int, TestError>, String> = subject.map { $0 + 1 }.map { "\($0)" }
    let recorder = mapped.record()
    subject.send(1)
    #expect(recorder.values == ["2"])
  }

  @Test func `filter requests max(1) for each rejected value`() {
    let probe = Probe<Int, TestError>(Trace())
    probe.filter { $0 > 1 }.record(asking: .max(1))
    trace.add(probe.send(1).traced)
    trace.add(probe.send(2).traced)
    #expect(trace.text == "max(1) max(0)")
  }

  @Test func `filter, then filter, is one filter of both`() {
    let recorder = (1...20).publisher.eraseToAnyPublisher().filter { $0 % 2 == 0 }.filter { $0 % 3 == 0 }.record()
    #expect(recorder.values == [6, 12, 18])
  }

  @Test func `tryFilter: a throw cancels upstream, then fails`() {
    let probe = Probe<Int, TestError>(trace)
    probe.tryFilter { if $0 == 3 { throw TestError.oops } else { $0 > 1 } }.record(trace)
    for value in 1...4 { probe.send(value) }
    #expect(trace.text == "up:sub up:unlimited 2 up:cancel fail")
  }

  @Test func `compactMap drops nil and makes up for it`() {
    let probe = Probe<String, TestError>(trace)
    let recorder = probe.compactMap { Int($0) }.record(asking: .max(2))
    #expect(probe.send("x") == .max(1))
    #expect(probe.send("1") == .none)
    #expect(recorder.values == [1])
  }

  @Test func `tryCompactMap: a throw cancels upstream, then fails`() {
    let probe = Probe<Int, TestError>(trace)
    probe.tryCompactMap { if $0 == 3 { throw TestError.oops } else { $0 > 1 ? $0 : nil } }.record(trace)
    for value in 1...4 { probe.send(value) }
    #expect(trace.text == "up:sub up:unlimited 2 up:cancel fail")
  }

  @Test func `replaceNil fills in, replaceEmpty speaks when no value came`() {
    #expect([1, nil, 3].publisher.eraseToAnyPublisher().replaceNil(with: 0).record().values == [1, 0, 3])
    #expect(Empty<Int, TestError>().replaceEmpty(with: 7).record().values == [7])
    #expect([1].publisher.eraseToAnyPublisher().replaceEmpty(with: 7).record().values == [1])
    let failed = Fail<Int, TestError>(error: .oops).replaceEmpty(with: 7).record()
    #expect(failed.values == [])
    #expect(failed.completion == .failure(.oops))
  }

  @Test func `replaceEmpty waits for demand with its value`() {
    let recorder = Empty<Int, TestError>().replaceEmpty(with: 7).record(trace, asking: .none)
    #expect(trace.text == "")
    recorder.request(.max(1))
    #expect(trace.text == "7 end")
  }
}
