// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop
import Publishing

/// The path of a location from the publicist to one client:
///
///     publicist.locationPublisher()      every location that GeoClue announces, of which the newest of a batch counts
///       → arbiter                        unless a better one is still valid
///       → reduced to a level             once for all clients of that level, without repetitions
///       → slot                           this client's distance, time and debounce, and what waits to be sent
///
/// This class is everything before the slot, shared by all clients.
///
/// Nothing is replayed: a new subscriber receives only later locations. ``newest(for:)`` returns the current location
/// for a client that has just been checked.
final class SharedLocations {
  private var arbiter = FixArbiter()
  private var reducers: [AccuracyLevel: GridReducer] = [:]
  private var levels: [AccuracyLevel: PassthroughSubject<Location, Never>] = [:]
  /// The sequence number of the last location published at each reduced level. Repeating that location with each finer
  /// one would reveal when finer ones arrive.
  private var published: [AccuracyLevel: UInt64] = [:]
  /// The time from which reduced locations may be published: the last wake-up.
  private var validFrom = BootInstant.origin
  /// When the present intervals of levels end, if their locations are from before the last wake-up, so that none may be
  /// published.
  private(set) var hiddenUntil: [AccuracyLevel: MonotonicInstant] = [:]
  /// Every measurement, including those that the arbiter rejects.
  private let measurements = PassthroughSubject<Location, Never>()
  private var measured: Location?
  private var cancellables: Set<AnyCancellable> = []
  private var release: LoopSource?
  /// When the last location of a level's interval counts.
  private var settling: [AccuracyLevel: LoopSource] = [:]
  private var sleep = SleepFilter()
  /// How long the machine had slept in total when this object was created or last learned of a sleep.
  private var knownSleep = MainLoop.main.clock.timeAsleep

  init(_ locations: AnyPublisher<[Location], Never>) {
    locations.sink { [weak self] in if let newest = $0.last { self?.take(newest) } }.store(in: &cancellables)
  }

  /// Returns future locations, reduced to a level. All clients of a level receive the same, because the level's reducer
  /// decides once for each of its intervals.
  func locations(for level: AccuracyLevel) -> some Publisher<Location, Never> {
    let subject = levels[level] ?? PassthroughSubject()
    levels[level] = subject
    return subject
  }

  /// Sends the locations of a level to one client, until the returned subscription is cancelled.
  ///
  /// Begins with `first`. A slot without thresholds receives even every measurement at ``AccuracyLevel/exact``, because
  /// regions judge measurements themselves: if the arbiter kept a bad one as the best, it would hide those that
  /// contradict it.
  func deliver(at level: AccuracyLevel, from first: Location?, to slot: DeliverySlot, isPaced: Bool) -> AnyCancellable {
    if !isPaced, level == .exact {
      measurements.subscribe(slot)
    } else {
      locations(for: level).subscribe(slot)
    }
    if let first { slot.offer(first) }
    // The first location was determined before the level had a client for which it might have to settle.
    _ = newest(for: level)
    return AnyCancellable(slot)
  }

  /// Returns the newest location that a slot could have received, unless it was dropped since.
  func newest(at level: AccuracyLevel, isPaced: Bool) -> Location? {
    !isPaced && level == .exact ? measured : newest(for: level)
  }

  /// Returns the newest location reduced to a level, or nil before the first one, after ``forget(_:)``, and while the
  /// location of the level's present interval is from before a sleep.
  func newest(for level: AccuracyLevel) -> Location? {
    guard let newest = arbiter.published else { return nil }
    let now = MainLoop.main.clock.boottime()
    var reduced = reducers[level, default: GridReducer(level: level)].reduce(newest)
    if isDue(reducers[level]?.settles(newest, validFrom: validFrom), at: now, for: level) {
      reduced = reducers[level]?.settle(newest, at: now, validFrom: validFrom) ?? reduced
    }
    if let heldBack = arbiter.heldBack, isDue(reducers[level]?.counts(heldBack), at: now, for: level) {
      reduced = reducers[level]?.reduce(heldBack) ?? reduced
    }
    return reduced.receivedAt >= validFrom || level == .exact ? reduced : nil
  }

  /// Whether a location belongs to its level's current interval, so that waiting for another one would reveal only when
  /// a finer location arrives. Never at ``AccuracyLevel/exact``.
  func isCurrent(_ location: Location, at level: AccuracyLevel) -> Bool {
    reducers[level]?.isCurrent(location, at: MainLoop.main.clock.boottime()) ?? false
  }

  /// When the newest location reached the service. The same for every level.
  var newestArrival: BootInstant? { arbiter.published?.receivedAt }

  /// When the newest location arrived, including a coarser one that the arbiter holds back in favour of the published one.
  var newestMeasurement: BootInstant? { arbiter.heldBack?.receivedAt ?? newestArrival }

  /// Why no earlier location may be published.
  enum Gap { case slept, clockSet, accessLost }

  /// Drops every location. After a sleep, locations that were measured before it and arrive only now are dropped, too.
  func forget(_ gap: Gap) {
    let clock = MainLoop.main.clock
    let now = clock.boottime()
    switch gap {
    case .slept:
      sleep.woke(at: now, Timestamp(microsecondsSinceEpoch: clock.realtime()))
      (validFrom, knownSleep) = (now, clock.timeAsleep)
      noteHidden()
    case .clockSet: sleep.clockWasSet()
    case .accessLost: break
    }
    arbiter.forget(at: now)
    // A client that comes or regains access meanwhile receives the location of the interval as soon as a finer one
    // arrives.
    (measured, release, published, settling) = (nil, nil, [:], [:])
  }

  private func noteHidden() {
    let hidden = reducers.compactMapValues(\.newest).filter { $0.value.receivedAt < validFrom }
    hiddenUntil = hidden.mapValues { MainLoop.main.clock.monotonic(at: $0.endOfInterval) }
  }

  /// Drops locations that have not been published, because the source was released. Clients drop waiting locations,
  /// too, so a reduced location that is still current is published again with the next finer one.
  func dropHeld() {
    arbiter.dropHeld()
    (release, published, settling) = (nil, [:], [:])
  }

  private func take(_ location: Location) {
    let now = MainLoop.main.clock.boottime()
    guard sleep.passes(location, at: now) else { return }
    measured = location
    measurements.send(location)
    publish(except: arbiter.accept(location, at: now) ? nil : .exact)
    guard let until = arbiter.heldUntil else {
      release = nil
      return
    }
    release = MainLoop.main.after(until - now) { [weak self] in
      guard let self, arbiter.release(at: MainLoop.main.clock.boottime()) != nil else { return }
      publish()
    }
  }

  /// Whether the time has come when a location changes that of a level although no other one arrives. If not, waits for it.
  private func isDue(_ time: BootInstant?, at now: BootInstant, for level: AccuracyLevel) -> Bool {
    guard let time, time > now else { return time != nil }
    guard levels[level] != nil, settling[level] == nil else { return false }
    settling[level] = MainLoop.main.after(time - now) { [weak self] in
      self?.settling[level] = nil
      self?.publish(except: .exact)
    }
    return false
  }

  private func publish(except excluded: AccuracyLevel? = nil) {
    for (level, subject) in levels where level != excluded {
      guard let location = newest(for: level), level == .exact || published[level] != location.sequence else {
        continue
      }
      published[level] = location.sequence
      subject.send(location)
    }
  }
}

// MARK: - Cells that outlive the service, see ``GridReducer``
extension SharedLocations {
  /// The last wake-up and how long the machine had slept in total as far as this object knows, then a line for each cell.
  /// Empty without cells.
  var memory: [String] {
    let cells = reducers.values.compactMap(\.memory)
    // Not the present value: the service may end before it learns of a sleep.
    return cells.isEmpty ? [] : ["\(validFrom.microseconds) \(knownSleep.microseconds)"] + cells
  }

  func restore(_ memory: [String]) {
    let clock = MainLoop.main.clock
    let gap = (memory.first ?? "").split(separator: " ").compactMap { Int64($0) }
    // The machine may have slept while no service ran.
    let hasSlept = gap.count != 2 || clock.timeAsleep - .microseconds(gap[1]) > SleepMeter.tolerance
    validFrom = hasSlept ? clock.boottime() : BootInstant(microseconds: gap[0])
    for line in memory.dropFirst() {
      guard let reducer = GridReducer(memory: line, at: MainLoop.main.clock.boottime()) else { continue }
      reducers[reducer.level] = reducer
    }
    noteHidden()
  }

  /// When the youngest cell may change, or nil without cells.
  var cellsChangeAt: BootInstant? { reducers.values.compactMap(\.newest?.endOfInterval).max() }
}
