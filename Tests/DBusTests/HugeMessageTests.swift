// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import DBus

/// Regression: another program's message of 7 MB used 25 times its size in memory before its sender was checked.
@Suite struct HugeMessageTests {
  private static let size = 7_000_000

  /// The peak resident memory of this process since the last call, in bytes, if the kernel reports it.
  private func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return try #require(line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) * 1_024
  }

  /// The peak that is measured without any work since the last call.
  private func settledPeakMemory() throws -> Int {
    _ = try peakMemory()
    return try peakMemory()
  }

  private func sender(to peers: Peers, _ size: Int = size) throws -> ChildProcess {
    try ChildProcess([
      Rig.python, Rig.sourceFile("Tests/DBusTests/huge-sender.py"), peers.bus.address,
      peers.service.uniqueName.rawValue, "\(size)",
    ])
  }

  private func name(of sender: ChildProcess) throws -> BusName {
    try turning("it has sent its signals", within: .seconds(30)) { sender.standardOutput.hasSuffix("\n") }
    return try #require(BusName(validating: String(sender.standardOutput.dropLast())))
  }

  @Test(arguments: PrivateBus.Broker.installed)
  func `a huge signal from an unexpected program is dropped, and its body is not read`(broker: PrivateBus.Broker) throws
  {
    let peers = try Peers(on: broker)
    var heard = 0
    var asked: [BusName] = []
    let isExpected: (BusName) -> Bool = { sender in
      asked.append(sender)
      return false
    }
    for match in [
      peers.service.onSignal(MatchRule(sender: "org.example.Absent")) { _ in heard += 1 },
      peers.service.onSignal(MatchRule(sender: peers.client.uniqueName)) { _ in heard += 1 },
      peers.service.onSignal(MatchRule(interface: "a.b", member: "S"), from: isExpected) { _ in heard += 1 },
    ] { match.keep() }
    try peers.settle()
    let before = try settledPeakMemory()
    let sender = try sender(to: peers)
    let name = try name(of: sender)
    try turning("both have arrived", within: .seconds(30)) { asked.count == 2 }
    #expect(asked == [name, name] && heard == 0)
    // libdbus itself briefly holds two copies of each message.
    #expect(try peakMemory() - before < 5 * Self.size)
    sender.kill()
  }

  @Test(arguments: PrivateBus.Broker.installed)
  func `a signal that is too large is dropped even if its sender is expected`(broker: PrivateBus.Broker) throws {
    let peers = try Peers(on: broker)
    var heard: [Int] = []
    let match = peers.service.onSignal(MatchRule(interface: "a.b")) { heard.append($0.arguments[0].bytes?.count ?? 0) }
    try peers.settle()
    let before = try settledPeakMemory()
    let sender = try sender(to: peers)
    _ = try name(of: sender)
    peers.client.send(Message(signal: "S", of: "a.b", at: "/", [.bytes(Array(repeating: 1, count: 60_000))]))
    try turning("a small one after them arrives", within: .seconds(30)) { !heard.isEmpty }
    #expect(heard == [60_000])
    #expect(try peakMemory() - before < 5 * Self.size)
    sender.kill()
    withExtendedLifetime(match) {}
  }

  /// dbus-broker forwards messages for which libdbus needs more memory than the service may use.
  @Test(.enabled(if: PrivateBus.Broker.installed.contains(.dbusBroker)))
  func `a message beyond the size limit ends the connection before it uses memory`() throws {
    let (peers, _) = try Peers.withSample(on: .dbusBroker)
    peers.service.largestMessage = 32 << 20
    peers.service.isToRejoin = true
    var losses = 0
    peers.service.onDisconnected = { losses += 1 }
    for number in 1...2 {
      try peers.settle()
      let before = try settledPeakMemory()
      let sender = try sender(to: peers, 50_000_000)
      try turning("the connection is lost", within: .seconds(30)) { losses == number }
      #expect(try peakMemory() - before < 25_000_000)
      sender.kill()
      #expect(try peers.service.rejoin())
      #expect(try peers.call("Nothing") == [])
      // Calls of Peer also pass the intake after the connection has been rejoined.
      peers.service.objects.intake = { $0.fail(DBusError(.limitsExceeded, "Not now")) }
      #expect(try peers.refusal("Ping", of: .peer) == .limitsExceeded)
      peers.service.objects.intake = nil
    }
  }

  @Test(arguments: PrivateBus.Broker.installed)
  func `a huge reply to a small call is not read`(broker: PrivateBus.Broker) throws {
    let peers = try Peers(on: broker)
    let size = 31_000_000
    let sender = try sender(to: peers, size)
    let name = try name(of: sender)
    try peers.settle()
    let before = try settledPeakMemory()
    for (member, expected) in [("Get", .limitsExceeded), ("Refuse", "a.b.Error")] as [(MemberName, ErrorName)] {
      let question = Question(
        Message(calling: member, of: "a.b", at: "/a", on: name), timeout: .milliseconds(30_000), expecting: "v",
        within: .smallAnswer, from: peers.service)
      let error = #expect(throws: CallFailure.self) { try question.answer() }
      #expect(error.map { $0.error.name == expected && $0.error.message.utf8.count <= 1_024 } == true)
    }
    #expect(try peakMemory() - before < 4 * size)
    sender.kill()
  }
}
