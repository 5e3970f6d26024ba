// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation
import Testing

@Suite("examples: with Foundation") struct FoundationExamplesTests {
  let out = Output()

  @Test func `NotificationCenter.publisher(for:) publishes notifications`() {
    let center = NotificationCenter()
    let name = Notification.Name("example")
    let subscription = center.publisher(for: name)
      .compactMap { $0.userInfo?["text"] as? String }
      .sink { out.print($0) }
    center.post(name: name, object: nil, userInfo: ["text": "a"])
    center.post(name: Notification.Name("other"), object: nil, userInfo: ["text": "b"])
    subscription.cancel()
    center.post(name: name, object: nil, userInfo: ["text": "c"])
    #expect(out.joined == "a")
    let publisher = NotificationCenter.Publisher(center: center, name: name)
    #expect(publisher == center.publisher(for: name))
  }

  @Test func `JSON can be encoded and decoded by publishers`() {
    struct Model: Codable, Equatable { var id: Int }
    var models: [Model] = []
    _ = [Model(id: 1), Model(id: 2)].publisher
      .encode(encoder: JSONEncoder())
      .decode(type: Model.self, decoder: JSONDecoder())
      .sink(receiveCompletion: { _ in }, receiveValue: { models.append($0) })
    #expect(models == [Model(id: 1), Model(id: 2)])
  }

  @Test func `a timer can be cancelled in its own sink`() async {
    await onRunLoop { loop in
      var timer: AnyCancellable?
      var ticks = 0
      timer = Timer.publish(every: 0.01, on: loop, in: .default).autoconnect().sink { _ in
        ticks += 1
        out.print("tick \(ticks)")
        if ticks == 3 { timer?.cancel() }
      }
      loop.run { ticks >= 3 }
      let later = Date(timeIntervalSinceNow: 0.05)
      loop.run { Date() > later }
      timer = nil
    }
    #expect(out.joined == "tick 1 / tick 2 / tick 3")
  }

  @Test func `a timer ticks only after connect() is called`() async {
    let (before, after) = await onRunLoop { loop in
      var ticks = 0
      let publisher = Timer.publish(every: 0.01, on: loop, in: .default)
      let subscription = publisher.sink { _ in ticks += 1 }
      let quiet = Date(timeIntervalSinceNow: 0.03)
      loop.run { Date() > quiet }
      let before = ticks
      let connection = publisher.connect()
      loop.run { ticks >= 2 }
      connection.cancel()
      subscription.cancel()
      Timer.publish(every: 10, on: loop, in: .default).autoconnect().upstream.connect().cancel()
      return (before, ticks)
    }
    #expect(before == 0)
    #expect(after >= 2)
  }

  /// Regression: each connection had a timer of its own.
  @Test func `a timer is stopped by any of its connections, and not by releasing one`() async {
    let (ticks, more, later) = await onRunLoop { loop in
      var ticks = 0
      func rest() {
        let end = Date(timeIntervalSinceNow: 0.05)
        loop.run { Date() > end }
      }
      let timer = Timer.publish(every: 0.01, on: loop, in: .default).autoconnect()
      let subscription = timer.sink { _ in ticks += 1 }
      loop.run { ticks >= 2 }
      _ = timer.upstream.connect()
      let before = ticks
      loop.run { ticks >= before + 2 }
      let more = ticks
      timer.upstream.connect().cancel()
      rest()
      subscription.cancel()
      return (before, more, ticks)
    }
    #expect(more > ticks && later == more)
  }

  /// With several threads, each notification is delivered at most once for each value that was requested.
  @Test func `notifications of other threads may come during a cancellation`() async {
    let center = NotificationCenter()
    let name = Notification.Name("example")
    nonisolated(unsafe) let shared = center
    let poster = Thread { for _ in 0..<20_000 { shared.post(name: name, object: nil) } }
    poster.start()
    while !poster.isFinished {
      let subscription = center.publisher(for: name).receive(on: DispatchQueue.main).sink { _ in }
      subscription.cancel()
      await Task.yield()
    }
  }

  @Test func `a late subscriber to a shared timer receives the current count`() async {
    let (first, second) = await onRunLoop { loop in
      let counter = Timer.publish(every: 0.01, on: loop, in: .default).autoconnect()
        .scan(0) { count, _ in count + 1 }
        .share()
      var (first, second): ([Int], [Int]) = ([], [])
      let a = counter.sink { first.append($0) }
      loop.run { first.count >= 2 }
      let b = counter.sink { second.append($0) }
      loop.run { second.count >= 2 }
      a.cancel()
      b.cancel()
      return (first, second)
    }
    #expect(Array(first.prefix(3)) == [1, 2, 3])
    #expect(second.count >= 2)
    #expect(second == Array(first.suffix(second.count)))
  }

  @Test func `two subscribers of a multicast timer receive the same counts`() async {
    let (first, second) = await onRunLoop { loop in
      let counter = Timer.publish(every: 0.01, on: loop, in: .default).autoconnect()
        .scan(0) { count, _ in count + 1 }
        .multicast(subject: PassthroughSubject<Int, Never>())
      var (first, second): ([Int], [Int]) = ([], [])
      let a = counter.sink { first.append($0) }
      let b = counter.sink { second.append($0) }
      let connection = counter.connect()
      loop.run { first.count >= 3 }
      connection.cancel()
      a.cancel()
      b.cancel()
      return (first, second)
    }
    #expect(first == second)
    #expect(Array(first.prefix(3)) == [1, 2, 3])
  }

  @Test func `debounce works on a run loop`() async {
    await onRunLoop { loop in
      let subject = PassthroughSubject<Int, Never>()
      let subscription = subject.debounce(for: 0.05, scheduler: loop).sink { out.print($0) }
      for value in 1...3 { subject.send(value) }
      out.print("sent")
      loop.run { out.lines.count >= 2 }
      subscription.cancel()
    }
    #expect(out.joined == "sent / 3")
  }

  @Test func `delay and timeout work on a run loop`() async {
    let start = Date()
    await onRunLoop { loop in
      let subject = PassthroughSubject<String, Never>()
      let subscription =
        subject
        .delay(for: 0.02, scheduler: loop)
        .timeout(1.5, scheduler: loop)
        .sink(receiveCompletion: { _ in out.print("end") }, receiveValue: { out.print("delay:\($0)") })
      subject.send("Hello")
      loop.run { out.lines.count >= 2 }
      subscription.cancel()
    }
    #expect(out.joined == "delay:Hello / end")
    #expect(Date().timeIntervalSince(start) >= 1.5)
  }
}
