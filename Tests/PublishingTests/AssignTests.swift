// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("assign") struct AssignTests {
  final class Box {
    var number = 0
  }
  final class Model {
    @Published var number = 0
  }
  let trace = Trace()

  @Test func `assign(to:on:) retains its object until it is cancelled`() {
    var box: Box? = Box()
    weak let weakBox = box
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = box.map { subject.assign(to: \.number, on: $0) }
    box = nil
    if weakBox != nil { trace.add("held") }
    cancellable?.cancel()
    if weakBox == nil { trace.add("gone") }
    #expect(trace.text == "held gone")
  }

  @Test func `assign(to:on:) releases its object when upstream completes`() {
    var box: Box? = Box()
    weak let weakBox = box
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = box.map { subject.assign(to: \.number, on: $0) }
    subject.send(4)
    #expect(box?.number == 4)
    box = nil
    subject.send(completion: .finished)
    #expect(weakBox == nil)
    cancellable?.cancel()
  }

  @Test func `assign(to: &$x) does not retain its object`() {
    var model: Model? = Model()
    weak let weakModel = model
    let subject = PassthroughSubject<Int, Never>()
    if let model { subject.assign(to: &model.$number) }
    subject.send(3)
    trace.add("\(model?.number ?? -1)")
    model = nil
    if weakModel == nil { trace.add("gone") }
    subject.send(4)
    #expect(trace.text == "3 gone")
  }

  @Test func `assign(to: &$x) cancels upstream when the property is released`() {
    let probe = Probe<Int, Never>(trace)
    var model: Model? = Model()
    if let model { probe.assign(to: &model.$number) }
    probe.send(1)
    #expect(model?.number == 1)
    model = nil
    #expect(trace.text == "up:sub up:unlimited up:cancel")
  }

  @Test func `Subscribers.Assign has unlimited demand and writes values until it is cancelled`() {
    let box = Box()
    let probe = Probe<Int, Never>(trace)
    let assign = Subscribers.Assign(object: box, keyPath: \.number)
    probe.subscribe(assign)
    probe.send(1)
    #expect(box.number == 1)
    #expect(assign.object === box)
    #expect(assign.keyPath == \Box.number)
    assign.cancel()
    probe.send(2)
    #expect(box.number == 1)
    #expect(assign.object == nil)
    #expect(trace.text == "up:sub up:unlimited up:cancel")
  }
}
