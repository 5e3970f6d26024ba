// SPDX-License-Identifier: Apache-2.0
/// How much of a message's body is read at most, so that the sender cannot choose how much memory it takes.
///
/// A larger body is refused as a whole, with `LimitsExceeded`, as soon as the reader reaches the limit.
nonisolated public struct ReadBudget: Hashable, Sendable {
  /// Bytes on the wire, without padding.
  public var bytes: Int
  /// Values, including nested ones; the bytes of an `ay` count as one.
  public var values: Int

  /// Reads at most that many bytes and values.
  public init(bytes: Int, values: Int) {
    self.bytes = bytes
    self.values = values
  }

  /// For replies of services that are trusted not to send more than they need, such as the names of all connections.
  public static let reply = ReadBudget(bytes: 4 << 20, values: 1 << 18)
  /// For signals, which any process may send.
  public static let signal = ReadBudget(bytes: 1 << 16, values: 1 << 12)
  /// For the reply of an untrusted program that has one small value.
  public static let smallAnswer = ReadBudget(bytes: 256, values: 8)

  /// Charges one value and its bytes; throws when the budget is exhausted.
  mutating func spend(_ count: Int) throws(DBusError) {
    guard values > 0, count <= bytes else { throw Self.exhausted }
    values -= 1
    bytes -= count
  }

  private static let exhausted = DBusError(.limitsExceeded, "The message is larger than is read here")
}
