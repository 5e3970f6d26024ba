// SPDX-License-Identifier: Apache-2.0
@testable import DBus
@testable import GeopublicistGatekeeper
@testable import GeopublicistService

/// Fuzzes names, paths and signatures of the bus, match rules, and the paths written by systemd and the kernel.
func fuzzNames(_ source: ByteSource) {
  let text = String(decoding: source.remainder(), as: UTF8.self)
  check(BusName.self, text)
  check(ObjectPath.self, text)
  check(InterfaceName.self, text)
  check(MemberName.self, text)
  check(ErrorName.self, text)
  if let signature = Signature(validating: text) {
    claim(text.utf8.count <= 255, "a signature is short")
    claim(!signature.isBasic || signature.isSingle, "a basic type is a single type")
  }
  if let path = ObjectPath(validating: text) {
    let child = path.child(7)
    claim(ObjectPath(validating: child.rawValue) == child, "a child has a valid path")
    claim(child.rawValue.utf8.starts(with: path.childPrefix.utf8), "a child is below its parent")
    _ = UnitProcesses.unitName(of: path)
  }
  if !text.utf8.contains(0) {
    let rule = MatchRule(sender: BusName(validating: text), path: ObjectPath(validating: text), argument0: text)
    claim(arguments(of: rule.text)["arg0"] == Array(text.utf8), "a rule contains the intended text: \(rule.text)")
    claim(
      arguments(of: rule.text).keys.allSatisfy { ["type", "sender", "path", "arg0"].contains($0) },
      "a rule contains only the given keys")
  }
  if let group = ControlGroup(contents: text) { _ = (group.isSandbox, group.unit) }
  _ = SecurityLabel(bytes: Array(text.utf8)).isSandbox
}

private func check<Name: ValidatedName>(_ type: Name.Type, _ text: String) {
  guard let name = Name(validating: text) else { return }
  claim(name.rawValue == text && !text.utf8.contains(0) && !text.isEmpty, "a name equals the given text")
  claim(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a name is plain: \(text)")
}

/// Parses a rule into keys and values according to the D-Bus specification.
private func arguments(of rule: String) -> [String: [UInt8]] {
  var found: [String: [UInt8]] = [:]
  var (key, value, isKey, isQuoted): ([UInt8], [UInt8], Bool, Bool) = ([], [], true, false)
  var bytes = Array(rule.utf8)[...]
  while let byte = bytes.popFirst() {
    switch byte {
    case UInt8(ascii: "=") where isKey: isKey = false
    case _ where isKey: key.append(byte)
    case UInt8(ascii: "'"): isQuoted.toggle()
    case UInt8(ascii: ",") where !isQuoted:
      found[String(decoding: key, as: UTF8.self)] = value
      (key, value, isKey) = ([], [], true)
    case UInt8(ascii: "\\") where !isQuoted && bytes.first == UInt8(ascii: "'"):
      value.append(UInt8(ascii: "'"))
      bytes = bytes.dropFirst()
    default: value.append(byte)
    }
  }
  found[String(decoding: key, as: UTF8.self)] = value
  return found
}
