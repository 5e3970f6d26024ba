// SPDX-License-Identifier: Apache-2.0

/// The changes of properties that a limit has refused to a program, until it repeats them or closes the object.
struct Refusals {
  private var pending: [UInt32: String] = [:]
  private var refused: [String: Int64] = [:]
  /// The objects that have ended.
  private var ended: Set<String> = []

  /// The oldest one.
  var first: (property: String, since: Int64)? {
    refused.min { ($0.value, $0.key) < ($1.value, $1.key) }.map { ($0.key, $0.value) }
  }

  mutating func didSend(_ call: Parcel) {
    if call.member == "Close" { end(call.path) }
    guard call.member == "Set", !ended.contains(call.path), let property = call.values.dropFirst().first?.string else {
      return
    }
    let name = "\(call.path) \(property)"
    pending[call.serial] = name
    refused[name] = nil
  }

  mutating func wasSent(_ parcel: Parcel, at now: Int64) {
    if parcel.member == "Closed" { end(parcel.path) }
    guard parcel.kind == .reply || parcel.kind == .error, let name = pending.removeValue(forKey: parcel.replySerial),
      parcel.errorName.hasSuffix("LimitsExceeded")
    else { return }
    refused[name] = now
  }

  private mutating func end(_ path: String) {
    ended.insert(path)
    pending = pending.filter { !$0.value.hasPrefix(path + " ") }
    refused = refused.filter { !$0.key.hasPrefix(path + " ") }
  }
}
