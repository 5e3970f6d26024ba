// SPDX-License-Identifier: Apache-2.0
/// A subscription or subscriber that appears only with its name in `print()`, `dump` and the debugger.
@usableFromInline
protocol Described: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {}

extension Described {
  @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
  @usableFromInline var playgroundDescription: Any { description }
}
