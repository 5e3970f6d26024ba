// SPDX-License-Identifier: Apache-2.0
import Publishing
import PublishingTesting

/// Sends numbers through the chains that `attach` subscribes to a subject.
private func send<Subject: Publishing.Subject>(
  _ name: String, through subject: Subject, values: Int, _ attach: (Subject, Total) -> [AnyCancellable]
) -> Measurement where Subject.Output == Int {
  let subscriptions = attach(subject, Total())
  defer { withExtendedLifetime(subscriptions) {} }
  return measure(name, values: values) { values in
    for value in 0..<values { subject.send(value) }
  }
}

/// Sends numbers to two subjects in turn.
private func sendInTurn(
  _ name: String, values: Int,
  _ attach: (PassthroughSubject<Int, Never>, PassthroughSubject<Int, Never>, Total) -> AnyCancellable
) -> Measurement {
  let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
  let subscription = attach(first, second, Total())
  defer { withExtendedLifetime(subscription) {} }
  return measure(name, values: values) { values in
    for value in 0..<values / 2 {
      first.send(value)
      second.send(value)
    }
  }
}

func chain(_ count: Int, values: Int) -> Measurement {
  let name = "subject → map → filter → removeDuplicates → sink × \(count)"
  return send(name, through: PassthroughSubject<Int, Never>(), values: values) { subject, total in
    let (transform, isIncluded, isEqual) = parts()
    return (0..<count).map { _ in
      subject.map(transform).filter(isIncluded).removeDuplicates(by: isEqual).sink { total.sum &+= $0 }
    }
  }
}

func erasedChain(values: Int) -> Measurement {
  let name = "the first chain, erased before the sink"
  return send(name, through: PassthroughSubject<Int, Never>(), values: values) { subject, total in
    let (transform, isIncluded, isEqual) = parts()
    let erased = subject.map(transform).filter(isIncluded).removeDuplicates(by: isEqual).eraseToAnyPublisher()
    return [erased.sink { total.sum &+= $0 }]
  }
}

func longChain(values: Int) -> Measurement {
  let name = "subject → eight operators, most of them twice → sink"
  return send(name, through: PassthroughSubject<Int, Never>(), values: values) { subject, total in
    let (transform, isIncluded, isEqual) = parts()
    let chain = subject.map(transform).filter(isIncluded).removeDuplicates(by: isEqual).map { $0 &+ 1 }
      .filter { $0 != 3 }.compactMap { $0 == 9 ? nil : $0 }.removeDuplicates().map { $0 &* 5 }
    return [chain.sink { total.sum &+= $0 }]
  }
}

func passthrough(values: Int) -> Measurement {
  send("PassthroughSubject → sink", through: PassthroughSubject<Int, Never>(), values: values) { subject, total in
    [subject.sink { total.sum &+= $0 }]
  }
}

func currentValue(values: Int) -> Measurement {
  send("CurrentValueSubject → sink", through: CurrentValueSubject<Int, Never>(0), values: values) { subject, total in
    [subject.sink { total.sum &+= $0 }]
  }
}

func flatMap(values: Int) -> Measurement {
  send("flatMap { Just } → sink", through: PassthroughSubject<Int, Never>(), values: values) { subject, total in
    [subject.flatMap { Just($0) }.sink { total.sum &+= $0 }]
  }
}

func share(values: Int) -> Measurement {
  send("map → share → 2 sinks", through: PassthroughSubject<Int, Never>(), values: values) { subject, total in
    let shared = subject.map(parts().transform).share()
    return (0..<2).map { _ in shared.sink { total.sum &+= $0 } }
  }
}

func merge(values: Int) -> Measurement {
  sendInTurn("merge(2) → sink", values: values) { first, second, total in
    first.merge(with: second.map { $0 }).sink { total.sum &+= $0 }
  }
}

func combineLatest(values: Int) -> Measurement {
  sendInTurn("combineLatest(2) → sink", values: values) { first, second, total in
    first.combineLatest(second).sink { total.sum &+= $0 &+ $1 }
  }
}

/// One thousand values for each interval of virtual time.
func throttle(values: Int) -> Measurement {
  let scheduler = TestScheduler()
  let subject = PassthroughSubject<Int, Never>()
  let total = Total()
  let subscription = subject.throttle(for: .microseconds(1), scheduler: scheduler, latest: true)
    .sink { total.sum &+= $0 }
  defer { withExtendedLifetime(subscription) {} }
  return measure("throttle on virtual time → sink", values: values) { values in
    for value in 0..<values {
      subject.send(value)
      scheduler.advance(by: .nanoseconds(1))
    }
  }
}
