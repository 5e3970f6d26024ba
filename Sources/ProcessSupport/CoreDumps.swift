// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// What becomes of the memory when the program crashes.
public enum CoreDumps {
  /// Lets nothing of it be written anywhere; it may hold somebody's location. A crash is the end at
  /// once: Swift's own handler, which lets another program look into this one, is taken out.
  public static func forbid() {
    if cglib_forbid_core_dumps() != 0 { Log.warning("Core dumps cannot be switched off") }
  }
}
