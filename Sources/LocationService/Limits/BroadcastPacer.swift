// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// Paces the signals that are broadcast to all programs.
///
/// Any program can subscribe to them and never read them. The bus then queues them on the service's account, and there
/// is no client to ping. After a burst, changes are therefore delayed and the newest values are announced together.
final class BroadcastPacer {
  /// The number of immediate changes, then of changes per second.
  static let burst: UInt32 = 20
  static let perSecond: UInt32 = 2

  private let tell: (MemberName) -> Void
  private var bucket = TokenBucket(burst: BroadcastPacer.burst, at: MainLoop.main.clock.monotonic())
  private var late: [MemberName] = []
  private var timer: LoopSource?

  /// - Parameter tell: Announces the new value of a property.
  init(_ tell: @escaping (MemberName) -> Void) { self.tell = tell }

  /// Announces the new value of a property now or a little later.
  func changed(_ property: MemberName) {
    guard timer == nil else {
      if !late.contains(property) { late.append(property) }
      return
    }
    let now = MainLoop.main.clock.monotonic()
    if bucket.take(burst: Self.burst, perSecond: Self.perSecond, at: now) { return tell(property) }
    late = [property]
    timer = MainLoop.main.after(milliseconds: Int64(1_000 / Self.perSecond)) { [weak self] in self?.tellLate() }
  }

  private func tellLate() {
    timer = nil
    let properties = late
    late = []
    _ = bucket.take(burst: Self.burst, perSecond: Self.perSecond, at: MainLoop.main.clock.monotonic())
    for property in properties { tell(property) }
  }
}
