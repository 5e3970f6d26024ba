import Foundation
import TestSupport
import Testing

/// The command in the session deployment, where GeoClue itself judges the person.
@Suite(.serialized) struct SessionTests {
  private let system: PrivateBus
  private let session: PrivateBus
  private let geoclue: RealGeoClue
  private let agent: DesktopAgent
  private let daemon: Daemon

  init() throws {
    system = try PrivateBus(.system)
    session = try PrivateBus(.session)
    geoclue = try RealGeoClue(on: system)
    agent = try DesktopAgent(at: system.address)
    try agent.waitUntilRegistered()
    daemon = try Daemon(.session, on: session, geoclueOn: system)
  }

  @Test func everySubcommandWorks() throws {
    let watch = try CommandRun.started(["watch"], on: session)
    try geoclue.receiver.write(GGASentence(latitude: 52, longitude: 13))
    try eventually("a fix") { watch.standardOutput.hasSuffix(" exact\n") }
    for arguments in [["status"], ["locate"], ["list"], ["authorize"], ["status", "--json"], ["locate", "--json"]] {
      let result = try CommandRun.finished(arguments, on: session)
      #expect(result.exit == .status(0) && result.standardError.isEmpty, "\(arguments) \(result.standardError)")
    }
    #expect(watch.standardError.isEmpty && daemon.isRunning)
  }

  @Test func switchingLocationOffIsSaidAndEndsNothing() throws {
    let watch = try CommandRun.started(["watch"], on: session)
    try geoclue.receiver.write(GGASentence(latitude: 52, longitude: 13))
    try eventually("a fix") { watch.standardOutput.hasSuffix(" exact\n") }
    try agent.setLevel(0)
    try eventually("it is said") { watch.standardError.contains("Location is switched off for this user") }
    let locate = try CommandRun.finished(["locate"], on: session)
    #expect(locate.exit == .status(3), "\(locate.standardError)")
    try agent.setLevel(8)
    let before = watch.standardOutput
    try eventually("fixes come again") {
      guard geoclue.receiver.isConnected else { return false }
      try geoclue.receiver.write(GGASentence(latitude: 53, longitude: 13))
      return watch.standardOutput.count > before.count
    }
    watch.signal(SIGINT)
    #expect(try watch.waitForExit() == .status(0))
  }
}
