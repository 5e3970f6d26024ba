// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// Controls what happens to the process's memory after a crash.
public enum CoreDumps {
  /// Prevents core dumps, which could contain a user's location. Swift's crash handler, which lets another program
  /// inspect this process, is removed, so a crash ends the process immediately.
  public static func forbid() {
    if cglib_forbid_core_dumps() != 0 { Log.warning("Cannot disable core dumps; a crash may write locations to disk") }
  }
}
