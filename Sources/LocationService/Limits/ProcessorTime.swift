// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The processor time of this thread. Measures what a call costs, regardless of the load of the machine.
enum ProcessorTime {
  /// The time in microseconds.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
