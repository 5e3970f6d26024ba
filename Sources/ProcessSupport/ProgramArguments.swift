// SPDX-License-Identifier: Apache-2.0
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
