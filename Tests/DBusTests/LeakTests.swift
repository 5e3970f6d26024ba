// SPDX-License-Identifier: Apache-2.0
import Foundation
import MainLoop
import Testing

@testable import DBus

/// Repeated operations do not increase the process's memory.
@Suite struct LeakTests {
  /// The private memory of this process that is in use, in KiB.
  private func memory() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Anonymous:") })
    return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
  }

  /// Runs a block many times, and fails if the second half of the rounds needs more memory than measurement noise
  /// explains.
  ///
  /// - Parameter cost: The smallest leak per round that must be found, in bytes.
  private func expectNoGrowth(_ rounds: Int, leaking cost: Int = 64, _ round: () throws -> Void) throws {
    for _ in 0..<rounds { try round() }
    let before = try memory()
    for _ in 0..<rounds { try round() }
    let growth = try memory() - before
    #expect(growth < rounds * cost / 1_024, "\(growth) KiB in \(rounds) rounds")
  }

  @Test func `50,000 calls do not leak memory`() throws {
    let (peers, sample) = try Peers.withSample()
    let options = Value.options([("text", .string(String(repeating: "x", count: 100))), ("number", .double(1))])
    try expectNoGrowth(250, leaking: 100 * 48) {
      var left = 100
      for number in 0..<100 {
        peers.client.call(peers.message(number.isMultiple(of: 2) ? "Do" : "Unheard", options)) { _ in left -= 1 }
          .keep()
      }
      while left > 0 { MainLoop.main.iterate(mayBlock: true) }
      sample.seen = []
    }
  }

  @Test func `calls that were abandoned or have timed out do not leak memory`() throws {
    let (peers, sample) = try Peers.withSample()
    try expectNoGrowth(2_000, leaking: 256) {
      for wait in [true, false] {
        let message = peers.message("Later")
        let pending = peers.client.call(message, timeout: wait ? .milliseconds(1) : .never) { _ in }
        if !wait { pending.cancel() }
        _ = try peers.call("Nothing")
      }
      sample.kept = []
    }
  }

  @Test func `exporting objects and emitting signals does not leak memory`() throws {
    let peers = try Peers()
    var heard = 0
    peers.client.onSignal(MatchRule(interface: Sample.name)) { _ in heard += 1 }.keep()
    try peers.settle()
    let sample = Sample()
    try expectNoGrowth(300, leaking: 50 * 64) {
      let goal = heard + 50
      for number in UInt64(0)..<50 {
        let object = sample.export(on: peers.service, at: Sample.path.child(number), owner: peers.client.uniqueName)
        object.emit("Happened", of: Sample.name, .string("x"))
        object.propertyChanged("Title", of: Sample.name)
        object.unexport()
      }
      while heard < goal { MainLoop.main.iterate(mayBlock: true) }
    }
  }

  @Test func `connections with objects, matches, watches and calls do not leak memory`() throws {
    let peers = try Peers()
    try expectNoGrowth(300, leaking: 2_048) {
      let connection = try peers.connect()
      let sample = Sample()
      let object = sample.export(on: connection)
      object.propertyChanged("Title", of: Sample.name)
      let match = connection.onSignal(MatchRule(interface: "a.b")) { [weak connection] _ in connection?.close() }
      NameWatch("org.example.Name", on: connection) { _ in }.keep()
      let peerWatch = PeerWatch(on: connection)
      connection.call(peers.message("Nothing")) { _ in }.keep()
      _ = try peers.refusal("Nothing")
      withExtendedLifetime((match, peerWatch)) {}
    }
  }

  @Test func `matches and watches do not leak memory`() throws {
    let peers = try Peers()
    try expectNoGrowth(500, leaking: 10 * 128) {
      for _ in 0..<10 {
        let match = peers.client.onSignal(MatchRule(interface: "a.b")) { _ in }
        match.keep()
        let watch = NameWatch("org.example.Name", on: peers.client) { _ in }
        watch.keep()
        match.cancel()
        watch.cancel()
      }
      try peers.settle()
    }
  }
}
