// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("AnyPublisher, AnySubscriber, coders") struct ErasureTests {
  let trace = Trace()

  @Test func `an AnySubscriber forwards each call to the subscriber that it wraps and has the same identifier`() {
    let recorder = Recorder<Int, TestError>(trace, asking: .max(2))
    let erased = AnySubscriber(recorder)
    #expect(erased.combineIdentifier == recorder.combineIdentifier)
    let probe = Probe<Int, TestError>(trace)
    probe.subscribe(erased)
    probe.send(1)
    probe.finish()
    #expect(trace.text == "up:sub up:max(2) 1 end")
  }

  @Test func `an AnySubscriber made of closures requests the demand that its closures return`() {
    let subscriber = AnySubscriber<Int, TestError>(
      receiveSubscription: { $0.request(.max(1)) },
      receiveValue: {
        trace.add("\($0)")
        return .max(1)
      },
      receiveCompletion: { trace.add($0.traced) })
    let probe = Probe<Int, TestError>(trace)
    probe.subscribe(subscriber)
    #expect(probe.send(1) == .max(1))
    probe.finish()
    #expect(trace.text == "up:sub up:max(1) 1 end")
  }

  @Test func `an AnySubscriber of a subject has unlimited demand`() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.record()
    let probe = Probe<Int, TestError>(trace)
    probe.subscribe(AnySubscriber(subject))
    probe.send(1)
    #expect(recorder.values == [1])
    #expect(probe.requested == .unlimited)
  }

  @Test func `a type-erased subject still publishes what is sent through the protocol Subject`() {
    let subject: any Subject<Int, TestError> = PassthroughSubject<Int, TestError>()
    let erased = subject.eraseToAnyPublisher()
    let recorder = erased.record()
    #expect("\(erased)" == "AnyPublisher")
    subject.send(4)
    #expect(recorder.values == [4])
  }

  /// Converts between numbers and text, and refuses other text.
  private struct TextCoder: TopLevelEncoder, TopLevelDecoder {
    func encode<T: Encodable>(_ value: T) throws -> String {
      guard let number = value as? Int, number >= 0 else { throw TestError.oops }
      return "<\(number)>"
    }

    func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
      guard let number = Int(text.dropFirst().dropLast()), let value = number as? T else { throw TestError.oops }
      return value
    }
  }

  @Test func `encode and decode use their coder and fail if the coder throws`() {
    let round = [1, 2].publisher.encode(encoder: TextCoder()).decode(type: Int.self, decoder: TextCoder()).record()
    #expect(round.values == [1, 2])
    let probe = Probe<Int, TestError>(trace)
    probe.encode(encoder: TextCoder()).record(trace)
    probe.send(1)
    probe.send(-1)
    #expect(trace.text == "up:sub up:unlimited <1> up:cancel fail")
    let bad = ["<x>"].publisher.decode(type: Int.self, decoder: TextCoder()).record()
    #expect(bad.completion?.traced == "fail")
  }

  @Test func `the identifier of an object is constant and unique`() {
    let a = Recorder<Int, Never>()
    let b = Recorder<Int, Never>()
    #expect(a.combineIdentifier == a.combineIdentifier)
    #expect(a.combineIdentifier != b.combineIdentifier)
    #expect(CombineIdentifier() != CombineIdentifier())
    #expect("\(CombineIdentifier())".hasPrefix("0x"))
    #expect(CombineIdentifier(a) == CombineIdentifier(a))
    #expect(Subscriptions.empty.combineIdentifier == Subscriptions.empty.combineIdentifier)
  }
}
