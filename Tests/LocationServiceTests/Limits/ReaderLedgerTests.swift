// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistService

@Suite struct ReaderLedgerTests {
  private static let kibibyte = 1024
  private static let second = Duration.seconds(1)

  @Test func `a client is pinged after 256 KiB, receives fewer locations 5 s later and none after 1 MiB`() {
    var ledger = ReaderLedger<String>()
    let sent = ledger.sendUntilPing("stopped")
    #expect((256 * Self.kibibyte..<257 * Self.kibibyte).contains(sent))
    #expect(ledger.state(of: "stopped", at: 4_999_999) == .reading)
    #expect(ledger.state(of: "stopped", at: 5_000_000) == .reduced)
    #expect(ledger.send(800 * Self.kibibyte, to: "stopped", of: 1, at: 6 * Self.second) == false, "one ping at a time")
    #expect(ledger.state(of: "stopped", at: 6 * Self.second) == .suspended)
    ledger.answered("stopped", at: 600 * Self.second)
    #expect(ledger.state(of: "stopped", at: 600 * Self.second) == .reading)
  }

  @Test func `a client that answers each ping receives everything, however much it is`() {
    var ledger = ReaderLedger<String>()
    var pings = 0
    for step in 0..<400_000 {
      let now = MonotonicInstant.milliseconds(step * 100)
      if ledger.send(450, to: "listener", of: 1, at: now) {
        pings += 1
        #expect(ledger.state(of: "listener", at: now + 50_000) == .reading, "nothing is held back")
        ledger.answered("listener", at: now + 50_000)
      }
      guard ledger.state(of: "listener", at: now) == .reading else {
        Issue.record("held back at \(now)")
        return
      }
    }
    #expect((600...700).contains(pings))
  }

  @Test func `a call from a client counts as an answer to a ping`() {
    var ledger = ReaderLedger<String>()
    _ = ledger.sendUntilPing("caller")
    #expect(ledger.state(of: "caller", at: 10 * Self.second) == .reduced)
    ledger.called("caller", at: 10 * Self.second)
    #expect(ledger.state(of: "caller", at: 10 * Self.second) == .reading)
    #expect(ledger.state(of: "caller", at: 14 * Self.second) == .reading)
  }

  /// Regression: it was not asked again, and finally sent nothing more although it read everything.
  @Test func `a client whose ping was abandoned is asked again after some seconds, and still owes an answer`() {
    var ledger = ReaderLedger<String>()
    _ = ledger.sendUntilPing("stopped")
    ledger.abandoned("stopped")
    #expect(!ledger.isPingDue("stopped", at: 4 * Self.second) && ledger.isPingDue("stopped", at: 5 * Self.second))
    #expect(ledger.state(of: "stopped", at: 6 * Self.second) == .reduced)
    ledger.pinged("stopped", at: 6 * Self.second)
    #expect(!ledger.isPingDue("stopped", at: 20 * Self.second))
    #expect(ledger.state(of: "stopped", at: 6 * Self.second) == .reduced)
    // After a call, less is unproven, but the answer is still owed.
    ledger.abandoned("stopped")
    ledger.called("stopped", at: 7 * Self.second)
    #expect(ledger.isPingDue("stopped", at: 11 * Self.second))
    ledger.answered("stopped", at: 12 * Self.second)
    #expect(ledger.state(of: "stopped", at: 12 * Self.second) == .reading)
  }

  @Test func `a client that only calls and never reads is suspended`() {
    var ledger = ReaderLedger<String>()
    var (sent, now) = (0, MonotonicInstant.origin)
    // A list of 282 KB is the answer to each of 50 calls a second, and no answer is ever read.
    while ledger.state(of: "flood", at: now) != .suspended, sent < 100 << 20 {
      ledger.called("flood", at: now)
      _ = ledger.send(282_000, to: "flood", of: 1, at: now)
      sent += 282_000
      now += 20_000
    }
    #expect(sent < 6 << 20)
    ledger.called("flood", at: now)
    #expect(ledger.state(of: "flood", at: now) == .suspended)
  }

  @Test func `a client that makes one blocking call after another receives all replies`() {
    var ledger = ReaderLedger<String>()
    // Such a program reads its replies and never answers a ping.
    for step in 0..<100_000 {
      let now = MonotonicInstant.milliseconds(step * 100)
      ledger.called("blocking", at: now)
      guard ledger.state(of: "blocking", at: now) == .reading else {
        Issue.record("held back at \(now)")
        return
      }
      _ = ledger.send(600, to: "blocking", of: 1, at: now)
    }
  }

  @Test func `hundreds of connections of one user that never read receive a limited number of bytes`() {
    var ledger = ReaderLedger<String>()
    var sent = 0
    // Each receives ten locations a second for an hour in 16 subscriptions.
    for step in 0..<36_000 {
      let now = MonotonicInstant.milliseconds(step * 100)
      for number in 0..<256 where ledger.state(of: "c\(number)", at: now) == .reading {
        _ = ledger.send(16 * 450, to: "c\(number)", of: 1000, at: now)
        sent += 16 * 450
      }
    }
    #expect(sent < 24 << 20, "\(sent >> 20) MiB")
    #expect(ledger.state(of: "innocent", at: 0) == .reading)
    #expect(ledger.send(450, to: "innocent", of: 1001, at: 0) == false)
  }

  /// Regression: what is forgiven to each of them exceeded dbus-daemon's limit after some minutes.
  @Test func `hundreds of connections of one user that only call receive a limited number of bytes`() {
    var ledger = ReaderLedger<String>()
    var sent = 0
    for second in 0..<1_200 {
      let now = MonotonicInstant.milliseconds(second * 1_000)
      for number in 0..<250 where ledger.state(of: "\(number)", at: now) != .suspended {
        ledger.called("\(number)", at: now)
        if ledger.send(1_600, to: "\(number)", of: 1000, at: now) { ledger.pinged("\(number)", at: now) }
        sent += 1_600
      }
    }
    #expect(sent < 64 << 20, "\(sent >> 20) MiB")
  }

  @Test func `many users that never read receive fewer bytes than dbus-daemon's limit`() {
    var ledger = ReaderLedger<String>()
    var sent = 0
    for step in 0..<600 {
      let now = MonotonicInstant.milliseconds(step * 100)
      for user in 0..<10 as Range<UInt32> {
        for number in 0..<100 where ledger.state(of: "\(user).\(number)", at: now) == .reading {
          _ = ledger.send(16 * 450, to: "\(user).\(number)", of: .user(user), at: now)
          sent += 16 * 450
        }
      }
    }
    #expect(sent < 110 << 20, "\(sent >> 20) MiB")
  }

  @Test func `hundreds of clients of one user that read receive everything`() {
    var ledger = ReaderLedger<String>()
    for step in 0..<2_000 {
      let now = MonotonicInstant.milliseconds(step * 100)
      for number in 0..<256 {
        let client = "c\(number)"
        guard ledger.state(of: client, at: now) == .reading else {
          Issue.record("held back at \(now)")
          return
        }
        if ledger.send(450, to: client, of: 1000, at: now) { ledger.answered(client, at: now + 1_000) }
      }
    }
  }

  @Test func `when a client disconnects, its unread bytes no longer count for its user`() {
    var ledger = ReaderLedger<String>()
    for number in 0..<100 { _ = ledger.send(200 * Self.kibibyte, to: "c\(number)", of: 1000, at: 0) }
    for number in 0..<100 { ledger.left("c\(number)") }
    #expect(ledger.count == 0)
    #expect((256 * Self.kibibyte..<257 * Self.kibibyte).contains(ledger.sendUntilPing("next", user: 1000)))
  }

  @Test func `bytes that were sent before a client's account was known are released with the client`() {
    var ledger = ReaderLedger<String>()
    _ = ledger.send(100, to: "new", of: .common, at: 0)
    _ = ledger.send(100, to: "new", of: 1000, at: 0)
    ledger.left("new")
    #expect(ledger.count == 0)
  }

  @Test func `after a stalled bus, only clients that owe an answer to a ping are suspended`() {
    var ledger = ReaderLedger<String>()
    _ = ledger.sendUntilPing("stopped")
    _ = ledger.send(400, to: "fine", of: 1, at: 0)
    ledger.suspendDebtors()
    #expect(ledger.state(of: "stopped", at: 1) == .suspended)
    #expect(ledger.state(of: "fine", at: 1) == .reading)
    ledger.answered("stopped", at: 2)
    #expect(ledger.state(of: "stopped", at: 2) == .reading)
  }
}

extension ReaderLedger<String> {
  /// Sends until a ping is due, and returns the number of bytes sent.
  fileprivate mutating func sendUntilPing(_ client: String, user: Account = 1) -> Int {
    var bytes = 0
    repeat { bytes += 400 } while !send(400, to: client, of: user, at: 0)
    return bytes
  }
}

nonisolated extension ReaderLedger {
  /// Counts bytes, and pings immediately if a ping is due.
  fileprivate mutating func send(_ bytes: Int, to client: Client, of user: Account, at now: MonotonicInstant) -> Bool {
    guard sent(bytes, to: client, of: user, at: now) else { return false }
    pinged(client, at: now)
    return true
  }
}
