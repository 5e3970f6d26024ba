// SPDX-License-Identifier: Apache-2.0
import Combine
import Testing

@Suite("examples: sources and their types") struct SourceExamplesTests {
  enum Trouble: Error { case some }
  let out = Output()

  @Test func `chains have Combine's types`() {
    let flat: Publishers.FlatMap<Publishers.Sequence<[Int], Never>, Publishers.Sequence<[[Int]], Never>> =
      [[1, 2], [3]].publisher.flatMap { $0.publisher }
    let mapped:
      Publishers.Map<
        Publishers.FlatMap<Publishers.Sequence<[Int], Never>, Publishers.Sequence<[[Int]], Never>>, Int
      > = flat.map { $0 * 2 }
    let erased: AnyPublisher<Int, Never> = mapped.eraseToAnyPublisher()
    #expect(printed(erased) == "2 / 4 / 6 / finished")
    #expect("\(type(of: erased))" == "AnyPublisher<Int, Never>")
  }

  @Test func `sequences have Combine's types`() {
    #expect("\(type(of: ["a"].publisher))" == "Sequence<Array<String>, Never>")
    #expect("\(type(of: (1...3).publisher))" == "Sequence<ClosedRange<Int>, Never>")
    #expect("\(type(of: stride(from: 0, to: 6, by: 2).publisher))" == "Sequence<StrideTo<Int>, Never>")
    #expect("\(type(of: ["a": "b"].publisher))" == "Sequence<Dictionary<String, String>, Never>")
    #expect(printed(stride(from: 0, to: 6, by: 2).publisher) == "0 / 2 / 4 / finished")
  }

  @Test func `Empty and Fail end without a value`() {
    #expect(printed(Empty<Int, Never>()) == "finished")
    #expect(printed(Empty<Int, Never>(completeImmediately: false)) == "")
    #expect(printed(Fail<Int, Trouble>(error: .some)) == "failure")
    #expect(printed(Fail<Int, Error>(error: Trouble.some).eraseToAnyPublisher()) == "failure")
  }

  @Test func `an optional publishes its value, a result its value or failure, a sequence its elements`() {
    #expect(printed(Optional.Publisher(1)) == "1 / finished")
    #expect(printed(Optional<Int>.Publisher(nil)) == "finished")
    #expect(printed(Optional(2).publisher) == "2 / finished")
    #expect(printed(Result<Int, Trouble>.Publisher(1)) == "1 / finished")
    #expect(printed(Result<Int, Trouble>.Publisher(.some)) == "failure")
    #expect(printed(Result<Int, Trouble>.success(2).publisher) == "2 / finished")
    #expect(printed(Publishers.Sequence<[Int], Never>(sequence: [1, 2])) == "1 / 2 / finished")
    #expect(printed(Just(2).prepend(Just(1)).append(Just(3))) == "1 / 2 / 3 / finished")
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
    #expect(printed(publisher) == "1 / finished")
    #expect(printed(publisher) == "2 / finished")
  }

  @Test func `a Record plays back its values`() {
    #expect(printed(Record<Int, Trouble>(output: [1, 2], completion: .finished)) == "1 / 2 / finished")
    let failing = Record<Int, Trouble> { recording in
      recording.receive(3)
      recording.receive(completion: .failure(.some))
    }
    #expect(printed(failing) == "3 / failure")
    var recording = Record<Int, Trouble>.Recording()
    recording.receive(4)
    recording.receive(completion: .finished)
    #expect(printed(Record(recording: recording)) == "4 / finished")
  }

  @Test func `a Future delivers its promise`() {
    #expect(printed(Future<Int, Never> { promise in promise(.success(100)) }) == "100 / finished")
  }

  @Test func `a Future of models is decoded`() {
    struct Student { let name: String }
    func load() -> Future<[Student], Error> {
      Future { [out] promise in
        out.print("执行Future")
        promise(.success(["ZhangSan", "LiSi", "WangWu"].map(Student.init)))
      }
    }
    _ = load().sink(
      receiveCompletion: { _ in out.print("数据处理完成") },
      receiveValue: { students in for student in students { out.print(student.name) } })
    #expect(out.joined == "执行Future / ZhangSan / LiSi / WangWu / 数据处理完成")
  }

  @Test func `a Future is printed`() {
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
