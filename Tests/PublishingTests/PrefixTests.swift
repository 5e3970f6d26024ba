// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("prefix, first, output") struct PrefixTests {
  let trace = Trace()

  @Test func `prefix(2) ends with the second value and cancels upstream first`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.prefix(2).record(trace)
    for value in 1...4 { probe.send(value) }
    probe.finish()
    #expect(trace.text == "up:sub up:unlimited 1 2 up:cancel end")
    #expect(recorder.breaches == [])
  }

  @Test func `first() cancels upstream, then gives value and end`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.first().record(trace)
    probe.send(5)
    probe.send(6)
    #expect(trace.text == "up:sub up:unlimited up:cancel 5 end")
    #expect(recorder.breaches == [])
  }

  @Test func `first() of an empty source ends without a value, and without demand`() {
    Empty<Int, TestError>().first().record(trace, asking: .none)
    #expect(trace.text == "end")
  }

  @Test func `first(where:) and tryFirst(where:)`() {
    let numbers = (1...9).publisher
    #expect(numbers.first { $0 > 3 }.record().values == [4])
    #expect(numbers.tryFirst { $0 > 3 }.record().values == [4])
    let failing = numbers.tryFirst { if $0 == 2 { throw TestError.oops } else { $0 > 3 } }.record()
    #expect(failing.values == [])
    #expect(failing.completion?.traced == "fail")
  }

  @Test func `prefix(0) ends at once`() {
    let probe = Probe<Int, TestError>(trace)
    probe.prefix(0).record(trace)
    #expect(trace.entries.last == "end")
  }

  @Test func `prefix(while:) ends at the first that does not hold, without it`() {
    let probe = Probe<Int, TestError>(trace)
    probe.prefix { $0 < 3 }.record(trace)
    for value in 1...4 { probe.send(value) }
    #expect(trace.text == "up:sub up:unlimited 1 2 up:cancel end")
  }

  @Test func `tryPrefix(while:) cancels upstream and fails when the predicate throws`() {
    let probe = Probe<Int, TestError>(trace)
    probe.tryPrefix { if $0 == 2 { throw TestError.oops } else { true } }.record(trace)
    for value in 1...3 { probe.send(value) }
    #expect(trace.text == "up:sub up:unlimited 1 up:cancel fail")
  }

  @Test func `prefix(untilOutputFrom:) ends with the other's first value, and not with its end`() {
    let source = PassthroughSubject<Int, TestError>()
    let other = PassthroughSubject<String, TestError>()
    source.prefix(untilOutputFrom: other).record(trace)
    source.send(1)
    source.send(2)
    other.send("stop")
    source.send(3)
    #expect(trace.text == "1 2 end")
    let silent = PassthroughSubject<String, TestError>()
    let recorder = source.prefix(untilOutputFrom: silent).record()
    silent.send(completion: .finished)
    source.send(4)
    #expect(recorder.values == [4])
    #expect(recorder.completion == nil)
  }

  @Test func `output(at:) and output(in:) take by index and end with the last`() {
    let letters = ["a", "b", "c", "d"].publisher
    #expect(letters.output(at: 2).record().values == ["c"])
    #expect(letters.output(in: 1...2).record().values == ["b", "c"])
    #expect(letters.output(in: 1..<2).record().values == ["b"])
    #expect(letters.output(in: 2...).record().values == ["c", "d"])
    let probe = Probe<Int, TestError>(trace)
    probe.output(in: 1...2).record(trace)
    for value in 0...5 { probe.send(value) }
    #expect(trace.text == "up:sub up:unlimited 1 2 up:cancel end")
  }

  @Test func `output(at:): a missing index ends without a value`() {
    let recorder = [1].publisher.eraseToAnyPublisher().output(at: 3).record()
    #expect(recorder.values == [])
    #expect(recorder.completion == .finished)
  }

  @Test func `prefix: the demand of downstream goes up unchanged`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.prefix(5).record(asking: .max(2))
    recorder.request(.max(1))
    #expect(probe.requested <= .max(5))
    #expect(probe.requested >= .max(3))
  }
}
