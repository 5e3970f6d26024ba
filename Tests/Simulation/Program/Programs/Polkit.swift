// SPDX-License-Identifier: Apache-2.0
import DBus

/// polkitd.
final class Polkit: SystemService {
  static let service = "org.freedesktop.PolicyKit1"
  private static let path = "/org/freedesktop/PolicyKit1/Authority"
  private static let authority = "org.freedesktop.PolicyKit1.Authority"
  /// A change of the rules that programs see only when polkitd returns.
  var change: (() -> Void)?
  /// The users who are denied everything by conditions that polkitd does not announce, and since when.
  var denied: [UInt32: Int64] = [:]

  /// The last answers about each program, by its unique name, and when the last of them was sent.
  private var sent: [String: (answers: [String: Truth.Answer], at: Int64)] = [:]

  /// The last answer that was sent, if one about the program has just been sent. The service may use it even if the rules
  /// have changed since it was evaluated.
  func isPermitted(_ action: String, to name: String) -> Bool {
    guard let last = sent[name], last.at > world.schedule.now - Entitlement.tolerance else { return false }
    return last.answers[action] == .yes
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
      answerLater(
        call,
        [
          .structure([
            .boolean(answer == .yes), .boolean(answer == .challenge), .dictionary(key: .string, value: .string, []),
          ])
        ]
      ) { [weak self] in
        guard let self else { return }
        sent[name, default: ([:], 0)].answers[action] = answer
        sent[name]?.at = world.schedule.now
      }
    case "CancelCheckAuthorization": answer(call, [])
    default: super.serve(call)
    }
  }
}
