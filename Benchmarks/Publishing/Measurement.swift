// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The result of one benchmark.
struct Measurement {
  let name: String
  /// Nanoseconds for each value sent; the median of several rounds.
  let nanoseconds: Double
  /// The ratio to the row that does the same in another way, and that row's name.
  var ratio: (times: Double, against: String)?

  func compared(to other: Measurement) -> Measurement {
    var copy = self
    copy.ratio = (nanoseconds / other.nanoseconds, other.name)
    return copy
  }
}

let rounds = 11

/// Runs `body` for `values` values several times, after a round that does not count.
func measure(_ name: String, values: Int, _ body: (_ values: Int) -> Void) -> Measurement {
  body(values)
  var times: [Double] = []
  for _ in 0..<rounds {
    let start = processorTime()
    body(values)
    times.append(processorTime() - start)
  }
  return Measurement(name: name, nanoseconds: median(times) / Double(values))
}

/// Like ``measure(_:values:_:)``, for work that suspends.
func measure(
  _ name: String, values: Int, isolation: isolated (any Actor)? = #isolation, _ body: (_ values: Int) async -> Void
) async -> Measurement {
  await body(values)
  var times: [Double] = []
  for _ in 0..<rounds {
    let start = processorTime()
    await body(values)
    times.append(processorTime() - start)
  }
  return Measurement(name: name, nanoseconds: median(times) / Double(values))
}

/// The processor time that this process has used, in nanoseconds: other programs do not count.
private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

private func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

/// Stores the values that sinks receive, so that nothing is optimised away.
final class Total {
  var sum = 0
}

/// The operators' closures call functions that the compiler cannot inline, neither into the chain nor into the
/// baseline.
@inline(never)
func parts() -> (transform: (Int) -> Int, isIncluded: (Int) -> Bool, isEqual: (Int, Int) -> Bool) {
  ({ $0 &* 3 }, { $0 & 7 != 0 }, { $0 == $1 })
}
