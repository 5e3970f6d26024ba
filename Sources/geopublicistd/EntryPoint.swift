// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport

/// The entry point, under the name that SwiftPM gives this module's `main`.
///
/// A separate file, because the compiler treats the only file of a module as a script with an entry point of this name.
@_cdecl("geopublicistd_main")
func enter(_ count: Int32, _ vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 {
  Daemon.main(ProgramArguments.strings(count, vector))
}
