// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// polkitd.
final class Polkit: SystemService {
  static let service = "org.freedesktop.PolicyKit1"
  private static let path = "/org/freedesktop/PolicyKit1/Authority"
  private static let authority = "org.freedesktop.PolicyKit1.Authority"
  /// A change of the rules that programs see only when polkitd returns.
  var change: (() -> Void)?
  /// The users who are denied everything by conditions that polkitd does not announce, and since when.
  var denied: [UInt32: Int64] = [:]

  /// What it permitted each user when it evaluated the answer that it sent last, and when it sent that answer.
  private var evaluated: [UInt32: (level: AccuracyLevel, at: Int64)] = [:]

  /// What the answer permits that has just been sent, even if the rules have changed since it was evaluated.
  func permitted(to user: UInt32) -> AccuracyLevel {
    evaluated[user].flatMap { $0.at > world.schedule.now - Entitlement.tolerance ? $0.level : nil } ?? .none
  }

  init(_ world: World) { super.init(world, Self.service, user: 986) }

  /// Announces that rules may have changed.
  func announce() {
    if isRunning { signal(Self.path, Self.authority, "Changed") }
  }

  override func started() {
    change?()
    change = nil
  }

  override func serve(_ call: Parcel) {
    switch call.member {
    case "CheckAuthorization":
      guard call.values.count == 5, let subject = call.values[0].structure, subject.count == 2,
        let name = subject[1].properties?["name"]?.string, let action = call.values[1].string,
        let user = world.bus.peers[name]?.user
      else { return refuse(call, "org.freedesktop.PolicyKit1.Error.Failed", "There is no such subject") }
      let answer = denied[user] != nil ? .no : world.truth.policy(of: user, action)
      let level = world.truth.permitted(to: user)
      answerLater(
        call,
        [
          .structure([
            .boolean(answer == .yes), .boolean(answer == .challenge), .dictionary(key: .string, value: .string, []),
          ])
        ]
      ) { [weak self] in
        guard let self else { return }
        evaluated[user] = (level, world.schedule.now)
      }
    case "CancelCheckAuthorization": answer(call, [])
    default: super.serve(call)
    }
  }
}
