// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What tells one subscriber or subscription from another.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
  private let value: UInt

  /// A new identifier, equal to no other.
  public init() {
    // Numbers grow from one, addresses of objects are far above them and never reached by counting.
    value = counter.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// The identifier of an object: its address, so equal only for the same living object.
  public init(_ object: AnyObject) { value = UInt(bitPattern: ObjectIdentifier(object)) }

  /// The identifier in hexadecimal digits.
  public var description: String { "0x" + String(value, radix: 16) }
}

private let counter = Atomic<UInt>(0)

/// Something that has a ``CombineIdentifier``.
public protocol CustomCombineIdentifierConvertible {
  /// What tells this from others.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
  /// What tells this from others.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
