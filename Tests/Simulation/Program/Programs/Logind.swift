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

  init(_ world: World) { super.init(world, Self.service, user: 0) }

  override func started() {
    change?()
    change = nil
  }

  /// Announces that a user's session changed.
  func announce(_ user: UInt32) {
    guard isRunning else { return }
    // The service may ask logind for several things before it doubts polkit's answers.
    world.doubted(for: 3_000_000)
    propertiesChanged(
      "\(Self.path)/session/_3\(user % 10)", "org.freedesktop.login1.Session",
      [("Active", .boolean(world.truth.session(of: user) == .active))])
  }

  func announceSession(_ member: String, of user: UInt32) {
    guard isRunning else { return }
    signal(
      Self.path, Self.manager, member,
      [.string("c\(user % 10)"), .objectPath(ObjectPath(unchecked: "\(Self.path)/session/_9\(user % 10)"))])
  }

  func prepareForSleep(_ isBefore: Bool) {
    if isRunning { signal(Self.path, Self.manager, "PrepareForSleep", [.boolean(isBefore)]) }
  }

  override func serve(_ call: Parcel) {
    switch call.member {
    case "GetUser" where exitsWhenAsked:
      exitsWhenAsked = false
      exit()
    case "GetUser":
      guard let user = call.values.first?.uint32, world.truth.session(of: user) != .none else {
        return refuse(call, "org.freedesktop.login1.NoSuchUser", "This user is not logged in or lingering")
      }
      answer(call, [.objectPath(ObjectPath(unchecked: "\(Self.path)/user/_\(user)"))])
    case "Get" where call.path.hasPrefix("\(Self.path)/session/"):
      let user = 1_000 + UInt32(call.path.utf8.last.map { $0 - 48 } ?? 0)
      guard world.truth.session(of: user) != .none else { return refuse(call, "UnknownObject", "It has ended") }
      let path = ObjectPath(unchecked: "\(Self.path)/user/_\(user)")
      answerLater(call, [.variant(.structure([.uint32(user), .objectPath(path)]))], about: 0)
    case "Get":
      guard let user = call.path.split(separator: "_").last.flatMap({ UInt32($0) }),
        call.values.last?.string == "State"
      else { return refuse(call, "UnknownObject", "There is no such object") }
      let state = world.truth.session(of: user)
      guard state != .none else { return refuse(call, "UnknownObject", "There is no such object") }
      answerLater(call, [.variant(.string(state == .active ? "active" : "online"))], about: user)
    default: super.serve(call)
    }
  }
}
