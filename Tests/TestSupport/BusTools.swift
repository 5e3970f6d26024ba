// SPDX-License-Identifier: Apache-2.0
import Foundation

public func busctl(_ arguments: [String], on bus: PrivateBus) throws -> CommandResult {
  try run(["/usr/bin/busctl", "--address=\(bus.address)", "--no-pager"] + arguments)
}

/// Calls `gdbus` on a private bus.
///
/// - Parameter command: `call`, `introspect`, …; the bus's address is inserted after it.
public func gdbus(_ command: String, _ arguments: [String], on bus: PrivateBus) throws -> CommandResult {
  try run(["/usr/bin/gdbus", command, "--address", bus.address] + arguments)
}

public func hasOwner(_ name: String, on bus: PrivateBus) throws -> Bool {
  let service = "org.freedesktop.DBus"
  let answer = try busctl(["call", service, "/org/freedesktop/DBus", service, "NameHasOwner", "s", name], on: bus)
  return answer.standardOutput == "b true\n"
}

/// Waits until a program owns a name.
///
/// - Throws: `DeadlineExceeded`, with the program's output, even if the program exits earlier.
public func waitForOwner(of name: String, on bus: PrivateBus, by process: ChildProcess) throws {
  try eventually("\(name) is owned", seen: process.output) {
    guard process.exited == nil else { throw DeadlineExceeded("\(name) is owned", within: .zero, seen: process.output) }
    return try hasOwner(name, on: bus)
  }
}

/// The names of the child nodes that an object's introspection lists; none if there is no object.
public func introspectedChildren(of path: String, at name: String, on bus: PrivateBus) throws -> [String] {
  let answer = try busctl(["--xml-interface", "introspect", name, path], on: bus)
  return answer.standardOutput.matches(of: #/<node name="([^"]*)"/#).map { String($0.1) }
}
