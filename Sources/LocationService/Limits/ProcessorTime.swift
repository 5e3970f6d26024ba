// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The time that this thread has had the processor: what a call costs, however busy the machine is with other things.
enum ProcessorTime {
  /// Microseconds.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
