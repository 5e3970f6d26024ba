// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// What the service sends unasked is bounded, whatever makes it change its mind. On both buses, with the real polkit.
@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "acts as other users"))
struct FloodTests {
  /// The most that a user's clients are sent about their state: once for each object, then at a fixed rate, two signals
  /// each and the first location after it.
  private func mostSignals(_ seconds: Double) -> Double { 3 * (512 + 64 * (seconds + 2)) }

  @Test(arguments: [false, true], ["0,8", "5,6"])
  func `an agent that changes its level without end costs others nothing`(isReading: Bool, levels: String) throws {
    let machine = try GatekeeperMachine(.yes)
    let witness = try machine.consumer(as: 0)
    let path = try witness.subscribeAndStart()
    let sentences = walk(13)
    try machine.receiver.write(sentences[0])
    _ = try witness.locations(1, from: path)
    let flapping = try ChildProcess.ready([
      Rig.python, Rig.file("many-clients.py"), machine.bus.address, "flap", "4", "16", isReading ? "1" : "0",
      "1000", levels, "\(GatekeeperMachine.person)",
    ])
    defer { flapping.kill() }
    let before = try residentKilobytes(of: machine)
    let began = ContinuousClock.now
    for (step, sentence) in sentences.dropFirst().enumerated() {
      try machine.receiver.write(sentence)
      _ = try witness.locations(step + 2, from: path, within: .seconds(3))
      _ = try witness.property("State")
    }
    try always("others are served", for: .seconds(2)) { try witness.property("Version") != "" }
    let grown = try residentKilobytes(of: machine) - before
    let (made, signals) = try counts(of: flapping)
    let seconds = Double((ContinuousClock.now - began).components.seconds + 1)
    print("\(made) announcements, \(signals) signals, \(grown) KB more in \(seconds) s")
    #expect(grown < 4 * 1024 || !Daemon.isMemoryItsOwn, "\(grown) KB more after \(made) announcements")
    #expect(Double(signals) < mostSignals(seconds), "\(signals) signals after \(made) announcements in \(seconds) s")
  }

  private func residentKilobytes(of machine: GatekeeperMachine) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(machine.daemon.processIdentifier)/status", encoding: .utf8)
    let words = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?.split(separator: " ")
    return words.flatMap { Int($0[$0.count - 2].trimmingCharacters(in: .whitespaces)) } ?? 0
  }

  /// How many announcements were made, and how many signals its clients have read.
  private func counts(of flapping: ChildProcess) throws -> (made: Int, signals: Int) {
    _ = flapping.newLines()
    try flapping.send("count")
    let line = try eventual("an answer", within: .seconds(10), seen: flapping.output) { flapping.newLines().first }
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    return (numbers[0], numbers[1])
  }
}
