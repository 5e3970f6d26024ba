// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import GeopublicistSimulatedKernel

/// Random numbers that depend only on the seed and on the purpose, so that leaving out one fault does not change what
/// another part of the world draws.
nonisolated struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64, _ purpose: String) {
    var hash = TraceHash()
    hash.add(seed)
    hash.add(purpose)
    state = hash.value
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// Returns true in this many of a hundred cases.
  mutating func percent(_ cases: Int) -> Bool { number(in: 0...99) < cases }

  mutating func number(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(in: 0...elements.count - 1)] }

  /// Returns a time in microseconds. Short times are as likely as long ones of the next order of magnitude, because
  /// overlaps of different lengths need different times.
  mutating func time(_ range: ClosedRange<Int64>) -> Int64 {
    var (shortest, steps) = (max(1, range.lowerBound), 0)
    while shortest < range.upperBound / 4 { (shortest, steps) = (shortest * 4, steps + 1) }
    let low = max(1, range.lowerBound) << Int64(2 * number(in: 0...steps))
    let high = max(low, min(range.upperBound, low * 4))
    return low + Int64(next() % UInt64(high - low + 1))
  }
}

/// The hash of a trace: 64-bit FNV-1a.
nonisolated struct TraceHash {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ number: UInt64) {
    var number = number.littleEndian
    value = kernel_hash(value, &number, 8)
  }

  mutating func add(_ text: String) { value = kernel_hash(value, text, text.utf8.count + 1) }

  /// Adds a message as it is on the wire. Returns its size in bytes.
  mutating func add(message raw: OpaquePointer) -> Int {
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard dbus_message_marshal(raw, &bytes, &count) != 0, let bytes else { return 0 }
    value = kernel_hash(value, bytes, Int(count))
    dbus_free(bytes)
    return Int(count)
  }
}
