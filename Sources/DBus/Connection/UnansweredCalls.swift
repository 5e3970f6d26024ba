// SPDX-License-Identifier: Apache-2.0
/// Counts the calls that a destination has not answered, whether or not the answers are still wanted.
///
/// The bus counts them, too, and refuses all further calls of a connection with too many: 128 on dbus-daemon's system
/// bus. A service that hangs must not use up all of them.
nonisolated struct UnansweredCalls {
  private var counts: [BusName: Int] = [:]
  private var destinations: [UInt32: BusName] = [:]

  /// How many calls a destination has not answered.
  func count(of destination: BusName) -> Int { counts[destination] ?? 0 }

  /// Notes a call that has been sent.
  mutating func add(_ serial: UInt32, to destination: BusName) {
    guard destinations.updateValue(destination, forKey: serial) == nil else { return }
    counts[destination, default: 0] += 1
  }

  /// Notes the answer to a call; the bus answers for a destination that has left.
  mutating func answered(_ serial: UInt32, by sender: BusName?) {
    guard let destination = destinations[serial] else { return }
    guard !destination.isUnique || sender == destination || sender == .bus else { return }
    destinations[serial] = nil
    let count = (counts[destination] ?? 1) - 1
    counts[destination] = count > 0 ? count : nil
  }

  mutating func removeAll() { self = UnansweredCalls() }
}
