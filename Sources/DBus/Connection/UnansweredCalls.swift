// SPDX-License-Identifier: Apache-2.0
/// Counts the calls that each destination has not answered, including abandoned ones.
///
/// The bus counts them as well and refuses all further calls of a connection with too many: 128 on dbus-daemon's system
/// bus. A single hanging service must not use up all of them.
nonisolated struct UnansweredCalls {
  private var counts: [BusName: Int] = [:]
  private var destinations: [UInt32: BusName] = [:]

  /// Returns the number of calls that a destination has not answered.
  func count(of destination: BusName) -> Int { counts[destination] ?? 0 }

  /// Records a call that has been sent.
  mutating func add(_ serial: UInt32, to destination: BusName) {
    guard destinations.updateValue(destination, forKey: serial) == nil else { return }
    counts[destination, default: 0] += 1
  }

  /// Records the answer to a call. For a destination that has left, the bus answers.
  ///
  /// - Returns: The destination of the call; nil if it is not counted.
  @discardableResult
  mutating func answered(_ serial: UInt32, by sender: BusName?) -> BusName? {
    guard let destination = destinations[serial] else { return nil }
    guard !destination.isUnique || sender == destination || sender == .bus else { return nil }
    destinations[serial] = nil
    let count = (counts[destination] ?? 1) - 1
    counts[destination] = count > 0 ? count : nil
    return destination
  }

  mutating func removeAll() { self = UnansweredCalls() }
}
