import DBus
import GeopublicistLocationModel

/// A location as everybody with a certain level gets it: reduced once, marshalled once, however many listen.
final class Fix {
  let location: Location
  /// The finest level that it may reveal.
  let level: AccuracyLevel
  private lazy var signal = makeSignal(isReduced: false)
  private lazy var reducedSignal = makeSignal(isReduced: true)

  init(_ location: Location, level: AccuracyLevel) {
    self.location = location
    self.level = level
  }

  /// The dictionary for somebody who asked for more (`isReduced`) or not.
  func value(isReduced: Bool, age: UInt32? = nil) -> Value {
    LocationDictionary.value(location, level: level, isReduced: isReduced, age: age)
  }

  /// `LocationUpdated`, for every subscription.
  func signal(isReduced: Bool) -> SignalTemplate? {
    isReduced ? reducedSignal : signal
  }

  private func makeSignal(isReduced: Bool) -> SignalTemplate? {
    try? SignalTemplate("LocationUpdated", of: ServiceNames.subscription, [value(isReduced: isReduced)])
  }

  /// Milliseconds since it reached the service.
  func age(at boottime: UInt64) -> UInt32 {
    UInt32(clamping: boottime > location.receivedAt ? (boottime - location.receivedAt) / 1_000 : 0)
  }
}
