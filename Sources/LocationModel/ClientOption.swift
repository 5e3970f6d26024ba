// SPDX-License-Identifier: Apache-2.0
/// An option of the contract, declared once with its name, type, range, field, property and command-line flag.
///
/// The service uses this table to read `a{sv}` and to derive a subscription's writable properties. The command derives
/// its flags and their help from it.
package struct ClientOption: Sendable {
  /// The type and range of an option, with the field that it sets.
  package enum Field: Sendable {
    case level(any WritableKeyPath<ClientOptions, AccuracyLevel> & Sendable)
    case metres(any WritableKeyPath<ClientOptions, Double> & Sendable)
    /// A number of milliseconds in the contract.
    case milliseconds(any WritableKeyPath<ClientOptions, Duration> & Sendable, upTo: UInt32 = .max)
    case count(any WritableKeyPath<ClientOptions, UInt32> & Sendable)
    /// Text that can be printed on one line.
    case text(any WritableKeyPath<ClientOptions, String> & Sendable)
    case truth(any WritableKeyPath<ClientOptions, Bool> & Sendable)
    case mode(any WritableKeyPath<ClientOptions, DeliveryMode> & Sendable)
    /// A required number within a range.
    case required(any WritableKeyPath<ClientOptions, Double?> & Sendable, in: ClosedRange<Double>, unit: String)
    case regionState(any WritableKeyPath<ClientOptions, RegionState> & Sendable)
    case twilight(any WritableKeyPath<ClientOptions, Twilight> & Sendable)
    /// A number of seconds within ``AlmanacOptions/offsets``.
    case offset(any WritableKeyPath<ClientOptions, Int> & Sendable)
  }

  package struct Flag: Sendable {
    package let name: String
    package var letter: Character?
    /// One line for `--help`.
    package let help: String
    /// The placeholder of the value in `--help`.
    package let value: String
  }

  package let name: String
  package let field: Field
  /// The property of a subscription that shows and changes the option, or nil.
  package let property: String?
  /// The command-line flag, or nil.
  package let flag: Flag?

  private init(_ name: String, _ field: Field, property: String? = nil, flag: Flag? = nil) {
    self.name = name
    self.field = field
    self.property = property
    self.flag = flag
  }

  /// The maximum length of a text, in bytes of UTF-8.
  package static let maximumTextBytes = 255
}

// MARK: - Table of options
extension ClientOption {
  package static let accuracy = ClientOption(
    "accuracy", .level(\.accuracy), property: "Accuracy",
    flag: Flag(
      name: "accuracy", letter: "a", help: "country, city, neighborhood, street or exact (default)", value: "LEVEL"))
  static let desktopID = ClientOption(
    "desktop-id", .text(\.desktopID),
    flag: Flag(name: "desktop-id", help: "The name of the calling program's desktop file", value: "ID"))
  package static let distanceThreshold = ClientOption(
    "distance-threshold", .metres(\.distanceThreshold), property: "DistanceThreshold",
    flag: Flag(name: "distance", letter: "d", help: "Minimum distance between two locations", value: "METRES"))
  package static let requiredAccuracy = ClientOption(
    "required-accuracy", .metres(\.requiredAccuracy), property: "RequiredAccuracy",
    flag: Flag(name: "required-accuracy", help: "Skip locations that are less accurate than this", value: "METRES"))
  static let bestEffort = ClientOption("best-effort", .truth(\.isBestEffort))
  static let mode = ClientOption(
    "mode", .mode(\.mode), flag: Flag(name: "mode", help: "continuous (default) or significant", value: "MODE"))
  package static let timeThreshold = ClientOption(
    "time-threshold", .milliseconds(\.timeThreshold), property: "TimeThreshold",
    flag: Flag(name: "interval", letter: "i", help: "At most one location in this time", value: "TIME"))
  package static let debounce = ClientOption(
    "debounce", .milliseconds(\.debounce), property: "Debounce",
    flag: Flag(name: "debounce", help: "Wait until no newer location has arrived for this long", value: "TIME"))
  static let maximumUpdates = ClientOption("max-updates", .count(\.maximumUpdates))
  static let duration = ClientOption("duration", .milliseconds(\.duration))
  static let timeout = ClientOption("timeout", .milliseconds(\.timeout, upTo: 120_000))
  static let maximumAge = ClientOption("maximum-age", .milliseconds(\.maximumAge))

  static let latitude = ClientOption("latitude", .required(\.region.latitude, in: -90...90, unit: "degrees"))
  static let longitude = ClientOption("longitude", .required(\.region.longitude, in: -180...180, unit: "degrees"))
  static let radius = ClientOption("radius", .required(\.region.radius, in: CircularRegion.radii, unit: "metres"))
  static let confirm = ClientOption(
    "confirm", .milliseconds(\.region.confirm),
    flag: Flag(name: "confirm", help: "How long a change must persist (default 20s)", value: "TIME"))
  static let dwell = ClientOption(
    "dwell", .milliseconds(\.region.dwell),
    flag: Flag(name: "dwell", help: "Report a stay of this length", value: "TIME"))
  static let unknownAfter = ClientOption(
    "unknown-after", .milliseconds(\.region.unknownAfter),
    flag: Flag(
      name: "unknown-after", help: "Report the state as lost after this time without a location (default 15min)",
      value: "TIME"))
  static let assumed = ClientOption(
    "assumed", .regionState(\.region.assumed),
    flag: Flag(name: "assumed", help: "The last known state: inside or outside", value: "STATE"))
  static let singleUse = ClientOption("single-use", .truth(\.region.isSingleUse))
  static let includeLocation = ClientOption("include-location", .truth(\.region.includesLocation))

  static let twilight = ClientOption(
    "twilight", .twilight(\.almanac.twilight),
    flag: Flag(
      name: "twilight", help: "Where night begins: sunset, civil (default), nautical or astronomical", value: "LIMIT"))
  static let dayOffset = ClientOption(
    "day-offset", .offset(\.almanac.dayOffset),
    flag: Flag(name: "day-offset", help: "Day begins this much later; with a minus sign, earlier", value: "TIME"))
  static let nightOffset = ClientOption(
    "night-offset", .offset(\.almanac.nightOffset),
    flag: Flag(name: "night-offset", help: "Night begins this much later; with a minus sign, earlier", value: "TIME"))

  package static let ofRegion = [
    latitude, longitude, radius, accuracy, confirm, dwell, unknownAfter, assumed, singleUse, duration, includeLocation,
    desktopID,
  ]
  package static let ofSubscription = [
    accuracy, distanceThreshold, timeThreshold, debounce, requiredAccuracy, mode, maximumUpdates, duration, desktopID,
  ]
  package static let ofRequest = [accuracy, timeout, maximumAge, requiredAccuracy, bestEffort, desktopID]
  package static let ofAlmanac = [twilight, dayOffset, nightOffset, desktopID]
  package static let ofAlmanacRequest = ofAlmanac + [timeout, maximumAge]
  package static let ofAuthorization = [accuracy, desktopID]
}

/// The value of an option, independent of its D-Bus type.
package enum OptionValue: Hashable, Sendable {
  case text(String)
  /// Any integer or floating-point number.
  case number(Double)
  case truth(Bool)
}

/// Explains to the caller in one sentence why an option is invalid.
package struct OptionError: Error, Equatable, Sendable {
  /// The sentence, with the option's name, type and range.
  package let message: String
}

extension ClientOption {
  /// Stores a value in its field. Throws if the type is unsuitable or the value out of range.
  package func set(_ value: OptionValue, in options: inout ClientOptions) throws(OptionError) {
    switch (field, value) {
    case (.level(let path), .text(let name)):
      guard let level = AccuracyLevel(contractName: name) else { throw refusal }
      options[keyPath: path] = level
    case (.metres(let path), .number(let number)):
      guard number.isFinite, number >= 0 else { throw refusal }
      options[keyPath: path] = number
    case (.milliseconds(let path, let maximum), .number(let number)):
      options[keyPath: path] = .milliseconds(try integer(number, upTo: maximum))
    case (.count(let path), .number(let number)): options[keyPath: path] = try integer(number, upTo: .max)
    case (.text(let path), .text(let text)):
      guard text.utf8.count <= Self.maximumTextBytes, text.unicodeScalars.allSatisfy(\.isPrintable) else {
        throw refusal
      }
      options[keyPath: path] = text
    case (.truth(let path), .truth(let truth)): options[keyPath: path] = truth
    case (.mode(let path), .text(let name)):
      guard let mode = DeliveryMode(rawValue: name) else { throw refusal }
      options[keyPath: path] = mode
    case (.required(let path, let range, _), .number(let number)):
      // Comparisons with NaN are false.
      guard range.contains(number) else { throw refusal }
      options[keyPath: path] = number
    case (.regionState(let path), .text(let name)):
      guard let state = RegionState(rawValue: name) else { throw refusal }
      options[keyPath: path] = state
    case (.twilight(let path), .text(let name)):
      guard let twilight = Twilight(rawValue: name) else { throw refusal }
      options[keyPath: path] = twilight
    case (.offset(let path), .number(let number)):
      guard let seconds = Int(exactly: number), AlmanacOptions.offsets.contains(seconds) else { throw refusal }
      options[keyPath: path] = seconds
    default: throw refusal
    }
  }

  package var type: String {
    switch field {
    case .level, .text, .mode, .regionState, .twilight: "s"
    case .offset: "i"
    case .truth: "b"
    case .metres, .required: "d"
    case .milliseconds, .count: "u"
    }
  }

  private func integer(_ number: Double, upTo maximum: UInt32) throws(OptionError) -> UInt32 {
    guard let integer = UInt32(exactly: number), integer <= maximum else { throw refusal }
    return integer
  }

  var refusal: OptionError {
    let range =
      switch field {
      case .level: "country, city, neighborhood, street or exact"
      case .metres: "a distance in metres, 0 or more"
      case .milliseconds(_, let maximum): "a whole number of milliseconds from 0 to \(maximum)"
      case .count: "a whole number from 0 to \(UInt32.max)"
      case .truth: "true or false"
      case .mode: "continuous or significant"
      case .required(_, let range, let unit):
        "a number of \(unit) from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
      case .regionState: "inside, outside or unknown"
      case .twilight: "sunset, civil, nautical or astronomical"
      case .offset:
        "a whole number of seconds from \(AlmanacOptions.offsets.lowerBound) to \(AlmanacOptions.offsets.upperBound)"
      case .text: "at most \(Self.maximumTextBytes) bytes without control characters"
      }
    return OptionError(message: "Option \(name) (type \(type)) must be \(range)")
  }
}

extension ClientOption {
  package func value(in options: ClientOptions) -> OptionValue {
    switch field {
    case .level(let path): .text(options[keyPath: path].contractName)
    case .metres(let path): .number(options[keyPath: path])
    case .milliseconds(let path, _): .number(Double(UInt32(clamping: options[keyPath: path].milliseconds)))
    case .count(let path): .number(Double(options[keyPath: path]))
    case .text(let path): .text(options[keyPath: path])
    case .truth(let path): .truth(options[keyPath: path])
    case .mode(let path): .text(options[keyPath: path].rawValue)
    case .required(let path, _, _): .number(options[keyPath: path] ?? .nan)
    case .regionState(let path): .text(options[keyPath: path].rawValue)
    case .twilight(let path): .text(options[keyPath: path].rawValue)
    case .offset(let path): .number(Double(options[keyPath: path]))
    }
  }
}
