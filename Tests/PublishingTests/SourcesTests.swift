// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("sources") struct SourcesTests {
  let trace = Trace()

  @Test func `Just sends its value only on demand`() {
    let recorder = Just(1).record(trace, asking: .none)
    trace.mark()
    recorder.request(.max(1))
    recorder.request(.max(1))
    #expect(trace.text == "| 1 end")
  }

  @Test func `a Future runs its closure once when it is created and uses only the first result`() {
    let future = Future<Int, TestError> { promise in
      trace.add("run")
      promise(.success(1))
      promise(.success(2))
    }
    future.record(trace)
    future.record(trace)
    #expect(trace.text == "run 1 end 1 end")
  }

  @Test func `a Future sends its result to all waiting subscribers`() {
    var promise: Future<Int, TestError>.Promise?
    let future = Future<Int, TestError> { promise = $0 }
    future.record(trace, "a")
    let b = future.record(trace, "b", asking: .none)
    let c = future.record(trace, "c")
    c.cancel()
    promise?(.success(1))
    #expect(trace.text == "a1 aend")
    b.request(.max(1))
    #expect(trace.text == "a1 aend b1 bend")
    #expect(c.breaches == [])
  }

  @Test func `a Future fails without demand`() {
    Future<Int, TestError> { $0(.failure(.oops)) }.record(trace, asking: .none)
    #expect(trace.text == "fail")
  }

  @Test func `Deferred calls its closure for each subscriber`() {
    let deferred = Deferred {
      trace.add("run")
      return Just(1)
    }
    #expect(trace.text == "")
    deferred.record(trace)
    deferred.record(trace)
    #expect(trace.text == "run 1 end run 1 end")
  }

  @Test func `Just(x) keeps the value from its creation, and Deferred reads it at each subscription`() {
    var status = "notDetermined"
    let changes = PassthroughSubject<String, Never>()
    let just = Just(status).merge(with: changes)
    let deferred = Deferred { Just(status).merge(with: changes) }
    status = "authorized"
    just.record(trace, "Just:")
    deferred.record(trace, "Deferred:")
    #expect(trace.text == "Just:notDetermined Deferred:authorized")
  }

  @Test func `Empty(completeImmediately: false) does not complete`() {
    let recorder = Empty<Int, Never>(completeImmediately: false).prepend(1).record(trace)
    #expect(trace.text == "1")
    #expect(recorder.subscriptions == 1)
    let silent = Empty<Int, Never>(completeImmediately: false).record()
    #expect(silent.subscriptions == 1)
    #expect(silent.completion == nil)
  }

  @Test func `Empty and Fail complete without demand`() {
    Empty<Int, TestError>().record(trace, asking: .none)
    Fail<Int, TestError>(error: .oops).record(trace, asking: .none)
    #expect(trace.text == "end fail")
  }

  @Test func `a sequence sends as many values as requested and completes after the last one`() {
    let recorder = [1, 2, 3].publisher.record(trace, asking: .max(1))
    trace.mark()
    recorder.request(.max(2))
    #expect(trace.text == "1 | 2 3 end")
  }

  @Test func `an empty sequence ends without demand`() {
    [Int]().publisher.record(trace, asking: .none)
    #expect(trace.text == "end")
  }

  @Test func `a subscriber may request each value while it receives the previous one, without recursion`() {
    let recorder = Recorder<Int, Never>(asking: .max(1))
    recorder.onValue = { [unowned recorder] _ in
      recorder.request(.max(1))
      return .none
    }
    (0..<100_000).publisher.subscribe(recorder)
    #expect(recorder.values.count == 100_000)
    #expect(recorder.completion == .finished)
    #expect(recorder.breaches == [])
  }

  @Test func `Record plays back its values however it was created`() {
    let a = Record<Int, TestError>(output: [1, 2], completion: .failure(.oops))
    let b = Record<Int, TestError> { recording in
      recording.receive(1)
      recording.receive(2)
      recording.receive(completion: .failure(.oops))
    }
    var recording = Record<Int, TestError>.Recording()
    recording.receive(1)
    recording.receive(2)
    recording.receive(completion: .failure(.oops))
    #expect(recording.output == [1, 2])
    #expect(recording.completion == .failure(.oops))
    let c = Record(recording: recording)
    for publisher in [a, b, c] {
      let recorder = publisher.record()
      #expect(recorder.values == [1, 2])
      #expect(recorder.completion == .failure(.oops))
    }
    let slow = a.record(trace, asking: .max(1))
    #expect(trace.text == "1")
    slow.request(.max(1))
    #expect(trace.text == "1 2 fail")
  }

  @Test func `the publishers of Optional and Result send their value, a completion or a failure`() {
    Optional(1).publisher.record(trace)
    Int?.none.publisher.record(trace, asking: .none)
    Result<Int, TestError>.success(2).publisher.record(trace)
    Result<Int, TestError>.failure(.oops).publisher.record(trace, asking: .none)
    #expect(trace.text == "1 end end 2 end fail")
  }

  @Test func `the publishers of Optional and Result send their value only on demand`() {
    let a = Optional.Publisher(1).record(trace, asking: .none)
    let b = Result<Int, TestError>.Publisher(2).record(trace, asking: .none)
    #expect(trace.text == "")
    a.request(.max(1))
    b.request(.unlimited)
    #expect(trace.text == "1 end 2 end")
  }
}
