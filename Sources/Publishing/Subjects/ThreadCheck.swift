// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif
#endif

/// Traps in a debug build when two threads use a subject at the same time. Has no effect in a release build.
///
/// Subjects take no lock, so concurrent use would corrupt them. Use from different threads one after the other is fine,
/// because an actor may change threads.
@usableFromInline
struct ThreadCheck: ~Copyable {
  #if DEBUG
    /// The thread that is using the subject, or zero.
    private let thread = Atomic<UInt>(0)
  #endif

  @usableFromInline init() {}

  /// Marks the subject as in use. Returns the argument for ``leave(_:)``: whether this call is the outermost.
  @inlinable
  func enter() -> Bool {
    #if DEBUG
      claim()
    #else
      false
    #endif
  }

  @inlinable
  func leave(_ isOutermost: Bool) {
    #if DEBUG
      if isOutermost { release() }
    #endif
  }

  #if DEBUG
    @usableFromInline
    func claim() -> Bool {
      let current = UInt(pthread_self())
      let (isFree, user) = thread.compareExchange(expected: 0, desired: current, ordering: .acquiringAndReleasing)
      precondition(isFree || user == current, "a subject is used by two threads at the same time")
      return isFree
    }

    @usableFromInline
    func release() { thread.store(0, ordering: .releasing) }
  #endif
}
