// SPDX-License-Identifier: Apache-2.0
import Publishing

func chain(_ count: Int, values: Int) -> Measurement {
  let subject = PassthroughSubject<Int, Never>()
  let total = Total()
  let (transform, isIncluded, isEqual) = parts()
  let subscriptions = (0..<count).map { _ in
    subject.map(transform).filter(isIncluded).removeDuplicates(by: isEqual).sink { total.sum &+= $0 }
  }
  defer { withExtendedLifetime(subscriptions) {} }
  return measure("subject → map → filter → removeDuplicates → sink × \(count)", values: values) { values in
    for value in 0..<values { subject.send(value) }
  }
}

func erasedChain(values: Int) -> Measurement {
  let subject = PassthroughSubject<Int, Never>()
  let total = Total()
  let (transform, isIncluded, isEqual) = parts()
  let erased = subject.map(transform).filter(isIncluded).removeDuplicates(by: isEqual).eraseToAnyPublisher()
  let subscription = erased.sink { total.sum &+= $0 }
  defer { withExtendedLifetime(subscription) {} }
  return measure("the first chain, erased before the sink", values: values) { values in
    for value in 0..<values { subject.send(value) }
  }
}

func passthrough(values: Int) -> Measurement {
  let subject = PassthroughSubject<Int, Never>()
  let total = Total()
  let subscription = subject.sink { total.sum &+= $0 }
  defer { withExtendedLifetime(subscription) {} }
  return measure("PassthroughSubject → sink", values: values) { values in
    for value in 0..<values { subject.send(value) }
  }
}

func currentValue(values: Int) -> Measurement {
  let subject = CurrentValueSubject<Int, Never>(0)
  let total = Total()
  let subscription = subject.sink { total.sum &+= $0 }
  defer { withExtendedLifetime(subscription) {} }
  return measure("CurrentValueSubject → sink", values: values) { values in
    for value in 0..<values { subject.send(value) }
  }
}

func merge(values: Int) -> Measurement {
  let subjects = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
  let total = Total()
  let subscription = subjects.0.merge(with: subjects.1.map { $0 }).sink { total.sum &+= $0 }
  defer { withExtendedLifetime(subscription) {} }
  return measure("merge(2) → sink", values: values) { values in
    for value in 0..<values / 2 {
      subjects.0.send(value)
      subjects.1.send(value)
    }
  }
}

func combineLatest(values: Int) -> Measurement {
  let subjects = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
  let total = Total()
  let subscription = subjects.0.combineLatest(subjects.1).sink { total.sum &+= $0 &+ $1 }
  defer { withExtendedLifetime(subscription) {} }
  return measure("combineLatest(2) → sink", values: values) { values in
    for value in 0..<values / 2 {
      subjects.0.send(value)
      subjects.1.send(value)
    }
  }
}

func flatMap(values: Int) -> Measurement {
  let subject = PassthroughSubject<Int, Never>()
  let total = Total()
  let subscription = subject.flatMap { Just($0) }.sink { total.sum &+= $0 }
  defer { withExtendedLifetime(subscription) {} }
  return measure("flatMap { Just } → sink", values: values) { values in
    for value in 0..<values { subject.send(value) }
  }
}

func share(values: Int) -> Measurement {
  let subject = PassthroughSubject<Int, Never>()
  let total = Total()
  let shared = subject.map(parts().transform).share()
  let subscriptions = (0..<2).map { _ in shared.sink { total.sum &+= $0 } }
  defer { withExtendedLifetime(subscriptions) {} }
  return measure("map → share → 2 sinks", values: values) { values in
    for value in 0..<values { subject.send(value) }
  }
}

/// A thousand values to each interval of virtual time.
func throttle(values: Int) -> Measurement {
  let scheduler = VirtualScheduler()
  let subject = PassthroughSubject<Int, Never>()
  let total = Total()
  let subscription = subject.throttle(for: 1000, scheduler: scheduler, latest: true).sink { total.sum &+= $0 }
  defer { withExtendedLifetime(subscription) {} }
  return measure("throttle on virtual time → sink", values: values) { values in
    for value in 0..<values {
      subject.send(value)
      scheduler.advance(by: 1)
    }
  }
}

func longChain(values: Int) -> Measurement {
  let subject = PassthroughSubject<Int, Never>()
  let total = Total()
  let (transform, isIncluded, isEqual) = parts()
  let subscription = subject.map(transform).filter(isIncluded).removeDuplicates(by: isEqual).map { $0 &+ 1 }
    .filter { $0 != 3 }.compactMap { $0 == 9 ? nil : $0 }.removeDuplicates().map { $0 &* 5 }.sink { total.sum &+= $0 }
  defer { withExtendedLifetime(subscription) {} }
  return measure("subject → eight operators, most of them twice → sink", values: values) { values in
    for value in 0..<values { subject.send(value) }
  }
}
