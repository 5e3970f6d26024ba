// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop
import Publicist
import Publishing

/// The path of a location from the publicist to one client:
///
///     publicist.locationPublisher()      every location that GeoClue announces
///       .compactMap(\.last)              the newest of the batch
///       → arbiter                        unless a better one still holds
///       → reduced to a level             the same for all clients of that level
///       .prepend(first)                  what a new client begins with
///       .paced(by: pacer)                distance, time and debounce of this client
///       .keepingNewest()                 while the client or the bus is not ready
///       .subscribe(emitter)              asks for one location when the last one is out
///
/// This class is the first half, shared by all clients. ``deliver(at:from:through:to:)`` adds the second half for each
/// client.
///
/// Nothing is replayed: a new subscriber receives only later locations. ``newest(for:)`` returns the current location for
/// a client that has just been checked.
final class SharedLocations {
  private var arbiter = FixArbiter()
  private var reducers: [AccuracyLevel: GridReducer] = [:]
  private let accepted = PassthroughSubject<Location, Never>()
  /// Every measurement, including those that the arbiter rejects.
  private let measurements = PassthroughSubject<Location, Never>()
  private var cancellables: Set<AnyCancellable> = []
  private var release: LoopSource?
  private var sleep = SleepFilter()

  init(_ locations: AnyPublisher<[Location], Never>) {
    locations.compactMap(\.last).sink { [weak self] in self?.take($0) }.store(in: &cancellables)
  }

  /// Returns future locations, reduced to a level. All clients of a level receive the same, because the level's reducer
  /// decides once for each of its intervals.
  func locations(for level: AccuracyLevel) -> some Publisher<Location, Never> {
    accepted.compactMap { [weak self] _ in self?.newest(for: level) }
  }

  /// Sends the locations of a level to one client, until the returned subscription is cancelled.
  ///
  /// Without a pacer, every location is delivered. At ``AccuracyLevel/exact``, even every measurement is delivered,
  /// because regions judge measurements themselves: if the arbiter kept a bad one as the best, it would hide those that
  /// contradict it.
  func deliver(
    at level: AccuracyLevel, from first: Location?, through pacer: Pacer?, to emitter: LocationEmitter
  ) -> AnyCancellable {
    let first = first.map { [$0] } ?? []
    if let pacer {
      locations(for: level).prepend(first).paced(by: pacer).keepingNewest().subscribe(emitter)
    } else if level == .exact {
      measurements.prepend(first).keepingNewest().subscribe(emitter)
    } else {
      locations(for: level).prepend(first).keepingNewest().subscribe(emitter)
    }
    return AnyCancellable(emitter)
  }

  /// Returns the newest location reduced to a level, or nil before the first one and after ``forget(afterSleep:)``.
  func newest(for level: AccuracyLevel) -> Location? {
    arbiter.published.map { reducers[level, default: GridReducer(level: level)].reduce($0) }
  }

  /// When the newest location reached the service, in microseconds of the boot clock. The same for every level.
  var newestArrival: UInt64? { arbiter.published?.receivedAt }

  /// Drops every location, because access was lost or the device may have moved. After a sleep, locations that were
  /// measured before it and arrive only now are dropped, too.
  func forget(afterSleep: Bool = false) {
    let clock = MainLoop.main.clock
    if afterSleep { sleep.woke(at: clock.boottime(), Timestamp(microsecondsSinceEpoch: clock.realtime())) }
    arbiter.forget(at: clock.boottime())
    release = nil
  }

  private func take(_ location: Location) {
    let now = MainLoop.main.clock.boottime()
    guard sleep.passes(location, at: now) else { return }
    measurements.send(location)
    if arbiter.accept(location, at: now) { accepted.send(location) }
    guard let until = arbiter.heldUntil else {
      release = nil
      return
    }
    release = MainLoop.main.after(microseconds: Int64(clamping: until.saturatingSubtract(now))) { [weak self] in
      guard let self, let location = arbiter.release(at: MainLoop.main.clock.boottime()) else { return }
      accepted.send(location)
    }
  }
}

// MARK: - Cells that outlive the service, see ``GridReducer``
extension SharedLocations {
  var memory: [String] { reducers.values.compactMap(\.memory) }

  func restore(_ memory: [String]) {
    for line in memory {
      guard let reducer = GridReducer(memory: line, at: MainLoop.main.clock.boottime()) else { continue }
      reducers[reducer.level] = reducer
    }
  }

  /// When the youngest cell may change, in microseconds of the boot clock, or nil without cells.
  var cellsChangeAt: UInt64? { reducers.values.compactMap(\.changesAt).max() }
}
