// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// The kernel's monotonic clock in microseconds.
var monotonic: Int64 { LoopClock.system.monotonic() }
