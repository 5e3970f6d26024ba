// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("removeDuplicates") struct RemoveDuplicatesTests {
  let trace = Trace()

  @Test func `removeDuplicates: the first value passes without a comparison`() {
    let trace = trace
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
    `removeDuplicates(by:) compares with the last value RECEIVED, not the last let through: slow drift never passes`()
  {
    let subject = PassthroughSubject<Double, Never>()
    subject.removeDuplicates { abs($0 - $1) < 1 }.record(trace)
    for step in 0...10 { subject.send(Double(step) * 0.4) }
    #expect(trace.text == "0.0")
  }

  @Test func `removeDuplicates requests a value for each one that it drops`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.removeDuplicates().record(asking: .max(2))
    #expect(probe.send(1) == .none)
    #expect(probe.send(1) == .max(1))
    #expect(probe.send(2) == .none)
    #expect(recorder.values == [1, 2])
    #expect(trace.text == "up:sub up:max(2)")
  }

  @Test func `tryRemoveDuplicates: a throw cancels upstream, then fails`() {
    let probe = Probe<Int, TestError>(trace)
    probe
      .tryRemoveDuplicates { left, right in
        if right == 3 { throw TestError.other }
        return left == right
      }
      .record(trace)
    for value in [1, 1, 2, 3, 4] { probe.send(value) }
    #expect(trace.text == "up:sub up:unlimited 1 2 up:cancel fail")
  }
}
