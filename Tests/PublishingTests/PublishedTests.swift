// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("Published and ObservableObject") struct PublishedTests {
  final class Model: ObservableObject {
    @Published var x = 0
    @Published var name = "a"
    var silent = 0
  }
  class Base: ObservableObject {
    @Published var base = 0
  }
  final class Derived: Base {
    @Published var derived = 0
  }
  let trace = Trace()

  @Test func `a @Published property publishes a value before it changes`() {
    let model = Model()
    let cancellable = model.$x.sink { trace.add("new:\($0),old:\(model.x)") }
    model.x = 1
    #expect(trace.text == "new:0,old:0 new:1,old:0")
    #expect(model.x == 1)
    cancellable.cancel()
  }

  @Test func `objectWillChange fires once before each assignment, and not for the initial value`() {
    let model = Model()
    let cancellable = model.objectWillChange.sink { trace.add("will(\(model.x))") }
    model.x = 1
    model.x = 2
    #expect(trace.text == "will(0) will(1)")
    cancellable.cancel()
  }

  @Test func `objectWillChange fires for every published property and for no other`() {
    let model = Model()
    let cancellable = model.objectWillChange.sink { trace.add("will") }
    model.name = "b"
    model.silent = 1
    model.x = 1
    #expect(trace.text == "will will")
    cancellable.cancel()
  }

  @Test func `objectWillChange also fires for the properties of a superclass`() {
    let model = Derived()
    let cancellable = model.objectWillChange.sink { trace.add("\(model.base)\(model.derived)") }
    model.base = 1
    model.derived = 1
    #expect(trace.text == "00 10")
    cancellable.cancel()
  }

  @Test func `objectWillChange is the same publisher as long as its object exists`() {
    let model = Model()
    #expect(model.objectWillChange === model.objectWillChange)
    #expect(model.objectWillChange !== Model().objectWillChange)
  }

  @Test func `a @Published property also publishes a value that is equal to the previous one`() {
    let model = Model()
    let recorder = model.$x.record()
    model.x = 0
    model.x = 0
    #expect(recorder.values == [0, 0, 0])
  }

  @Test func `a property that is changed in place publishes the new value once`() {
    final class List { @Published var items: [Int] = [] }
    let list = List()
    let recorder = list.$items.record()
    list.items.append(1)
    list.items += [2, 3]
    #expect(recorder.values == [[], [1], [1, 2, 3]])
  }

  @Test func `each subscriber of a @Published property receives the current value, then as many as it requests`() {
    let model = Model()
    model.x = 5
    let first = model.$x.record(asking: .max(1))
    model.x = 6
    model.x = 7
    let second = model.$x.record()
    first.request(.max(1))
    #expect(first.values == [5, 7])
    #expect(second.values == [7])
  }

  @Test func `the publisher of a @Published property does not retain the object`() {
    var model: Model? = Model()
    weak let weakModel = model
    let recorder = model?.$x.record()
    model?.x = 1
    model = nil
    #expect(weakModel == nil)
    #expect(recorder?.values == [0, 1])
    #expect(recorder?.completion == nil)
  }

  @Test func `objectWillChange fires for properties of a generic superclass, optionals and closures`() {
    class Box<Value>: ObservableObject {
      @Published var value: Value
      init(_ value: Value) { self.value = value }
    }
    final class Named: Box<[Int]> {
      @Published var name: String?
      @Published var action: (() -> Int)?
    }
    let box = Named([])
    let subscription = box.objectWillChange.sink { trace.add("will") }
    box.value.append(1)
    box.name = "a"
    box.action = { 3 }
    #expect(trace.text == "will will will")
    #expect(box.action?() == 3)
    subscription.cancel()
    box.name = nil
    #expect(trace.text == "will will will")
  }

  @Test func `objectWillChange fires even if it is first read after other changes`() {
    let model = Model()
    model.x = 1
    let values = model.$x.record()
    model.x = 2
    let subscription = model.objectWillChange.sink { trace.add("will(\(model.x))") }
    model.x = 3
    #expect(trace.text == "will(2)")
    #expect(values.values == [1, 2, 3])
    subscription.cancel()
  }

  @Test func `a change of one object is not published by another object`() {
    let (first, second) = (Model(), Model())
    let a = first.objectWillChange.sink { trace.add("a") }
    let b = second.objectWillChange.sink { trace.add("b") }
    second.x = 1
    first.name = "z"
    #expect(trace.text == "b a")
    a.cancel()
    b.cancel()
  }

  @Test func `an object can pass on the objectWillChange of another object`() {
    final class Whole: ObservableObject {
      let objectWillChange = ObservableObjectPublisher()
      let part = Model()
      private var subscription: AnyCancellable?
      init() { subscription = part.objectWillChange.sink { [unowned self] in objectWillChange.send() } }
    }
    let whole = Whole()
    let outer = whole.objectWillChange.sink { trace.add("whole") }
    whole.part.x = 1
    #expect(trace.text == "whole")
    outer.cancel()
  }

  @Test func `a custom objectWillChange is not replaced`() {
    final class Own: ObservableObject {
      let objectWillChange = PassthroughSubject<Int, Never>()
    }
    let own = Own()
    let recorder = own.objectWillChange.record()
    own.objectWillChange.send(3)
    #expect(recorder.values == [3])
  }
}
