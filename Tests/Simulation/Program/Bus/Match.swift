// SPDX-License-Identifier: Apache-2.0
import DBus

/// A match rule of a connection.
nonisolated struct Match {
  let text: String
  private let sender: String?
  private let path: String?
  private let interface: String?
  private let member: String?
  private var arguments: [(index: Int, value: String)] = []

  init(_ text: String) {
    self.text = text
    // `key='value',key='value'`; an apostrophe in a value is written as `'\''`.
    var wanted: [String: String] = [:]
    var rest = Array(text.unicodeScalars)[...]
    while !rest.isEmpty {
      let key = rest.prefix { $0 != "=" }
      rest = rest.dropFirst(key.count + 1)
      var (value, isQuoted) = (String.UnicodeScalarView(), false)
      while let next = rest.popFirst() {
        if next == "'" {
          isQuoted.toggle()
        } else if next == "\\", !isQuoted, rest.first == "'" {
          value.append(rest.removeFirst())
        } else if next == ",", !isQuoted {
          break
        } else {
          value.append(next)
        }
      }
      wanted[String(String.UnicodeScalarView(key))] = String(value)
    }
    (sender, path, interface, member) = (wanted["sender"], wanted["path"], wanted["interface"], wanted["member"])
    for index in 0...2 { if let value = wanted["arg\(index)"] { arguments.append((index, value)) } }
  }

  /// - Parameter owners: For each well-known name, the unique name of its owner.
  @MainActor func matches(_ parcel: Parcel, _ owners: [String: String]) -> Bool {
    guard member.map({ $0 == parcel.member }) ?? true, interface.map({ $0 == parcel.interface }) ?? true,
      path.map({ $0 == parcel.path }) ?? true
    else { return false }
    if let sender, sender != parcel.sender, owners[sender] != parcel.sender { return false }
    for (index, value) in arguments {
      guard parcel.values.indices.contains(index), parcel.values[index].string == value else { return false }
    }
    return true
  }
}
