// SPDX-License-Identifier: Apache-2.0
import DBus

/// systemd-logind.
final class Logind: SystemService {
  static let service = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"

  /// A change of sessions that programs see only when logind returns.
  var change: (() -> Void)?
  /// Whether it exits when it is next asked about a user.
  var exitsWhenAsked = false

  /// The last questions about a user, which begin with GetUser.
  private struct Round {
    /// When the last answer was sent. The service may ask for the display afterwards.
    var answeredAt = Int64.max / 2
    /// Whether something that may have changed the answer happened before it was sent.
    var isOvertaken = false
    /// Whether the round before it was overtaken.
    var follows = false
    var saysActive = false
  }

  private var rounds: [UInt32: Round] = [:]
  /// When it announced that the session of each user is no longer active, until it next answers about the user.
  private(set) var lossAnnouncedAt: [UInt32: Int64] = [:]
  /// When the state of each user was first sent to the current service.
  private(set) var stateSentAt: [UInt32: Int64] = [:]

  /// The times of the questions about each user in the last second.
  private var asked: [UInt32: [Int64]] = [:]

  init(_ world: World) { super.init(world, Self.service, user: 0) }

  /// Whether the answer has just been sent that the user is active. The service may use it even if the user's session has
  /// changed since it was determined, unless this has not happened in the round before.
  func saysActive(_ user: UInt32) -> Bool {
    guard let last = rounds[user], last.follows, last.saysActive else { return false }
    return last.answeredAt > world.schedule.now - Entitlement.tolerance
  }

  /// Something may have changed the sessions.
  func doubted() {
    for (user, round) in rounds where round.answeredAt > world.schedule.now - 600_000 {
      rounds[user]?.isOvertaken = true
    }
  }

  override func exited() { lossAnnouncedAt = [:] }

  override func started() {
    change?()
    change = nil
  }

  /// Announces that a user's session changed.
  ///
  /// - Parameter isLost: Whether the bus drops the announcement.
  func announce(_ user: UInt32, isLost: Bool = false) {
    guard isRunning else { return }
    world.bus.dropsBroadcasts = isLost
    defer { world.bus.dropsBroadcasts = false }
    if !isLost { noteAnnouncement(about: user) }
    propertiesChanged(
      "\(Self.path)/session/_3\(user % 10)", "org.freedesktop.login1.Session",
      [("Active", .boolean(world.truth.session(of: user) == .active))])
  }

  private func noteAnnouncement(about user: UInt32) {
    // The service may ask logind for several things before it doubts polkit's answers.
    world.doubted(for: 3_000_000)
    lossAnnouncedAt[user] = world.truth.session(of: user) == .active ? nil : world.schedule.now
  }

  func announceSession(_ member: String, of user: UInt32) {
    guard isRunning else { return }
    let path = "\(Self.path)/session/_9\(sessions)\(user % 10)"
    if member == "SessionRemoved" { ended.insert(path) } else { ended.remove(path) }
    signal(Self.path, Self.manager, member, [.string("c\(user % 10)"), .objectPath(ObjectPath(unchecked: path))])
  }

  /// The sessions whose end was announced.
  private var ended: Set<String> = []

  private var sessions = 0

  /// Another session of a user, who has one, begins.
  func beginSession(of user: UInt32) {
    sessions += 1
    world.truth.beginSession(of: user)
    announceSession("SessionNew", of: user)
  }

  func prepareForSleep(_ isBefore: Bool) {
    if isRunning { signal(Self.path, Self.manager, "PrepareForSleep", [.boolean(isBefore)]) }
  }

  override func called(_ call: Parcel) {
    if call.member == "GetUser", let user = call.values.first?.uint32 {
      if answersSoon { world.checkNeed(of: user) }
      asked[user] = (asked[user] ?? []).filter { $0 > world.schedule.now - 1_000_000 } + [world.schedule.now]
      if let count = asked[user]?.count, count > 40 {
        world.checks.broken("logind is asked rarely", "\(count) times in a second about \(user)")
      }
      rounds[user] = Round(follows: rounds[user]?.isOvertaken ?? false)
    }
    super.called(call)
  }

  override func serve(_ call: Parcel) {
    switch call.member {
    case "GetUser" where exitsWhenAsked:
      exitsWhenAsked = false
      exit()
    case "GetUser":
      guard let user = call.values.first?.uint32, world.truth.session(of: user) != .none else {
        if let user = call.values.first?.uint32 { lossAnnouncedAt[user] = nil }
        return refuse(call, "org.freedesktop.login1.NoSuchUser", "This user is not logged in or lingering")
      }
      answer(call, [.objectPath(ObjectPath(unchecked: "\(Self.path)/user/_\(user)"))])
    case "Get" where call.path.hasPrefix("\(Self.path)/session/"):
      let user = 1_000 + UInt32(call.path.utf8.last.map { $0 - 48 } ?? 0)
      guard world.truth.session(of: user) != .none else { return refuse(call, "UnknownObject", "It has ended") }
      if call.values.last?.string == "TimestampMonotonic" {
        rounds[user]?.answeredAt = world.schedule.now
        return answer(call, [.variant(.uint64(UInt64(clamping: world.truth.begin(of: user))))])
      }
      let path = ObjectPath(unchecked: "\(Self.path)/user/_\(user)")
      answerLater(call, [.variant(.structure([.uint32(user), .objectPath(path)]))], about: 0) { [weak self] in
        // The service doubts its present question about this user once it has learned whose session has changed.
        if self?.ended.contains(call.path) == false { self?.rounds[user]?.isOvertaken = true }
      }
    case "Get":
      guard let user = call.path.split(separator: "_").last.flatMap({ UInt32($0) }) else {
        return refuse(call, "UnknownObject", "There is no such object")
      }
      guard call.values.last?.string == "State" else {
        rounds[user]?.answeredAt = world.schedule.now
        guard world.truth.session(of: user) != .none else {
          return refuse(call, "UnknownObject", "There is no such object")
        }
        let session = ObjectPath(unchecked: "\(Self.path)/session/_3\(user % 10)")
        return answer(call, [.variant(.structure([.string("c\(user % 10)"), .objectPath(session)]))])
      }
      let state = world.truth.session(of: user)
      guard state != .none else { return refuse(call, "UnknownObject", "There is no such object") }
      answerLater(call, [.variant(.string(state == .active ? "active" : "online"))], about: user) { [weak self] in
        guard let self else { return }
        rounds[user]?.answeredAt = world.schedule.now
        if !world.mayKnowSession(of: user, at: world.schedule.now + 1) { stateSentAt[user] = world.schedule.now }
        rounds[user]?.saysActive = state == .active
        lossAnnouncedAt[user] = nil
        if state != .active { world.truth.toldSession(of: user) }
      }
    default: super.serve(call)
    }
  }
}
