// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("multicast, makeConnectable, autoconnect") struct ConnectableTests {
  let trace = Trace()

  @Test func `autoconnect connects with the first subscriber and disconnects with the last`() {
    let probe = Probe<Int, Never>(trace)
    let connected = probe.makeConnectable().autoconnect()
    let a = connected.record()
    let b = connected.record()
    trace.mark()
    a.cancel()
    b.cancel()
    #expect(trace.text == "up:sub up:unlimited | up:cancel")
  }

  @Test func `multicast sends nothing before connect and nothing after its connection is cancelled`() {
    let probe = Probe<Int, TestError>(trace)
    let shared = probe.multicast(subject: PassthroughSubject())
    let recorder = shared.record(trace)
    #expect(trace.text == "")
    let connection = shared.connect()
    probe.send(1)
    connection.cancel()
    probe.send(2)
    #expect(trace.text == "up:sub up:unlimited 1 up:cancel")
    #expect(recorder.breaches == [])
  }

  @Test func `multicast with a closure creates one subject, when the first subscriber arrives`() {
    let probe = Probe<Int, TestError>()
    let shared = probe.multicast {
      trace.add("make")
      return PassthroughSubject<Int, TestError>()
    }
    #expect(trace.text == "")
    shared.record(trace, "a")
    shared.record(trace, "b")
    let connection = shared.connect()
    probe.send(1)
    #expect(trace.text == "make a1 b1")
    connection.cancel()
  }

  @Test func `multicast cancels its connection when the connection is released`() {
    let probe = Probe<Int, TestError>(trace)
    let shared = probe.multicast(subject: PassthroughSubject())
    let recorder = shared.record()
    var connection: AnyCancellable? = AnyCancellable(shared.connect())
    #expect(connection != nil)
    connection = nil
    #expect(trace.text == "up:sub up:unlimited up:cancel")
    recorder.cancel()
  }

  @Test
  func
    `multicast to a CurrentValueSubject replays the last value to every new subscriber`()
  {
    let source = PassthroughSubject<Int, Never>()
    let shared = source.map(Optional.init).multicast(subject: CurrentValueSubject<Int?, Never>(nil)).autoconnect()
    let a = shared.compactMap { $0 }.record()
    source.send(1)
    source.send(2)
    a.cancel()
    source.send(3)
    shared.compactMap { $0 }.record(trace, "c")
    #expect(trace.text == "c2")
    #expect(a.values == [1, 2])
  }

  @Test func `autoconnect ignores a second cancel of the same subscriber`() {
    let probe = Probe<Int, Never>(trace)
    let connected = probe.makeConnectable().autoconnect()
    let a = connected.record()
    let b = connected.record()
    a.cancel()
    a.cancel()
    #expect(trace.count(of: "up:cancel") == 0)
    probe.send(1)
    #expect(b.values == [1])
    b.cancel()
    #expect(trace.count(of: "up:cancel") == 1)
  }

  @Test func `autoconnect connects again for a subscriber that arrives after all others have left`() {
    let probe = Probe<Int, Never>(trace)
    let connected = probe.multicast(subject: PassthroughSubject()).autoconnect()
    connected.record().cancel()
    let second = connected.record()
    probe.send(1)
    #expect(trace.text == "up:sub up:unlimited up:cancel up:sub up:unlimited")
    #expect(second.values == [1])
  }

  @Test func `the upstream of autoconnect can be subscribed to and connected directly`() {
    let probe = Probe<Int, Never>(trace)
    let connected = probe.makeConnectable().autoconnect()
    let recorder = connected.upstream.record()
    let connection = connected.upstream.connect()
    probe.send(1)
    #expect(recorder.values == [1])
    connection.cancel()
  }

  @Test func `makeConnectable sends nothing before connect`() {
    let connectable = [1, 2].publisher.makeConnectable()
    connectable.record(trace)
    trace.mark()
    let connection = connectable.connect()
    #expect(trace.text == "| 1 2 end")
    connection.cancel()
  }
}
