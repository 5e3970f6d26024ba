// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("catch, retry, replaceError, mapError") struct RecoveryTests {
  let trace = Trace()

  @Test func `catch carries the unmet demand over`() {
    let first = Record<Int, TestError>(output: [1], completion: .failure(.oops))
    let probe = Probe<Int, TestError>(trace)
    first.catch { _ in probe }.record(trace, asking: .max(2))
    #expect(trace.text == "1 up:sub up:max(1)")
  }

  @Test func `catch: a failure of the replacement goes down`() {
    let recorder = Fail<Int, TestError>(error: .oops).catch { _ in Fail<Int, TestError>(error: .other) }.record()
    #expect(recorder.completion == .failure(.other))
  }

  @Test func `catch: without a failure the replacement is not made`() {
    let trace = trace
    [1, 2].publisher.setFailureType(to: TestError.self)
      .catch { _ in
        trace.add("made")
        return Just(9)
      }
      .record(trace)
    #expect(trace.text == "1 2 end")
  }

  @Test func `catch: the failed upstream is heard no more, cancel reaches the replacement`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, Never>(trace, "b")
    let recorder = a.catch { _ in b }.record(trace)
    a.fail(.oops)
    a.send(1)
    a.finish()
    trace.clear()
    recorder.cancel()
    #expect(trace.text == "b:cancel")
    #expect(recorder.breaches == [])
  }

  @Test func `tryCatch: a throw becomes the failure`() {
    let recorder = Fail<Int, TestError>(error: .oops)
      .tryCatch { _ -> Just<Int> in throw TestError.other }
      .record()
    #expect(recorder.completion?.traced == "fail")
    let saved = Fail<Int, TestError>(error: .oops).tryCatch { _ in Just(3) }.record()
    #expect(saved.values == [3])
  }

  @Test func `retry(2) = three attempts, values of failed attempts stay`() {
    var attempts = 0
    let recorder = Deferred {
      attempts += 1
      return Record<Int, TestError>(output: [1], completion: .failure(.oops))
    }
    .retry(2).record(trace)
    #expect(trace.text == "1 1 1 fail")
    #expect(attempts == 3)
    #expect(recorder.subscriptions == 1)
    #expect(recorder.breaches == [])
  }

  @Test func `retry ends with the first attempt that does`() {
    var attempts = 0
    Deferred {
      attempts += 1
      return Record<Int, TestError>(output: [attempts], completion: attempts < 3 ? .failure(.oops) : .finished)
    }
    .retry(5).record(trace)
    #expect(trace.text == "1 2 3 end")
  }

  @Test func `retry carries the unmet demand over to the next attempt`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.retry(1).record(asking: .max(3))
    probe.send(1)
    probe.fail(.oops)
    #expect(trace.text == "up:sub up:max(3) up:sub up:max(2)")
    recorder.cancel()
    #expect(trace.entries.last == "up:cancel")
    #expect(probe.cancels == 1)
  }

  @Test func `replaceError gives its value and the end, when there is demand`() {
    let probe = Probe<Int, TestError>(Trace())
    let recorder = probe.replaceError(with: 9).record(trace, asking: .max(1))
    probe.send(1)
    probe.fail(.oops)
    #expect(trace.text == "1")
    recorder.request(.max(1))
    #expect(trace.text == "1 9 end")
  }

  @Test func `mapError changes the failure and nothing else`() {
    struct Wrapped: Error { let inner: TestError }
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.mapError(Wrapped.init).record(trace, asking: .max(2))
    probe.send(1)
    probe.fail(.other)
    #expect(trace.text == "up:sub up:max(2) 1 fail")
    guard case .failure(let error) = recorder.completion else {
      Issue.record("no failure")
      return
    }
    #expect(error.inner == .other)
  }

  @Test func `assertNoFailure lets values and the end pass`() {
    [1, 2].publisher.setFailureType(to: TestError.self).assertNoFailure().record(trace)
    #expect(trace.text == "1 2 end")
  }

  @Test func `setFailureType passes everything on`() {
    let probe = Probe<Int, Never>(trace)
    let recorder: Recorder<Int, TestError> = probe.setFailureType(to: TestError.self).record(trace, asking: .max(1))
    probe.send(1)
    probe.finish()
    recorder.cancel()
    #expect(trace.entries.prefix(4).joined(separator: " ") == "up:sub up:max(1) 1 end")
  }
}
