// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A file descriptor that is closed when the last reference to it is released.
///
/// A descriptor in a message is a duplicate, so that sender and receiver each own theirs. An inhibitor lock of logind, for
/// example, lasts until the descriptor that `Inhibit` returned is closed, so keep the reply's ``Value/descriptor``.
///
/// Two values are equal if they are the same object.
nonisolated public final class OwnedDescriptor: Hashable, Sendable, CustomStringConvertible {
  /// The number of the descriptor. Valid only while this object exists, and must not be closed; see ``duplicate()``.
  public let rawValue: Int32

  /// Takes over an open descriptor, which nothing else may close from now on.
  public init(owning descriptor: Int32) { rawValue = descriptor }

  /// Duplicates a descriptor that remains the caller's. Throws if it is not open or the process has too many.
  public init(duplicating descriptor: Int32) throws(DBusError) {
    rawValue = try Self.duplicate(of: descriptor)
  }

  deinit { close(rawValue) }

  /// Returns a duplicate that the caller must close, for functions that take over a descriptor.
  public func duplicate() throws(DBusError) -> Int32 { try Self.duplicate(of: rawValue) }

  private static func duplicate(of descriptor: Int32) throws(DBusError) -> Int32 {
    // The duplicate's number is above the standard descriptors, which a program may have closed.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw DBusError(.failed, "Cannot duplicate the file descriptor \(descriptor) (\(errno))") }
    return copy
  }

  public var description: String { "descriptor \(rawValue)" }

  public static func == (left: OwnedDescriptor, right: OwnedDescriptor) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
