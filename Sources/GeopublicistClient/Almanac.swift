// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

/// Day and night, the time zone and the town, as reported by the service.
nonisolated public struct Almanac: Equatable, Sendable {
  /// A phase of the day and when it begins.
  public struct Change: Equatable, Sendable {
    /// The phase.
    public let phase: DayPhase
    /// When it begins.
    public let time: Timestamp
  }

  /// The contract's dictionary, as received.
  public let value: Value
  /// The current phase of the day.
  public let phase: DayPhase
  /// The phases of the next seven days, with the current one first.
  public let forecast: [Change]
  /// Sunrise of the solar day; nil if there is none.
  public let sunrise: Timestamp?
  /// Sunset of the solar day; nil if there is none.
  public let sunset: Timestamp?
  /// The name of the time zone in the tz database; nil near a border.
  public let timeZone: String?
  /// The nearest town; nil if there is none, or if only the country is granted.
  public let place: String?
  /// The country's two letters of ISO 3166.
  public let country: String?
  /// When the location was measured.
  public let timestamp: Timestamp
  /// Whether the location is known only roughly.
  public let isApproximate: Bool
  /// Whether an earlier run of the service kept the location.
  public let isRemembered: Bool

  /// The next change; nil if there is none within the forecast.
  public var next: Change? { forecast.count > 1 ? forecast[1] : nil }

  /// Reads the contract's dictionary; returns nil for an unknown phase.
  public init?(_ value: Value) {
    guard let properties = value.properties, let phase = properties["Phase"]?.string.flatMap(DayPhase.init) else {
      return nil
    }
    self.value = value
    self.phase = phase
    forecast = (properties["Forecast"]?.array ?? []).compactMap { entry in
      guard let fields = entry.structure, let phase = fields.first?.string.flatMap(DayPhase.init),
        let time = Timestamp(fields.last)
      else { return nil }
      return Change(phase: phase, time: time)
    }
    sunrise = Timestamp(properties["Sunrise"])
    sunset = Timestamp(properties["Sunset"])
    timeZone = properties["TimeZone"]?.string?.printable
    place = properties["Place"]?.string?.printable
    country = properties["Country"]?.string?.printable
    timestamp = Timestamp(properties["Timestamp"]) ?? Timestamp()
    isApproximate = properties["Approximate"]?.boolean ?? true
    isRemembered = properties["Remembered"]?.boolean ?? false
  }
}

/// Follows an almanac of the service, across restarts of the service and without repeating one. Releasing the object,
/// or ``cancel()``, ends it.
@MainActor public final class ServiceAlmanac {
  /// An update is an almanac.
  public typealias Event = ServiceEvent<Almanac>

  private let object: ServiceObject<AlmanacKeeper>

  /// Follows with the options `almanac` and `desktopID`.
  public init(on service: ServiceConnection, _ options: ClientOptions, _ onEvent: @escaping (Event) -> Void) {
    object = ServiceObject(AlmanacKeeper(), AlmanacInterface.interface, on: service, onEvent)
    object.want(options)
  }

  isolated deinit { cancel() }

  /// Ends it. The handler is not called again.
  public func cancel() { object.end() }
}

/// Keeps one almanac at the service: a pure state machine that creates it again after a restart.
nonisolated struct AlmanacKeeper: ServiceObjectMachine {
  typealias Update = Almanac

  private var object = KeptObject<Update>(starts: true)
  private var options = ClientOptions()
  private var last: Almanac?

  var deadline: MonotonicInstant? { object.deadline }

  mutating func handle(_ event: ServiceObjectEvent, at now: MonotonicInstant, chance: Double) -> [Action] {
    switch event {
    case .wanted(let options):
      self.options = options
      object.ask(for: .city)
    case .signal(AlmanacInterface.almanacChanged, let arguments):
      guard object.path != nil, let almanac = arguments.first.flatMap(Almanac.init),
        last.map(almanac.isNews(after:)) ?? true
      else { return [] }
      last = almanac
      return [.tell(.update(almanac))]
    case .signal(AlmanacInterface.errorOccurred, let arguments):
      guard object.path != nil, let failure = DBusError(reported: arguments) else { return [] }
      return [.tell(.failure(failure))]
    default: break
    }
    return object.handle(event, at: now, chance: chance).compactMap { action in
      switch action {
      case .renew(let attempt):
        return .create(Location1Interface.createAlmanac, options.value(ClientOption.ofAlmanac), attempt: attempt)
      case .lost: return nil
      case .tell(.authorization(let authorization)):
        if !authorization.isAuthorized { last = nil }
        return action
      default: return action
      }
    }
  }
}

nonisolated extension Almanac {
  /// Whether a program that knows another almanac learns more than when its location was measured. A service that has
  /// restarted begins with a location that it remembers.
  fileprivate func isNews(after last: Almanac) -> Bool {
    (phase, timeZone, place, country) != (last.phase, last.timeZone, last.place, last.country)
      || (forecast, sunrise, sunset) != (last.forecast, last.sunrise, last.sunset)
      || last.isRemembered && !isRemembered || last.isApproximate && !isApproximate
  }
}

nonisolated extension DBusError {
  /// Reads the arguments of the signal `ErrorOccurred`.
  init?(reported arguments: [Value]) {
    let texts = arguments.compactMap(\.string)
    guard texts.count == 2, let name = ErrorName(validating: texts[0]) else { return nil }
    self.init(name, texts[1].printable)
  }
}

extension ServiceConnection {
  /// Requests one almanac; fails like ``location(_:_:)``.
  public func almanac(_ options: ClientOptions, _ handler: @escaping (Result<Almanac, CallFailure>) -> Void) {
    let value = options.value(ClientOption.ofAlmanacRequest)
    calls.getAlmanac(options: value, timeout: Self.patience(options)) { result in
      handler(
        result.printable.flatMap { value in
          guard let almanac = Almanac(value) else {
            return .failure(.refused(DBusError(.failed, "The service answered without an almanac")))
          }
          return .success(almanac)
        })
    }
  }

  /// The service's own timeout passes first and has a more specific message.
  static func patience(_ options: ClientOptions) -> CallTimeout {
    .after(options.timeout + .seconds(10))
  }
}
