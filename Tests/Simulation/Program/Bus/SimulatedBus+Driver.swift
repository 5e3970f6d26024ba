// SPDX-License-Identifier: Apache-2.0
import DBus

/// The methods of the bus itself.
extension SimulatedBus {
  func called(_ call: Parcel, by peer: Peer) {
    let name = call.values.first?.string ?? ""
    switch call.member {
    case "RequestName":
      let replaces = (call.values.last?.uint32 ?? 0) & 2 != 0
      answer(call, [.uint32(own(name, peer, replaces: replaces))])
    case "ReleaseName":
      onRelease?()
      onRelease = nil
      let isOwner = owners[name] == peer.name
      answer(call, [.uint32(isOwner ? 1 : 2)])
      release(name, peer)
    case "AddMatch":
      peer.matches.append(Match(name))
      answer(call, [])
    case "RemoveMatch":
      guard let index = peer.matches.firstIndex(where: { $0.text == name }) else {
        return refuse(call, "MatchRuleNotFound", "There is no such rule")
      }
      peer.matches.remove(at: index)
      answer(call, [])
    case "GetNameOwner":
      if name == Self.name { return answer(call, [.string(name)]) }
      guard let owner = peers[name] != nil ? name : owners[name] else {
        return refuse(call, "NameHasNoOwner", "Nobody owns \(name)")
      }
      answer(call, [.string(owner)])
    case "NameHasOwner": answer(call, [.boolean(peers[name] != nil || owners[name] != nil)])
    case "ListNames":
      answer(call, [.strings([Self.name] + owners.keys.sorted() + named.map(\.name))])
      guard peer.isService else { return }
      onList?()
      onList = nil
    case "GetConnectionCredentials":
      if peer.isService, answersLate.remove(name) != nil { return }
      guard let subject = peers[name] ?? owners[name].flatMap({ peers[$0] }) else {
        return refuse(call, "NameHasNoOwner", "Nobody owns \(name)")
      }
      let handle = subject.hasLostProcess ? exitedProcess : aliveProcess
      let process: [(String, Value)] = [
        ("ProcessID", .uint32(subject.process)), ("ProcessFD", .descriptor(handle)),
      ]
      answer(call, [.options([("UnixUserID", .uint32(subject.user))] + process)])
    case "GetConnectionUnixUser":
      guard let subject = peers[name] else { return refuse(call, "NameHasNoOwner", "Nobody owns \(name)") }
      answer(call, [.uint32(subject.user)])
    case "StartServiceByName":
      if owners[name] != nil { return answer(call, [.uint32(2)]) }
      guard activatable.contains(name) else { return refuse(call, "ServiceUnknown", "There is no \(name)") }
      activate(name, call, peer)
    case "GetId": answer(call, [.string("00000000000000000000000000000000")])
    case "Ping": answer(call, [])
    default: refuse(call, "UnknownMethod", "The bus has no \(call.member)")
    }
  }
}
