// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// The version of both programs and of the contract that they share.
nonisolated public enum ProgramVersion { public static let current = "1.2.0" }

/// The arguments of a C `main`.
public enum ProgramArguments {
  /// Returns the arguments as strings, beginning with the program's name.
  ///
  /// `CommandLine.arguments` reads /proc/self/cmdline and is empty where /proc is not mounted.
  public static func strings(
    _ count: Int32, _ vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  ) -> [String] {
    (0..<max(0, Int(count))).compactMap { index in vector?[index].map { String(cString: $0) } }
  }
}

/// Controls what happens to the process's memory after a crash.
public enum CoreDumps {
  /// Prevents core dumps, which could contain a user's location. Swift's crash handler, which lets another program
  /// inspect this process, is removed, so a crash ends the process immediately.
  public static func forbid() {
    if cglib_forbid_core_dumps() != 0 { Log.warning("Cannot disable core dumps; a crash may write locations to disk") }
  }
}

nonisolated extension String {
  /// Returns whether this text contains another. The standard library's `contains` needs Foundation or links the
  /// regular expression engine.
  public func hasPart(_ other: String) -> Bool {
    let (text, part) = (Array(utf8), Array(other.utf8))
    guard text.count >= part.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
  }
}
