import DBus
import GeopublicistLocationModel

/// Reads an `a{sv}` of options strictly: an unknown key, a wrong type, a value out of range or a key that comes twice
/// is an error, never ignored.
nonisolated struct OptionReader {
  static let maximumKeys = 32
  static let maximumStringBytes = 255

  private var values: [String: Value] = [:]

  init(_ options: Value, allowing allowed: [String]) throws(DBusError) {
    guard let pairs = options.options else { throw .invalidOption("The options are not an a{sv}") }
    guard pairs.count <= Self.maximumKeys else {
      throw .invalidOption("There are more than \(Self.maximumKeys) options")
    }
    for (name, value) in pairs {
      guard allowed.contains(name) else {
        throw .invalidOption("There is no option \(Self.quoted(name)); there are \(allowed.joined(separator: ", "))")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw .invalidOption("The option \(name) is given twice")
      }
    }
  }

  func level(_ name: String) throws(DBusError) -> AccuracyLevel? {
    guard let value = values[name] else { return nil }
    return try Self.level(value, of: name)
  }

  func milliseconds(_ name: String, atMost maximum: UInt32 = .max) throws(DBusError) -> UInt32? {
    guard let value = values[name] else { return nil }
    guard let number = value.uint32 else { throw .invalidOption("The option \(name) has the type u") }
    guard number <= maximum else { throw .invalidOption("The option \(name) is at most \(maximum)") }
    return number
  }

  func count(_ name: String) throws(DBusError) -> UInt32? { try milliseconds(name) }

  func metres(_ name: String) throws(DBusError) -> Double? {
    guard let value = values[name] else { return nil }
    return try Self.metres(value, of: name)
  }

  func text(_ name: String) throws(DBusError) -> String? {
    guard let value = values[name] else { return nil }
    guard let text = value.string else { throw .invalidOption("The option \(name) has the type s") }
    guard text.utf8.count <= Self.maximumStringBytes else {
      throw .invalidOption("The option \(name) is at most \(Self.maximumStringBytes) bytes long")
    }
    // It ends up in journal lines and on terminals.
    guard PlainText.isPlain(text) else {
      throw .invalidOption("The option \(name) has characters in it that do not show")
    }
    return text
  }

  static func level(_ value: Value, of name: String) throws(DBusError) -> AccuracyLevel {
    guard let text = value.string else { throw .invalidOption("The option \(name) has the type s") }
    guard let level = AccuracyLevel(contractName: text) else {
      throw .invalidOption("The option \(name) is country, city, neighborhood, street or exact")
    }
    return level
  }

  static func metres(_ value: Value, of name: String) throws(DBusError) -> Double {
    guard let number = value.double else { throw .invalidOption("The option \(name) has the type d") }
    guard number.isFinite, number >= 0 else {
      throw .invalidOption("The option \(name) is a number of metres, 0 or greater")
    }
    return number
  }

  /// A name from outside as it may stand in a sentence.
  private static func quoted(_ name: String) -> String {
    let isPlain = name.utf8.count <= 64 && PlainText.isPlain(name)
    return isPlain ? "'\(name)'" : "of that name"
  }
}

/// The options of `CreateSubscription`.
nonisolated struct SubscriptionOptions: Equatable, Sendable {
  var accuracy = AccuracyLevel.exact
  /// Metres.
  var distanceThreshold = 0.0
  /// Milliseconds.
  var timeThreshold: UInt32 = 0
  /// Milliseconds.
  var debounce: UInt32 = 0
  /// 0: no end.
  var maximumUpdates: UInt32 = 0
  /// Milliseconds; 0: no end.
  var duration: UInt32 = 0
  var desktopID = ""

  init(_ options: Value) throws(DBusError) {
    let reader = try OptionReader(
      options,
      allowing: [
        "accuracy", "distance-threshold", "time-threshold", "debounce", "max-updates", "duration", "desktop-id",
      ])
    accuracy = try reader.level("accuracy") ?? accuracy
    distanceThreshold = try reader.metres("distance-threshold") ?? distanceThreshold
    timeThreshold = try reader.milliseconds("time-threshold") ?? timeThreshold
    debounce = try reader.milliseconds("debounce") ?? debounce
    maximumUpdates = try reader.count("max-updates") ?? maximumUpdates
    duration = try reader.milliseconds("duration") ?? duration
    desktopID = try reader.text("desktop-id") ?? desktopID
  }
}

/// The options of `GetLocation`.
nonisolated struct RequestOptions: Equatable, Sendable {
  var accuracy = AccuracyLevel.exact
  /// Milliseconds.
  var timeout: UInt32 = 20_000
  /// Milliseconds.
  var maximumAge = RequestOptions.defaultMaximumAge
  var desktopID = ""

  /// Milliseconds.
  static let defaultMaximumAge: UInt32 = 30_000
  static let longestTimeout: UInt32 = 120_000

  init(_ options: Value) throws(DBusError) {
    let reader = try OptionReader(options, allowing: ["accuracy", "timeout", "maximum-age", "desktop-id"])
    accuracy = try reader.level("accuracy") ?? accuracy
    timeout = try reader.milliseconds("timeout", atMost: Self.longestTimeout) ?? timeout
    maximumAge = try reader.milliseconds("maximum-age") ?? maximumAge
    desktopID = try reader.text("desktop-id") ?? desktopID
  }
}

/// The options of `RequestAuthorization`.
nonisolated struct AuthorizationOptions: Equatable, Sendable {
  var accuracy = AccuracyLevel.exact
  var desktopID = ""

  init(_ options: Value) throws(DBusError) {
    let reader = try OptionReader(options, allowing: ["accuracy", "desktop-id"])
    accuracy = try reader.level("accuracy") ?? accuracy
    desktopID = try reader.text("desktop-id") ?? desktopID
  }
}
