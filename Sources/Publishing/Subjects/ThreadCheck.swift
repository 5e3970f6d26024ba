// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif
#endif

/// Stops a debug build when two threads use a subject at the same time; does nothing in a release build.
///
/// A subject takes no lock, so this would corrupt it. One thread after the other is fine: an actor changes threads.
@usableFromInline
struct ThreadCheck: ~Copyable {
  #if DEBUG
    /// The thread that is inside; zero if there is none.
    private let thread = Atomic<UInt>(0)
  #endif

  @usableFromInline init() {}

  /// Marks the subject as in use; returns whether it was not, for ``leave(_:)``.
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
