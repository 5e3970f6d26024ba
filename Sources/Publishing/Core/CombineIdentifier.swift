// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A unique identity of a subscriber or subscription.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
  private let value: UInt

  /// Creates an identifier that equals no other.
  public init() {
    // Numbers count up from one. Object addresses are far larger, so the two cannot collide.
    value = counter.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Creates the identifier of an object from its address. Unique only while the object exists.
  public init(_ object: AnyObject) { value = UInt(bitPattern: ObjectIdentifier(object)) }

  public var description: String { "0x" + String(value, radix: 16) }
}

private let counter = Atomic<UInt>(0)

/// A type with a ``CombineIdentifier``.
public protocol CustomCombineIdentifierConvertible {
  /// Distinguishes this value from all others.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
