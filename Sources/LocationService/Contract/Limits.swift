// SPDX-License-Identifier: Apache-2.0
import DBus

/// How much one client, one user and all together may take.
nonisolated public struct Limits: Equatable, Sendable {
  /// The limits' names, as the property `Limits` and error messages have them.
  public enum Key: String, CaseIterable, Sendable {
    case subscriptionsPerConnection = "subscriptions-per-connection"
    case callsPerConnection = "calls-per-connection"
    case subscriptionsPerUser = "subscriptions-per-user"
    case subscriptions = "subscriptions"
    case callsBurst = "calls-burst"
    case callsPerSecond = "calls-per-second"
    case promptsPerConnection = "prompts-per-connection"
    case messageBytes = "message-bytes"
  }

  private var values: [Key: UInt32] = [
    .subscriptionsPerConnection: 16,
    .callsPerConnection: 16,
    .subscriptionsPerUser: 512,
    .subscriptions: 4096,
    .callsBurst: 200,
    .callsPerSecond: 50,
    .promptsPerConnection: 1,
    .messageBytes: 64 * 1024,
  ]

  public init() {}

  public subscript(key: Key) -> UInt32 {
    get { values[key] ?? 0 }
    set { values[key] = newValue }
  }

  /// As the property `Limits` has them.
  var value: Value {
    .dictionary(
      key: .string, value: "u",
      Key.allCases.map { Value.Entry(.string($0.rawValue), .uint32(self[$0])) })
  }
}
