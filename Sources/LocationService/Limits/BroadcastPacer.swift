// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// Paces the signals that go to everybody.
///
/// Any program can have the bus pass them on, and never read them: the bus keeps them for each such program, on the
/// service's account, and nobody can be asked for a sign of life. So a change that comes after many others waits, and then
/// the newest values are told together.
final class BroadcastPacer {
  /// Changes at once, then changes a second.
  static let burst: UInt32 = 20
  static let perSecond: UInt32 = 2

  private let tell: (MemberName) -> Void
  private var bucket = TokenBucket(burst: BroadcastPacer.burst, at: MainLoop.main.clock.monotonic())
  private var late: [MemberName] = []
  private var timer: LoopSource?

  /// `tell` notes that a property has a new value.
  init(_ tell: @escaping (MemberName) -> Void) { self.tell = tell }

  /// A property has a new value: tells so now, or a little later.
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
