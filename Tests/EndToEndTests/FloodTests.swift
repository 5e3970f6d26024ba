// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The number of signals that the service sends is bounded, however often its state changes. On both buses, with the
/// real polkit.
@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "needs other users"))
struct FloodTests {
  /// The upper bound of the signals about authorization that a user's clients receive: one report for each object, then
  /// reports at a fixed rate. Each report consists of two signals and the first location after them.
  private func mostSignals(_ seconds: Double) -> Double { 3 * (512 + 64 * (seconds + 2)) }

  @Test(arguments: [false, true], ["0,8", "5,6"])
  func `an agent that keeps changing its level does not slow down other users`(isReading: Bool, levels: String) throws {
    let machine = try GatekeeperFixture(.yes)
    let witness = try machine.client(as: 0)
    let path = try witness.subscribeAndStart()
    let sentences = walk(13)
    try machine.receiver.write(sentences[0])
    _ = try witness.locations(1, from: path)
    let flapping = try ChildProcess.ready([
      Rig.python, Rig.file("many-clients.py"), machine.bus.address, "flap", "4", "16", isReading ? "1" : "0",
      "1000", levels, "\(GatekeeperFixture.user)",
    ])
    defer { flapping.kill() }
    let before = try residentKilobytes(of: machine)
    let began = ContinuousClock.now
    for (step, sentence) in sentences.dropFirst().enumerated() {
      try machine.receiver.write(sentence)
      _ = try witness.locations(step + 2, from: path)
      _ = try witness.property("State")
    }
    try always("others are served", for: .seconds(2)) { try witness.property("Version") != "" }
    let grown = try residentKilobytes(of: machine) - before
    let (made, signals, _) = try counts(of: flapping)
    let seconds = Double((ContinuousClock.now - began).components.seconds + 1)
    if Service.isMemoryItsOwn { #expect(grown < 4 * 1024, "\(grown) KB more after \(made) announcements") }
    #expect(Double(signals) < mostSignals(seconds), "\(signals) signals after \(made) announcements in \(seconds) s")
  }

  /// The programs whose events may change the service's decisions.
  enum Source: String, CaseIterable {
    case names, network, logind, polkit, configuration
  }

  /// The upper bound of the bytes of these signals. It does not depend on the number of events.
  private func mostBytes(_ seconds: Double) -> Int { Int(mostSignals(seconds) * 700) }

  /// Each program is in a control group with the memory that the unit allows.
  @Test(arguments: Source.allCases)
  func `a flood of events from another program does not slow down clients`(source: Source) throws {
    let machine = try GatekeeperFixture(.yes)
    let group = try MemoryGroup(megabytes: 160, machine.service.processIdentifier)
    let witness = try machine.client(as: 0)
    let path = try witness.subscribeAndStart()
    let listening = try ChildProcess.ready([
      Rig.python, Rig.file("many-clients.py"), machine.bus.address, "flap", "4", "16", "1", "2", "8,8",
      "\(GatekeeperFixture.user)",
    ])
    defer { listening.kill() }
    var flood: ChildProcess?
    if [.names, .network, .logind].contains(source) {
      flood = try ChildProcess.ready([
        Rig.python, Rig.file("flood.py"), machine.bus.address, source.rawValue, "\(GatekeeperFixture.user)",
      ])
    }
    defer { flood?.kill() }
    let began = ContinuousClock.now
    for (step, sentence) in walk(12).enumerated() {
      switch source {
      case .polkit: try machine.setPolicy(step % 2 == 0 ? .no : .yes)
      case .configuration: for number in 0..<50 { try machine.setGeoClueRules("[a\(step)-\(number)]\nallowed=false\n") }
      case .names, .network, .logind: break
      }
      try machine.receiver.write(sentence)
      try witness.waitFor(sentence, from: path)
      try always("others are served", for: .milliseconds(250)) { try witness.property("Version") != "" }
    }
    let (_, signals, bytes) = try counts(of: listening)
    let seconds = Double((ContinuousClock.now - began).components.seconds + 1)
    // Each client also receives every fix.
    let fixes = 64 * 12
    #expect(Double(signals) < mostSignals(seconds) + Double(fixes), "\(signals) signals in \(seconds) s")
    #expect(bytes < mostBytes(seconds) + fixes * 700, "\(bytes) bytes in \(seconds) s")
    if let flood {
      _ = flood.newLines()
      try flood.send("count")
      let line = try eventual("a count", within: .seconds(30), seen: flood.standardError) { flood.newLines().first }
      let sent = try #require(Int(line))
      #expect(sent > 0)
    }
    #expect(group.failures == 0, "the memory suffices")
  }

  /// A broken GeoClue sends locations or property changes a thousand times a second.
  @Test(arguments: ["locations", "properties", "active"])
  func `a flood of events from GeoClue does not slow down clients`(kind: String) throws {
    let bus = try PrivateBus(.system)
    let geoclue = try FakeGeoClue(on: bus)
    let service = try Service(.system, on: bus)
    let group = try MemoryGroup(megabytes: 160, service.processIdentifier)
    let witness = try ServiceClient(on: bus)
    let path = try witness.subscribeAndStart()
    try geoclue.fix(latitude: 52, longitude: 13)
    _ = try witness.locations(1, from: path)
    let listening = try ChildProcess.ready([
      Rig.python, Rig.file("many-clients.py"), bus.address, "flap", "4", "16", "1", "2", "8,8", "0",
    ])
    defer { listening.kill() }
    let began = ContinuousClock.now
    try geoclue.tell(["flood": .string(kind)])
    try always("others are served", for: .seconds(2)) { try witness.property("Version") != "" }
    let (_, signals, bytes) = try counts(of: listening)
    let seconds = Double((ContinuousClock.now - began).components.seconds + 1)
    // Each connection that answers no ping receives 1 MiB of locations.
    #expect(kind == "locations" ? bytes < 4 << 21 : Double(signals) < mostSignals(seconds))
    try geoclue.tell(["flood": .null])
    let end = GGASentence(latitude: 52.02, longitude: 13)
    try geoclue.fix(latitude: end.latitude, longitude: end.longitude)
    try witness.waitFor(end, from: path)
    #expect(group.failures == 0, "the memory suffices")
  }

  /// A control group that limits the memory of one process.
  private final class MemoryGroup {
    private let path: String?

    init(megabytes: Int, _ process: pid_t) throws {
      let folder = "/sys/fs/cgroup/memory/geopublicist-flood-\(process)"
      guard mkdir(folder, 0o755) == 0 else {
        path = nil
        return
      }
      path = folder
      try "\(megabytes << 20)".write(toFile: "\(folder)/memory.limit_in_bytes", atomically: false, encoding: .utf8)
      try "\(process)".write(toFile: "\(folder)/cgroup.procs", atomically: false, encoding: .utf8)
    }

    /// How often the limit was reached.
    var failures: Int {
      let text = path.flatMap { try? String(contentsOfFile: "\($0)/memory.failcnt", encoding: .utf8) }
      return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
    }

    isolated deinit { if let path { rmdir(path) } }
  }

  private func residentKilobytes(of machine: GatekeeperFixture) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(machine.service.processIdentifier)/status", encoding: .utf8)
    let words = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?.split(separator: " ")
    return words.flatMap { Int($0[$0.count - 2].trimmingCharacters(in: .whitespaces)) } ?? 0
  }

  /// The number of announcements, and of the signals and bytes that its clients have read.
  private func counts(of flapping: ChildProcess) throws -> (made: Int, signals: Int, bytes: Int) {
    _ = flapping.newLines()
    try flapping.send("count")
    let line = try eventual("an answer", within: .seconds(30), seen: flapping.standardError) {
      flapping.newLines().first
    }
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    return (numbers[0], numbers[1], numbers[2])
  }
}
