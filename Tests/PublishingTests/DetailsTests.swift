// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// Details that matter in practice and that are in no table of rules.
@Suite("special cases") struct DetailsTests {
  let trace = Trace()

  @Test func `the value of a CurrentValueSubject can be set in its own sink`() {
    let subject = CurrentValueSubject<Int, Never>(0)
    let recorder = subject.record {
      if (1..<3).contains($0) { subject.value += 1 }
      return .none
    }
    subject.value = 1
    #expect(recorder.values == [0, 1, 2, 3])
    #expect(recorder.breaches == [])
  }

  @Test func `a @Published property can be set in its own sink`() {
    final class Model { @Published var x = 0 }
    let (model, trace) = (Model(), trace)
    let subscription = model.$x.dropFirst().sink {
      trace.add("\($0)")
      if $0 < 3 { model.x = $0 + 1 }
    }
    model.x = 1
    #expect(trace.text == "1 2 3")
    subscription.cancel()
  }

  @Test func `assign(to:) between two properties of one object does not retain the object`() {
    final class Model {
      @Published var x = 1
      @Published var twice = 0
    }
    weak var weakModel: Model?
    do {
      let model = Model()
      weakModel = model
      model.$x.map { $0 * 2 }.assign(to: &model.$twice)
      model.x = 5
      #expect(model.twice == 10)
    }
    #expect(weakModel == nil)
  }

  @Test func `after a source has ended, autoconnect sends only the completion to the next subscriber`() {
    let connected = [1, 2].publisher.makeConnectable().autoconnect()
    connected.record(trace, "a")
    connected.record(trace, "b")
    #expect(trace.text == "a1 a2 aend bend")
  }

  @Test func `a second request after a Just has completed sends nothing`() {
    let recorder = Just(1).record(trace, asking: .none)
    recorder.onValue = { [unowned recorder] _ in
      recorder.request(.max(1))
      return .max(3)
    }
    recorder.request(.max(1))
    #expect(trace.text == "1 end")
  }

  @Test func `after they are cancelled, sources that wait for demand send nothing`() {
    let recorders = [
      Just(1).eraseToAnyPublisher().record(trace, asking: .none),
      [1].publisher.eraseToAnyPublisher().record(trace, asking: .none),
      Record<Int, Never>(output: [1], completion: .finished).eraseToAnyPublisher().record(trace, asking: .none),
      Future<Int, Never> { $0(.success(1)) }.eraseToAnyPublisher().record(trace, asking: .none),
      Optional(1).publisher.eraseToAnyPublisher().record(trace, asking: .none),
    ]
    for recorder in recorders {
      recorder.cancel()
      recorder.request(.unlimited)
    }
    #expect(trace.text == "")
  }

  @Test func `a subscriber that arrives while a Future delivers its result receives the result`() {
    var promise: Future<Int, Never>.Promise?
    let future = Future<Int, Never> { promise = $0 }
    future.record(trace, "a") { _ in
      future.record(trace, "b")
      return .none
    }
    promise?(.success(1))
    #expect(trace.entries.sorted() == ["a1", "aend", "b1", "bend"])
  }

  @Test func `a sink may be cancelled in its completion and released in receiveValue`() {
    let subject = PassthroughSubject<Int, Never>()
    var first: AnyCancellable?
    first = subject.sink(receiveCompletion: { _ in first?.cancel() }, receiveValue: { trace.add("a\($0)") })
    var second: AnyCancellable?
    second = subject.sink {
      trace.add("b\($0)")
      second = nil
    }
    subject.send(1)
    subject.send(2)
    subject.send(completion: .finished)
    #expect(trace.text == "a1 b1 a2")
    #expect(second == nil)
  }

  @Test func `two subjects that feed each other do not recurse endlessly`() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.record(trace)
    let subscription = subject.filter { $0 < 5 }.map { $0 + 1 }.subscribe(subject)
    subject.send(1)
    #expect(recorder.values == [1, 2, 3, 4, 5])
    subscription.cancel()
  }

  @Test func `demands, completions and identifiers are Sendable`() {
    func check<T: Sendable>(_ value: T) {}
    check(Subscribers.Demand.max(1))
    check(Subscribers.Completion<TestError>.finished)
    check(CombineIdentifier())
    check(Publishers.PrefetchStrategy.keepFull)
  }

  @Test func `.values can be used outside of any actor`() async {
    var seen: [Int] = []
    for await value in [1, 2, 3].publisher.values { seen.append(value) }
    #expect(seen == [1, 2, 3])
  }
}
