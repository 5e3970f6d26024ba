// SPDX-License-Identifier: Apache-2.0
import Combine
import GeopublicistCombineFoundation
import Testing

@Suite("examples: sources and their types") struct SourceExamplesTests {
  enum Trouble: Error { case some }
  let out = Output()

  /// A subscriber that prints, as most examples use it.
  private func show<P: Publisher>(_ publisher: P) {
    let out = out
    _ = publisher.sink(
      receiveCompletion: {
        switch $0 {
        case .finished: out.print("finished")
        case .failure: out.print("failure")
        }
      }, receiveValue: { out.print($0) })
  }

  @Test func `chains have Combine's types`() {
    let flat: Publishers.FlatMap<Publishers.Sequence<[Int], Never>, Publishers.Sequence<[[Int]], Never>> =
      [[1, 2], [3]].publisher.flatMap { $0.publisher }
    let mapped:
      Publishers.Map<
        Publishers.FlatMap<Publishers.Sequence<[Int], Never>, Publishers.Sequence<[[Int]], Never>>, Int
      > = flat.map { $0 * 2 }
    let erased: AnyPublisher<Int, Never> = mapped.eraseToAnyPublisher()
    show(erased)
    #expect(out.joined == "2 / 4 / 6 / finished")
    #expect("\(type(of: erased))" == "AnyPublisher<Int, Never>")
  }

  @Test func `sequences have Combine's types`() {
    #expect("\(type(of: ["a"].publisher))" == "Sequence<Array<String>, Never>")
    #expect("\(type(of: (1...3).publisher))" == "Sequence<ClosedRange<Int>, Never>")
    #expect("\(type(of: stride(from: 0, to: 6, by: 2).publisher))" == "Sequence<StrideTo<Int>, Never>")
    #expect("\(type(of: ["a": "b"].publisher))" == "Sequence<Dictionary<String, String>, Never>")
    show(stride(from: 0, to: 6, by: 2).publisher)
    #expect(out.joined == "0 / 2 / 4 / finished")
  }

  @Test func `Empty and Fail end at once`() {
    show(Empty<Int, Never>())
    show(Empty<Int, Never>(completeImmediately: false))
    show(Fail<Int, Trouble>(error: .some))
    show(Fail<Int, Error>(error: Trouble.some).eraseToAnyPublisher())
    #expect(out.joined == "finished / failure / failure")
  }

  @Test func `an optional publishes its value`() {
    show(Optional.Publisher(1))
    show(Optional<Int>.Publisher(nil))
    show(Optional(2).publisher)
    #expect(out.joined == "1 / finished / finished / 2 / finished")
  }

  @Test func `a result publishes its value or failure`() {
    show(Result<Int, Trouble>.Publisher(1))
    show(Result<Int, Trouble>.Publisher(.some))
    show(Result<Int, Trouble>.success(2).publisher)
    #expect(out.joined == "1 / finished / failure / 2 / finished")
  }

  @Test func `a sequence publishes its elements`() {
    show(Publishers.Sequence<[Int], Never>(sequence: [1, 2]))
    #expect(out.joined == "1 / 2 / finished")
  }

  @Test func `a deferred Future runs for each subscriber`() {
    var runs = 0
    let publisher = Deferred {
      Future<Int, Trouble> { promise in
        runs += 1
        promise(.success(runs))
      }
    }
    #expect(runs == 0)
    show(publisher)
    show(publisher)
    #expect(out.joined == "1 / finished / 2 / finished")
  }

  @Test func `a Record plays back its values`() {
    show(Record<Int, Trouble>(output: [1, 2], completion: .finished))
    show(
      Record<Int, Trouble> { recording in
        recording.receive(3)
        recording.receive(completion: .failure(.some))
      })
    var recording = Record<Int, Trouble>.Recording()
    recording.receive(4)
    recording.receive(completion: .finished)
    show(Record(recording: recording))
    #expect(out.joined == "1 / 2 / finished / 3 / failure / 4 / finished")
  }

  @Test func `prepend and append add values`() {
    show(Just(2).prepend(Just(1)).append(Just(3)))
    #expect(out.joined == "1 / 2 / 3 / finished")
  }

  @Test func `a Future delivers its promise`() {
    let out = out
    let future = Future<Int, Never> { promise in promise(.success(100)) }
    _ = future.sink { out.print($0) }
    #expect(out.joined == "100")
  }

  @Test func `a Future of models is decoded`() {
    struct Student { let name: String }
    func load() -> Future<[Student], Error> {
      Future { [out] promise in
        out.print("执行Future")
        promise(.success(["ZhangSan", "LiSi", "WangWu"].map(Student.init)))
      }
    }
    let out = out
    _ = load().sink(
      receiveCompletion: { _ in out.print("数据处理完成") },
      receiveValue: { students in for student in students { out.print(student.name) } })
    #expect(out.joined == "执行Future / ZhangSan / LiSi / WangWu / 数据处理完成")
  }

  @Test func `a Future is printed`() {
    let out = out
    _ = Future<String, Never> { $0(.success("2443 bytes")) }
      .print("Future", to: out)
      .sink { _ in out.print("得到数据，进行处理") }
    #expect(
      out.lines == [
        "Future: receive subscription: (Future)",
        "Future: request unlimited",
        "Future: receive value: (2443 bytes)",
        "得到数据，进行处理",
        "Future: receive finished",
      ])
  }
}
