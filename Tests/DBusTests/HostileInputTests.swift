// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Glibc
import MainLoop
import Testing

@testable import DBus

@Suite struct HostileInputTests {
  @Test(arguments: PrivateBus.Broker.installed)
  func `the connection survives malformed messages that no library would send`(broker: PrivateBus.Broker) throws {
    let (peers, sample) = try Peers.withSample(on: broker)
    // Matches its signals, so that all of them are read.
    for match in [
      peers.service.onSignal(MatchRule()) { _ in }, peers.service.onSignal(MatchRule(interface: Sample.name)) { _ in },
    ] { match.keep() }
    NameWatch("org.example.Name", on: peers.service) { _ in Issue.record("it has no owner") }.keep()
    try peers.settle()
    let before = openDescriptors()
    let python = try ChildProcess([
      Rig.python, Rig.sourceFile("Tests/DBusTests/raw-peer.py"), peers.bus.address, peers.service.uniqueName.rawValue,
      Sample.path.rawValue, broker.rawValue,
    ])
    try turning("the program ends", within: .seconds(30)) { python.exited != nil }
    #expect(python.exited == .status(0) && python.standardOutput == "alive\n", "\(python.standardError)")
    #expect(peers.service.isConnected)
    sample.kept = []
    try peers.settle()
    python.kill()
    #expect(openDescriptors() <= before, "no file descriptor of theirs is kept")
  }

  /// Regression: only fields that D-Bus defines were counted. Three such calls that waited stopped all reading.
  @Test(arguments: PrivateBus.Broker.installed)
  func `the size of a call includes header fields that D-Bus does not define`(broker: PrivateBus.Broker) throws {
    let (peers, _) = try Peers.withSample(on: broker)
    let message = try #require(peers.message("Nothing").adding(unknownField: String(repeating: "x", count: 100_000)))
    var sizes: [Int?] = []
    peers.service.objects.intake = { [unowned peers] call in
      sizes.append(call.byteCount(upTo: 65_536))
      peers.service.objects.perform(call)
    }
    _ = try peers.answer(to: message)
    // dbus-daemon removes the field.
    #expect(sizes.count == 1 && (sizes[0] == nil) == (broker == .dbusBroker), "\(sizes)")
  }

  /// Regression: libdbus disconnected at a message with more than 16 file descriptors, which any peer may send.
  @Test(arguments: PrivateBus.Broker.installed)
  func `messages with many file descriptors do not end the connection`(broker: PrivateBus.Broker) throws {
    let (peers, sample) = try Peers.withSample(on: broker)
    let outsider = try peers.connect()
    let before = openDescriptors()
    // dbus-daemon forwards no more than 16 descriptors in a message, unless it is configured to.
    let many = broker == .dbusBroker ? 250 : 16
    for _ in 0..<20 {
      let signal = Message(signal: "S", of: "a.b", at: "/", to: peers.service.uniqueName)
      signal.append(descriptors: many)
      outsider.send(signal)
      let call = peers.message("Later")
      call.append(descriptors: many)
      outsider.send(call)
    }
    #expect(try peers.call("Nothing", from: outsider) == [])
    #expect(peers.service.isConnected && sample.kept.isEmpty)
    try turning("they are closed") { openDescriptors() <= before }
  }

  /// Regression: a call that was answered later kept its file descriptors.
  @Test func `unexpected file descriptors are refused`() throws {
    let (peers, _) = try Peers.withSample()
    let message = peers.message("Later")
    message.append(descriptors: 1)
    #expect(try peers.ask(message).refusal() == .invalidArgs, "refused because of its signature")
    let echo = peers.message("Echo")
    echo.append(descriptorInVariant: 0)
    #expect(try peers.ask(echo).refusal() == .notSupported)
  }

  /// Regression: a call that waited for the bus's answer about its caller kept its descriptors, so nothing more could
  /// be read, not even that answer. One message of any program could block the service.
  @Test func `a waiting call with file descriptors does not stop the connection`() throws {
    let (peers, _) = try Peers.withSample()
    var waiting: [MethodCall] = []
    peers.service.objects.intake = { waiting.append($0) }
    let message = peers.message("Later")
    message.append(descriptors: 16)
    peers.client.send(message)
    try turning("it waits") { waiting.count == 1 }
    peers.service.objects.intake = nil
    #expect(try peers.call("Nothing") == [])
    for call in waiting { call.drop() }
  }

  @Test func `a huge string and the small message after it are transferred`() throws {
    let (peers, _) = try Peers.withSample()
    let text = Value.string(String(repeating: "x", count: 3_000_000))
    #expect(try peers.call("Echo", .variant(text)) == [.variant(text)])
    #expect(try peers.call("Nothing") == [])
  }

  @Test func `a flood of calls does not starve the main loop`() throws {
    let (peers, _) = try Peers.withSample()
    let flood = try ChildProcess([
      Rig.python, "-c",
      """
      import dbus, sys
      bus = dbus.bus.BusConnection(sys.argv[1])
      while True:
        message = dbus.lowlevel.MethodCallMessage(sys.argv[2], '/org/example/Sample', 'org.example.Sample', 'Nothing')
        bus.send_message(message)
      """, peers.bus.address, peers.service.uniqueName.rawValue,
    ])
    var ticks = 0
    let timer = MainLoop.main.every(.microseconds(10_000)) { ticks += 1 }
    try turning("the timer is served", within: .seconds(20)) { ticks >= 50 }
    #expect(try peers.call("Nothing") == [])
    flood.kill()
    withExtendedLifetime(timer) {}
  }
}
