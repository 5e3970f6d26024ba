// SPDX-License-Identifier: Apache-2.0
import Foundation

extension Daemon {
  /// How much of its memory is resident, kB.
  public func residentKilobytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)
    let words = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?.split(separator: " ")
    return words.flatMap { Int($0[$0.count - 2].trimmingCharacters(in: .whitespaces)) } ?? 0
  }

  /// Whether its memory tells of the daemon alone: a sanitizer has a part of its own in it, which grows, too.
  public nonisolated static var isMemoryItsOwn: Bool {
    let environment = ProcessInfo.processInfo.environment
    return environment["ASAN_OPTIONS"] == nil && environment["TSAN_OPTIONS"] == nil
  }
}
