// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// Numbers with units as people write them on a command line.
nonisolated enum Quantity {
  /// Milliseconds of "3", "2.5s", "500ms", "2min" or "1h"; nil for anything else, and for what does not fit.
  static func milliseconds(_ text: String) -> UInt32? {
    let digits = text.prefix { $0.isNumber || $0 == "." }
    guard let number = Double(digits), number.isFinite else { return nil }
    let factor: Double
    switch text.dropFirst(digits.count) {
    case "", "s": factor = 1_000
    case "ms": factor = 1
    case "min": factor = 60_000
    case "h": factor = 3_600_000
    default: return nil
    }
    return UInt32(exactly: (number * factor).rounded())
  }

  /// Metres of "25", "25m" or "1.5km".
  static func metres(_ text: String) -> Double? {
    let digits = text.prefix { $0.isNumber || $0 == "." }
    guard let number = Double(digits), number.isFinite else { return nil }
    switch text.dropFirst(digits.count) {
    case "", "m": return number
    case "km": return number * 1_000
    default: return nil
    }
  }
}

/// Options with their values checked.
extension OptionParser {
  func milliseconds(_ name: String) throws(UsageError) -> UInt32? {
    try value(name, "a time such as 500ms, 10s, 2min or 1h", Quantity.milliseconds)
  }

  func metres(_ name: String) throws(UsageError) -> Double? {
    try value(name, "a distance such as 25m or 1.5km", Quantity.metres)
  }

  /// Rejects zero: a limit of nothing is never intended.
  func duration(_ name: String) throws(UsageError) -> UInt32? {
    try value(name, "a time such as 500ms, 10s, 2min or 1h") {
      Quantity.milliseconds($0).flatMap { $0 > 0 ? $0 : nil }
    }
  }

  func count(_ name: String) throws(UsageError) -> UInt32? {
    try value(name, "a whole number from 1 to \(UInt32.max)") { UInt32($0).flatMap { $0 > 0 ? $0 : nil } }
  }

  func level(_ name: String) throws(UsageError) -> String? {
    try value(name, "country, city, neighborhood, street or exact") {
      AccuracyLevel(contractName: $0)?.contractName
    }
  }

  private func value<T>(_ name: String, _ kind: String, _ read: (String) -> T?) throws(UsageError) -> T? {
    guard let text = text(name) else { return nil }
    guard let value = read(text) else { throw UsageError(message: "--\(name) takes \(kind), not '\(text)'") }
    return value
  }
}
