// SPDX-License-Identifier: Apache-2.0
/// Keeps the latest value of up to four upstreams; a tuple is ready when there are all and one of them is new.
///
/// With fewer upstreams than four, `Void` stands for those that are missing, and is there from the start.
@usableFromInline
struct Latest<A, B, C, D>: GatherRule {
  @usableFromInline let width: Int
  @usableFromInline var a: A?
  @usableFromInline var b: B?
  @usableFromInline var c: C?
  @usableFromInline var d: D?
  @usableFromInline var isFresh = false

  @inlinable
  init(width: Int, c: C? = nil, d: D? = nil) {
    self.width = width
    self.c = c
    self.d = d
  }

  @inlinable
  static var keepsTuples: Bool { false }

  @inlinable
  mutating func take() -> (A, B, C, D)? {
    guard isFresh, let a, let b, let c, let d else { return nil }
    isFresh = false
    return (a, b, c, d)
  }

  @inlinable
  func isOver(_ ended: UInt8) -> Bool {
    if ended == (1 << UInt8(truncatingIfNeeded: width)) - 1 { return true }
    let silent: UInt8 = (a == nil ? 1 : 0) | (b == nil ? 2 : 0) | (c == nil ? 4 : 0) | (d == nil ? 8 : 0)
    return ended & silent != 0
  }
}

@usableFromInline
enum LatestSlot1<A, B, C, D>: GatherSlot {
  @inlinable
  static var index: Int { 0 }
  @inlinable
  static func put(_ value: A, into rule: inout Latest<A, B, C, D>) {
    rule.a = .some(value)
    rule.isFresh = true
  }
}

@usableFromInline
enum LatestSlot2<A, B, C, D>: GatherSlot {
  @inlinable
  static var index: Int { 1 }
  @inlinable
  static func put(_ value: B, into rule: inout Latest<A, B, C, D>) {
    rule.b = .some(value)
    rule.isFresh = true
  }
}

@usableFromInline
enum LatestSlot3<A, B, C, D>: GatherSlot {
  @inlinable
  static var index: Int { 2 }
  @inlinable
  static func put(_ value: C, into rule: inout Latest<A, B, C, D>) {
    rule.c = .some(value)
    rule.isFresh = true
  }
}

@usableFromInline
enum LatestSlot4<A, B, C, D>: GatherSlot {
  @inlinable
  static var index: Int { 3 }
  @inlinable
  static func put(_ value: D, into rule: inout Latest<A, B, C, D>) {
    rule.d = .some(value)
    rule.isFresh = true
  }
}
