// SPDX-License-Identifier: Apache-2.0
import Combine
import Testing

@Suite("examples: publishers and subscribers") struct BasicExamplesTests {
  final class Student {
    var name = ""
  }
  final class PublishedStudent {
    @Published var name = ""
  }
  let out = Output()

  @Test func `Just is received by a sink`() {
    _ = Just(1).sink(
      receiveCompletion: { _ in out.print("receiveCompletion") }, receiveValue: { value in out.print(value) })
    #expect(out.joined == "1 / receiveCompletion")
  }

  @Test func `assign writes to a property`() {
    let student = Student()
    out.print(student.name)
    _ = Just("ZhangSan").assign(to: \.name, on: student)
    out.print(student.name)
    #expect(out.lines == ["", "ZhangSan"])
  }

  @Test func `assign writes to a published property`() {
    let student = PublishedStudent()
    out.print(student.name)
    Just("Lisi").assign(to: &student.$name)
    out.print(student.name)
    #expect(out.lines == ["", "Lisi"])
  }

  @Test func `Subscribers.Assign is used directly`() {
    let student = Student()
    let assign = Subscribers.Assign(object: student, keyPath: \.name)
    ["A", "B"].publisher.subscribe(assign)
    #expect(student.name == "B")
  }

  @Test func `a custom subscriber receives values`() {
    final class IntSubscriber: Subscriber {
      typealias Input = Int
      typealias Failure = Never
      let out: Output
      init(_ out: Output) { self.out = out }
      func receive(subscription: Subscription) { subscription.request(.max(6)) }
      func receive(_ input: Int) -> Subscribers.Demand {
        out.print("Received value", input)
        return .none
      }
      func receive(completion: Subscribers.Completion<Never>) { out.print("Received completion", completion) }
    }
    [1, 2, 3, 4, 5, 6].publisher.subscribe(IntSubscriber(out))
    let expected = (1...6).map { "Received value \($0)" } + ["Received completion finished"]
    #expect(out.lines == expected)
  }

  @Test func `a PassthroughSubject sends to its subscribers`() {
    let subject = PassthroughSubject<String, Never>()
    let subscription = subject.sink(
      receiveCompletion: { _ in out.print("receiveCompletion") }, receiveValue: { out.print($0) })
    subject.send("Hello")
    subject.send("Combine")
    subject.send(completion: .finished)
    #expect(out.joined == "Hello / Combine / receiveCompletion")
    subscription.cancel()
  }

  @Test func `a CurrentValueSubject starts with its value`() {
    let subject = CurrentValueSubject<String, Never>("Hello")
    out.print(subject.value)
    subject.send("Combine")
    out.print(subject.value)
    subject.value = "SwiftUI"
    out.print(subject.value)
    let subscription = subject.sink { out.print($0) }
    #expect(out.joined == "Hello / Combine / SwiftUI / SwiftUI")
    subscription.cancel()
  }

  @Test func `cancelling midway stops the values`() {
    let subject = PassthroughSubject<String, Never>()
    let subscription = subject.sink { out.print($0) }
    subject.send("Hello")
    subscription.cancel()
    subject.send("Combine")
    #expect(out.joined == "Hello")
  }

  @Test func `Just is mapped`() {
    let just: Just<String> = Just(520).map { _ in "I Love You" }
    _ = just.sink { out.print("最终的结果: \($0)") }
    #expect(out.joined == "最终的结果: I Love You")
  }

  @Test func `a subject is erased to AnyPublisher`() {
    let subject = PassthroughSubject<Int, Never>()
    let publisher = subject.eraseToAnyPublisher()
    let subscription = publisher.sink { out.print($0) }
    subject.send(10)
    subject.send(100)
    #expect(out.joined == "10 / 100")
    #expect(!((publisher as Any) is PassthroughSubject<Int, Never>))
    subscription.cancel()
  }

  @Test func `a published property publishes`() {
    final class Person {
      @Published var name = "zhangsan"
      @Published var age = 20
    }
    let person = Person()
    let names = person.$name.sink { out.print($0) }
    person.name = "lisi"
    let ages = person.$age.sink { out.print($0) }
    person.age = 30
    #expect(out.joined == "zhangsan / lisi / 20 / 30")
    names.cancel()
    ages.cancel()
  }

  @Test func `a published property satisfies a protocol`() {
    final class Person: Greeted {
      @Published var name = "zhangsan"
      var namePublisher: Published<String>.Publisher { $name }
    }
    let person = Person()
    let greeted: Greeted = person
    let subscription = greeted.namePublisher.map { "hello " + $0 }.sink { out.print($0) }
    person.name = "lisi"
    person.name = "wangwu"
    #expect(out.joined == "hello zhangsan / hello lisi / hello wangwu")
    subscription.cancel()
  }
}

private protocol Greeted {
  var namePublisher: Published<String>.Publisher { get }
}
