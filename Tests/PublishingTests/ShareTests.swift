// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("share") struct ShareTests {
  let trace = Trace()

  @Test func `share sends only the completion to a subscriber that arrives after it`() {
    let subject = PassthroughSubject<Int, TestError>()
    let shared = subject.share()
    let a = shared.record(trace, "a")
    subject.send(1)
    subject.send(completion: .finished)
    let b = shared.record(trace, "b")
    #expect(trace.text == "a1 aend bend")
    #expect(a.breaches + b.breaches == [])
  }

  @Test func `share cancels upstream with its last subscriber and subscribes again for the next one`() {
    let probe = Probe<Int, TestError>(trace)
    let shared = probe.share()
    let first = shared.record()
    let second = shared.record()
    first.cancel()
    #expect(trace.text == "up:sub up:unlimited")
    second.cancel()
    #expect(trace.text == "up:sub up:unlimited up:cancel")
    shared.record()
    #expect(trace.text == "up:sub up:unlimited up:cancel up:sub up:unlimited")
  }

  @Test func `share sends all values of a synchronous upstream to its first subscriber`() {
    let shared = [1, 2].publisher.share()
    shared.record(trace, "a")
    shared.record(trace, "b")
    #expect(trace.text == "a1 a2 aend bend")
  }

  @Test func `share sends each value to all subscribers and subscribes to upstream once`() {
    let probe = Probe<Int, TestError>(trace)
    let shared = probe.share()
    shared.record(trace, "a")
    shared.record(trace, "b")
    probe.send(1)
    probe.fail(.oops)
    #expect(trace.text == "up:sub up:unlimited a1 b1 afail bfail")
  }

  @Test func `two calls of share return publishers that are not equal`() {
    let a = Just(1).share()
    let b = Just(1).share()
    #expect(a == a)
    #expect(a != b)
  }
}
