// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

@testable import GeopublicistService

/// Fuzzes the options of the contract's methods and the writable properties: accepted values must be in range.
func fuzzOptions(_ source: ByteSource) {
  let names = [
    "accuracy", "distance-threshold", "time-threshold", "debounce", "max-updates", "duration", "desktop-id", "timeout",
    "maximum-age",
  ]
  let pairs = (0..<source.number(below: 40)).map { _ in
    (source.number(below: 8) == 0 ? source.text() : source.pick(names), likely(source))
  }
  let options: Value = source.number(below: 16) == 0 ? source.value() : .options(pairs)
  for allowed in [ClientOption.ofSubscription, ClientOption.ofRequest, ClientOption.ofAuthorization] {
    guard let read = try? OptionReader.read(options, allowed) else { continue }
    claim(read.distanceThreshold.isFinite && read.distanceThreshold >= 0, "a distance is finite and not negative")
    claim(read.accuracy != .none, "the level none cannot be requested")
    claim(read.timeout <= .seconds(120), "a timeout is limited")
    claim(read.desktopID.utf8.count <= ClientOption.maximumTextBytes, "a desktop-id is short")
    claim(read.desktopID.unicodeScalars.allSatisfy(\.isPrintable), "a desktop-id can be printed")
  }
}

private func likely(_ source: ByteSource) -> Value {
  switch source.number(below: 6) {
  case 0: .uint32(source.integer())
  case 1: .double(source.double())
  case 2: .string(source.text())
  case 3: .string(source.pick(["country", "city", "neighborhood", "street", "exact", "none", "", "Exact"]))
  case 4: .string(String(repeating: source.pick(["x", "ä", "\u{1}"]), count: source.pick([1, 127, 128, 255, 256])))
  default: source.value()
  }
}
