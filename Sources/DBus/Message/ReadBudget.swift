// SPDX-License-Identifier: Apache-2.0
/// Limits how much of a message's body is read, so that the sender cannot choose how much memory it takes.
///
/// A larger body is rejected as a whole with `LimitsExceeded` as soon as the reader reaches the limit.
nonisolated public struct ReadBudget: Hashable, Sendable {
  /// The maximum number of bytes on the wire, without padding.
  public var bytes: Int
  /// The maximum number of values, including nested ones. An `ay` counts as one.
  public var values: Int
  /// The maximum number of file descriptors. A message may name one of its descriptors any number of times.
  public var descriptors: Int

  /// Limits the bytes on the wire and the number of values and of file descriptors, of which none are accepted by default.
  public init(bytes: Int, values: Int, descriptors: Int = 0) {
    self.bytes = bytes
    self.values = values
    self.descriptors = descriptors
  }

  /// For replies from trusted services, such as the names of all connections. Accepts as many file descriptors as the
  /// kernel passes in one message.
  public static let reply = ReadBudget(bytes: 4 << 20, values: 1 << 18, descriptors: 253)
  /// For signals, which any process may send.
  public static let signal = ReadBudget(bytes: 1 << 16, values: 1 << 12, descriptors: 16)
  /// For a reply that consists of one small value and comes from an untrusted program.
  public static let smallAnswer = ReadBudget(bytes: 256, values: 8)

  /// Charges one value and its bytes. Throws if the budget is exhausted.
  mutating func spend(_ count: Int) throws(DBusError) {
    guard values > 0, count <= bytes else { throw Self.exhausted }
    values -= 1
    bytes -= count
  }

  /// Charges one file descriptor.
  mutating func spendDescriptor() throws(DBusError) {
    try spend(4)
    guard descriptors > 0 else { throw DBusError(.limitsExceeded, "The message has too many file descriptors") }
    descriptors -= 1
  }

  private static let exhausted = DBusError(.limitsExceeded, "The message is too large")
}
