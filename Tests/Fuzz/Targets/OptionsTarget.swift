import DBus
import GeopublicistLocationModel

@testable import GeopublicistService

/// The options of the contract's methods and the settable properties: what is taken is within its range.
func fuzzOptions(_ source: ByteSource) {
  let names = [
    "accuracy", "distance-threshold", "time-threshold", "debounce", "max-updates", "duration", "desktop-id", "timeout",
    "maximum-age",
  ]
  let pairs = (0..<source.number(below: 40)).map { _ in
    (source.number(below: 8) == 0 ? source.text() : source.pick(names), likely(source))
  }
  let options: Value = source.number(below: 16) == 0 ? source.value() : .options(pairs)
  if let read = try? SubscriptionOptions(options) {
    claim(read.distanceThreshold.isFinite && read.distanceThreshold >= 0, "a distance is one")
    check(read.desktopID)
    claim(read.accuracy != .none, "nobody asks for nothing")
  }
  if let read = try? RequestOptions(options) {
    claim(read.timeout <= RequestOptions.longestTimeout, "a call ends")
    check(read.desktopID)
  }
  if let read = try? AuthorizationOptions(options) { check(read.desktopID) }
  _ = try? OptionReader.level(options, of: "accuracy")
  if let metres = try? OptionReader.metres(source.value(), of: "distance") { claim(metres >= 0, "a distance is one") }
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

private func check(_ desktopID: String) {
  claim(desktopID.utf8.count <= OptionReader.maximumStringBytes, "a desktop-id is short")
  claim(desktopID.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "and can be printed")
}
