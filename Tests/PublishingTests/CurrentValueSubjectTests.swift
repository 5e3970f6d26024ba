// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("CurrentValueSubject") struct CurrentValueSubjectTests {
  let trace = Trace()

  @Test func `CurrentValueSubject sends the current value on the first demand, not on subscription`() {
    let subject = CurrentValueSubject<Int, TestError>(7)
    let recorder = subject.record(trace, asking: .none)
    trace.mark()
    recorder.request(.max(1))
    #expect(trace.text == "| 7")
  }

  @Test func `a subscriber of CurrentValueSubject that requests late receives only the newest value`() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let recorder = subject.record(trace, asking: .max(1))
    subject.send(1)
    subject.send(2)
    subject.send(3)
    trace.mark()
    recorder.request(.max(1))
    #expect(trace.text == "0 | 3")
    recorder.request(.max(1))
    #expect(trace.text == "0 | 3")
  }

  @Test func `send on a CurrentValueSubject that has ended does not change its value`() {
    let subject = CurrentValueSubject<Int, TestError>(1)
    subject.record(trace)
    subject.send(completion: .finished)
    subject.send(2)
    trace.add("v\(subject.value)")
    #expect(trace.text == "1 end v1")
  }

  @Test func `setting the value of a CurrentValueSubject that has ended does not publish it`() {
    let subject = CurrentValueSubject<Int, TestError>(1)
    let recorder = subject.record(trace)
    subject.send(completion: .failure(.oops))
    subject.value = 2
    #expect(subject.value == 2)
    #expect(recorder.values == [1])
  }

  @Test func `a new subscriber of a CurrentValueSubject that has ended receives only the completion`() {
    let subject = CurrentValueSubject<Int, TestError>(1)
    subject.send(completion: .failure(.oops))
    let recorder = subject.record()
    #expect(recorder.values == [])
    #expect(recorder.completion == .failure(.oops))
  }

  @Test func `setting the value of a CurrentValueSubject publishes it after the change`() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let recorder = subject.record { value in
      trace.add("\(value)=\(subject.value)")
      return .none
    }
    subject.value = 1
    subject.send(2)
    subject.value += 1
    #expect(recorder.values == [0, 1, 2, 3])
    #expect(trace.text == "0=0 1=1 2=2 3=3")
  }

  @Test func `CurrentValueSubject requests unlimited demand from its upstream and forwards its values`() {
    let probe = Probe<Int, TestError>(trace)
    let subject = CurrentValueSubject<Int, TestError>(0)
    let connection = probe.subscribe(subject)
    #expect(trace.text == "up:sub up:unlimited")
    probe.send(5)
    #expect(subject.value == 5)
    connection.cancel()
    #expect(trace.text == "up:sub up:unlimited up:cancel")
  }
}
