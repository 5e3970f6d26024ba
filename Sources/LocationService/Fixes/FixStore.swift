import GeopublicistLocationModel
import MainLoop
import Publicist
import Publishing

/// The fixes of the upstream, as one shared branch for each level.
///
/// The branches do not replay: who subscribes hears what comes after. What is there already is handed out by
/// ``newest(for:)``, to somebody who has been checked for it at that moment.
final class FixStore {
  private var arbiter = FixArbiter()
  private var reducers: [AccuracyLevel: GridReducer] = [:]
  private var latest: [AccuracyLevel: Fix] = [:]
  private let accepted = PassthroughSubject<Location, Never>()
  private var branches: [AccuracyLevel: AnyPublisher<Fix, Never>] = [:]
  private let together: (() -> Void) -> Void
  private var cancellables: Set<AnyCancellable> = []
  private var release: LoopSource?
  /// What was measured before this moment of the wall clock is not known to be true any more.
  private var measuredAfter = Timestamp()

  /// What follows from one fix happens inside of `together`.
  init(_ locations: AnyPublisher<[Location], Never>, together: @escaping (() -> Void) -> Void = { $0() }) {
    self.together = together
    locations.compactMap(\.last).sink { [weak self] in self?.take($0) }.store(in: &cancellables)
  }

  /// The fixes to come, reduced to a level; the same branch for all who have it.
  func fixes(for level: AccuracyLevel) -> AnyPublisher<Fix, Never> {
    if let branch = branches[level] { return branch }
    let branch = accepted.compactMap { [weak self] _ in self?.newest(for: level) }.share().eraseToAnyPublisher()
    branches[level] = branch
    return branch
  }

  /// The newest fix there is, reduced to a level; nil before the first, and after ``forget()``.
  func newest(for level: AccuracyLevel) -> Fix? {
    guard let location = arbiter.published else { return nil }
    if let fix = latest[level], fix.location.sequence == location.sequence { return fix }
    let fix = Fix(reducers[level, default: GridReducer(level: level)].reduce(location), level: level)
    latest[level] = fix
    return fix
  }

  /// Drops every fix: access is lost, or one may be somewhere else by now. After a sleep also what was measured
  /// before it and arrives only now.
  func forget(afterSleep: Bool = false) {
    if afterSleep { measuredAfter = Timestamp(microsecondsSinceEpoch: MainLoop.main.clock.realtime()) }
    arbiter.forget(at: MainLoop.main.clock.boottime())
    latest = [:]
    release = nil
  }

  private func take(_ location: Location) {
    // Sources give whole seconds.
    guard location.timestamp.seconds >= measuredAfter.seconds else { return }
    let now = MainLoop.main.clock.boottime()
    if arbiter.accept(location, at: now) { together { accepted.send(location) } }
    guard let until = arbiter.heldUntil else {
      release = nil
      return
    }
    release = MainLoop.main.after(microseconds: Int64(clamping: until > now ? until - now : 0)) { [weak self] in
      guard let self, let location = arbiter.release(at: MainLoop.main.clock.boottime()) else { return }
      together { self.accepted.send(location) }
    }
  }
}
