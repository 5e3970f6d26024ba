import MainLoop

/// The kernel's monotonic clock in microseconds.
var monotonic: Int64 { LoopClock.system.monotonic() }
