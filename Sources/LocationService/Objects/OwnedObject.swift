// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistGatekeeper
import MainLoop

/// An object on the bus that belongs to one client.
protocol OwnedObject: PendingRequest {
  var kind: ObjectKind { get }
  var number: UInt64 { get }
  var client: Client { get }
  /// Who is charged for the object, as long as it exists.
  var account: Account { get }
  /// Whether the object is started and its owner authorized.
  var isActive: Bool { get }
  /// The object's row in `ListSubscriptions`, which never contains a coordinate.
  var listEntry: Value { get }
  /// Drops the location that waits to be sent, or all of them.
  func forget(_ part: DeliverySlot.Part)
  /// Tells the owner, when there is room, what differs from what it was last told.
  func tellLater()
  /// Makes periodic checks due now, because the device may have moved.
  func checkNow()
}

/// The kinds of objects that clients can create. Raw values as in `Kind` of `ListSubscriptions`.
nonisolated enum ObjectKind: String, CaseIterable, Sendable {
  case subscription
  case region
  case almanac

  var limits: (perConnection: Limits.Key, perUser: Limits.Key, whole: Limits.Key) {
    switch self {
    case .subscription, .almanac: (.subscriptionsPerConnection, .subscriptionsPerUser, .subscriptions)
    case .region: (.regionsPerConnection, .regionsPerUser, .regions)
    }
  }

  /// The kind with which this one shares its limits.
  var counted: ObjectKind { self == .almanac ? .subscription : self }

  var interface: InterfaceName {
    switch self {
    case .subscription: SubscriptionInterface.interface
    case .region: RegionInterface.interface
    case .almanac: AlmanacInterface.interface
    }
  }

  var path: ObjectPath {
    switch self {
    case .subscription: ServiceContract.subscriptionsPath
    case .region: ServiceContract.regionsPath
    case .almanac: ServiceContract.almanacsPath
    }
  }
}

/// Generates the numbers in clients' object paths. They are never reused, not even after a restart, and carry no
/// meaning.
///
/// The first number is the start time in microseconds, so a later service starts above all earlier numbers as long as
/// fewer than 7,800 objects per second are created. Steps are random, because a counter would reveal how busy other
/// clients are.
nonisolated struct ObjectNumbers: Sendable {
  private var last: UInt64

  /// - Parameter time: The wall clock in microseconds since 1970.
  init(startedAt time: UInt64) { last = time }

  mutating func next() -> UInt64 {
    last &+= .random(in: 1...256)
    return last
  }
}

/// Caches the replies to `ListSubscriptions` while they are accurate enough: with hundreds of rows, building one takes
/// milliseconds and sending it again almost nothing.
final class SubscriptionList {
  private struct Entry {
    let reply: PreparedReply
    let madeAt: MonotonicInstant
    let rows: Int
  }

  /// The maximum age of a reply whose rows may have changed without being added or removed, for each row.
  private static let patience = Duration.milliseconds(2)
  private var entries: [UInt32: Entry] = [:]

  /// Answers a user's call with the cached rows, or with new ones from `rows`.
  func answer(_ call: MethodCall, of user: UInt32, _ rows: () -> [Value]) {
    let now = MainLoop.main.clock.monotonic()
    if let entry = entries[user], now - entry.madeAt <= Self.patience * entry.rows {
      return call.reply(entry.reply)
    }
    let values = rows()
    guard let reply = try? PreparedReply([.array(.variantDictionary, values)]) else {
      return call.fail(DBusError(.limitsExceeded, "There are too many objects to list in one message"))
    }
    // Nothing would ever remove the entry of a user without objects.
    if !values.isEmpty { entries[user] = Entry(reply: reply, madeAt: now, rows: values.count) }
    call.reply(reply)
  }

  /// Discards the replies that contain the objects of a user.
  func changed(for user: UInt32?) {
    if let user { entries[user] = nil }
    entries[0] = nil
  }
}
