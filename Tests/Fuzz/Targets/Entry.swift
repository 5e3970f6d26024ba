// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What can be fuzzed, by the name that `FUZZ_TARGET` in the environment has to be.
///
/// A target takes any bytes. It has failed when it traps, when the sanitizer says so, when it hangs, or when one of its
/// own claims is false (``claim(_:_:)``).
let targets: [String: @MainActor (ByteSource) -> Void] = [
  "configuration": fuzzConfiguration,
  "connection": fuzzConnection,
  "decision": fuzzDecision,
  "delivery": fuzzDelivery,
  "geoclue": fuzzGeoClue,
  "gpx": fuzzGPX,
  "limits": fuzzLimits,
  "message": fuzzMessage,
  "names": fuzzNames,
  "nmea": fuzzNMEA,
  "options": fuzzOptions,
  "polkit": fuzzPolkit,
  "rules": fuzzRules,
]

private let chosen: @MainActor (ByteSource) -> Void = {
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = targets[name] else {
    fatalError("FUZZ_TARGET is one of \(targets.keys.sorted().joined(separator: " "))")
  }
  return target
}()

/// libFuzzer's `main`, for programs that have their own, as SwiftPM's always do.
@_silgen_name("LLVMFuzzerRunDriver")
nonisolated private func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// What libFuzzer calls.
@_cdecl("LLVMFuzzerTestOneInput")
nonisolated public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  MainActor.assumeIsolated { chosen(ByteSource(bytes)) }
  return 0
}

@main enum Fuzz {
  static func main() {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(runFuzzer(&count, &arguments, testOneInput))
  }
}

/// Ends the run if what must always hold does not.
nonisolated func claim(_ condition: Bool, _ what: @autoclosure () -> String) {
  if !condition { fatalError(what()) }
}
