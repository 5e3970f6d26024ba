// SPDX-License-Identifier: Apache-2.0
import DBus

/// The limits per connection, per user and for the whole service.
nonisolated public struct Limits: Equatable, Sendable {
  /// The limits' names in the property `Limits` and in error messages.
  public enum Key: String, CaseIterable, Sendable {
    case subscriptionsPerConnection = "subscriptions-per-connection"
    case regionsPerConnection = "regions-per-connection"
    case callsPerConnection = "calls-per-connection"
    case subscriptionsPerUser = "subscriptions-per-user"
    case regionsPerUser = "regions-per-user"
    case subscriptions = "subscriptions"
    case regions = "regions"
    case callsBurst = "calls-burst"
    case callsPerSecond = "calls-per-second"
    case callsPerSecondPerUser = "calls-per-second-per-user"
    case promptsPerConnection = "prompts-per-connection"
    case promptsPerUser = "prompts-per-user"
    case messageBytes = "message-bytes"
  }

  private var values: [Key: UInt32] = [
    .subscriptionsPerConnection: 16,
    .regionsPerConnection: 20,
    .callsPerConnection: 16,
    .subscriptionsPerUser: 512,
    .regionsPerUser: 100,
    .subscriptions: 4096,
    .regions: 1000,
    .callsBurst: 200,
    .callsPerSecond: 50,
    .callsPerSecondPerUser: 400,
    .promptsPerConnection: 1,
    .promptsPerUser: 2,
    .messageBytes: 64 * 1024,
  ]

  public init() {}

  public subscript(key: Key) -> UInt32 {
    get { values[key] ?? 0 }
    set { values[key] = newValue }
  }

  var value: Value {
    .dictionary(key: .string, value: "u", Key.allCases.map { Value.Entry(.string($0.rawValue), .uint32(self[$0])) })
  }
}

/// The limits currently in force. Replaced when the configuration is reloaded.
final class LimitsInForce {
  var now: Limits
  init(_ limits: Limits) { now = limits }
}
