// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import DBus

/// Connections that are opened without waiting for the bus.
@Suite struct JoiningTests {
  /// Regression: opening a connection blocked for minutes while other programs delayed the bus.
  @Test func `a connection to a bus that does not answer is opened immediately, and its calls wait`() throws {
    let bus = try PrivateBus(.session, broker: .dbusDaemon)
    bus.suspend(true)
    let connection = try Connection(joining: .address(bus.address), as: "org.example.Joined")
    var isJoined = false
    connection.onJoined = { isJoined = true }
    #expect(!connection.isJoined && connection.uniqueName == .unassigned)
    let question = Question(Message(callingBus: "GetNameOwner", [.string("org.example.Joined")]), from: connection)
    bus.suspend(false)
    #expect(try question.answer() == [.string(connection.uniqueName.rawValue)])
    #expect(isJoined && connection.isJoined && connection.uniqueName.isUnique)
  }

  @Test func `a connection whose bus ends before it has answered is lost`() throws {
    let bus = try PrivateBus(.session)
    let connection = try Connection(joining: .address(bus.address))
    var isLost = false
    connection.onDisconnected = { isLost = true }
    bus.kill()
    let question = Question(Message(callingBus: "GetId"), from: connection)
    try turning("it is lost") { isLost }
    #expect(throws: CallFailure.self) { try question.answer() }
    #expect(!connection.isConnected)
  }

  /// Regression: any program could end such a connection with a long message, even before its first question was
  /// answered.
  @Test(arguments: PrivateBus.Broker.installed)
  func `the bus delivers only answers to the connections with which the service asks`(broker: PrivateBus.Broker) throws
  {
    let bus = try PrivateBus(.system, broker: broker)
    let connections = try (0..<2).map { _ in
      try Connection(joining: .address(bus.address), as: "org.geopublicist.Location1.Questions")
    }
    try turning("both are admitted") { connections.allSatisfy(\.isJoined) }
    let other = try Connection(to: .address(bus.address))
    for connection in connections {
      connection.largestMessage = 1 << 20
      let text = String(repeating: "x", count: 2 << 20)
      other.send(Message(signal: "S", of: "a.b", at: "/", to: connection.uniqueName, [.string(text)]))
    }
    try Question(Message(callingBus: "GetId"), from: other).answer()
    for connection in connections {
      var isAnswered = false
      connection.ping(other.uniqueName) { if case .answered = $0 { isAnswered = true } }.keep()
      try turning("it is answered") { isAnswered }
      #expect(connection.isConnected)
    }
  }
}
