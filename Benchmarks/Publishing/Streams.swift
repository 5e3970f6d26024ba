// SPDX-License-Identifier: Apache-2.0
import Publishing

/// Values handed from a sender to a waiting reader, one by one.
func asyncStream(values: Int) async -> Measurement {
  await measure("AsyncStream, yield + next", values: values) { values in
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    var iterator = stream.makeAsyncIterator()
    var sum = 0
    for value in 0..<values {
      continuation.yield(value)
      sum &+= await iterator.next(isolation: #isolation) ?? 0
    }
    precondition(sum == (values - 1) * values / 2)
  }
}

/// The same through a subject that keeps its value.
func asyncValues(values: Int) async -> Measurement {
  await measure("CurrentValueSubject.values, send + next", values: values) { values in
    let subject = CurrentValueSubject<Int, Never>(0)
    var iterator = subject.values.makeAsyncIterator()
    var sum = 0
    for value in 0..<values {
      subject.send(value)
      sum &+= await iterator.next(isolation: #isolation) ?? 0
    }
    precondition(sum == (values - 1) * values / 2)
  }
}
