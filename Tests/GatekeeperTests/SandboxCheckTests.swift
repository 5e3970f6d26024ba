// SPDX-License-Identifier: Apache-2.0
import DBus
import Foundation
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

@Suite struct SandboxCheckTests {
  private let bus: PrivateBus
  private let connection: Connection
  private let session = "0::/user.slice/user-1000.slice/session-2.scope"

  init() throws {
    bus = try PrivateBus(.session)
    connection = try Connection(to: .address(bus.address))
  }

  private func outcome(
    _ process: pid_t, root: ProcessRoot? = nil, _ controlGroup: @escaping (UInt32) -> String?
  ) -> Facts.Confinement? {
    let check = SandboxCheck(on: connection, controlGroup: controlGroup, root: root.map { root in { _ in root } })
    var outcome: Facts.Confinement?
    let credentials = Credentials(userID: 1_000, processID: UInt32(process), securityLabel: nil)
    check.check(":1.1", credentials) { confinement, _ in outcome = confinement }
    return outcome
  }

  @Test func `a process that exits while it is looked at is unverifiable`() throws {
    let process = try ChildProcess(["sleep", "100"])
    defer { process.kill() }
    #expect(outcome(process.processIdentifier) { _ in session } == .host)
    let result = outcome(process.processIdentifier) { _ in
      process.signal(SIGKILL)
      _ = try? process.waitForExit()
      return session
    }
    #expect(result == .unverifiable)
  }

  @Test func `a sandbox stays one when its process exits`() throws {
    let process = try ChildProcess(["sleep", "100"])
    let result = outcome(process.processIdentifier) { _ in
      process.kill()
      return "0::/user.slice/app-flatpak-org.example.Test-1.scope"
    }
    #expect(result == .sandbox)
  }

  @Test(arguments: [
    (ProcessRoot.host, Facts.Confinement.host), (.sandbox, .sandbox), (.unreadable, .unverifiable),
  ])
  func `in a session the root directory counts, too`(root: ProcessRoot, expected: Facts.Confinement) {
    #expect(outcome(getpid(), root: root) { _ in session } == expected)
  }

  @Test func `a sandbox is found by the file that Flatpak leaves in its root directory`() throws {
    let folder = TemporaryDirectory()
    #expect(ProcessRoot(of: UInt32(getpid())) == .host)
    #expect(ProcessRoot(of: UInt32.max) == .unreadable)
    #expect(ProcessRoot(at: folder.path) == .host)
    try "".write(toFile: folder.file(".flatpak-info"), atomically: true, encoding: .utf8)
    #expect(ProcessRoot(at: folder.path) == .sandbox)
  }
}
