// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The fuzz targets, selected by the environment variable `FUZZ_TARGET`.
///
/// A target accepts any bytes. It fails if it traps, hangs, triggers the sanitizer, or one of its claims is false
/// (``claim(_:_:)``).
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

/// libFuzzer's entry point for programs with their own `main`, which SwiftPM's programs always have.
@_silgen_name("LLVMFuzzerRunDriver")
nonisolated private func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Called by libFuzzer for each input.
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

/// Ends the run if a condition that must always hold is false.
nonisolated func claim(_ condition: Bool, _ what: @autoclosure () -> String) { if !condition { fatalError(what()) } }
