// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import DBus

@Suite struct UnansweredCallTests {
  @Test func `an unanswered call is counted until its destination or the bus answers it`() {
    var calls = UnansweredCalls()
    calls.add(1, to: ":1.1")
    calls.add(2, to: ":1.1")
    calls.add(2, to: ":1.1")
    calls.add(3, to: "org.example.Name")
    #expect(calls.count(of: ":1.1") == 2 && calls.count(of: "org.example.Name") == 1 && calls.count(of: ":1.2") == 0)
    calls.answered(1, by: ":1.2")
    calls.answered(9, by: ":1.1")
    #expect(calls.count(of: ":1.1") == 2, "answers from another peer or to an unknown call do not count")
    calls.answered(1, by: ":1.1")
    calls.answered(1, by: ":1.1")
    #expect(calls.count(of: ":1.1") == 1)
    calls.answered(2, by: .bus)
    calls.answered(3, by: ":1.7")
    #expect(calls.count(of: ":1.1") == 0 && calls.count(of: "org.example.Name") == 0)
  }

  /// Regression: a service that left 128 calls unanswered blocked the connection for all others.
  @Test func `calls to a service that never answers do not block calls to others`() throws {
    let peers = try Peers(on: .dbusDaemon)
    let silent = try peers.connect()
    let sample = Sample()
    sample.export(on: silent)
    peers.client.unansweredCallLimit = 4
    func call() -> Message {
      Message(calling: "Later", of: Sample.name, at: Sample.path, on: silent.uniqueName)
    }
    var failures: [CallFailure] = []
    for _ in 0..<10 {
      peers.client.call(call(), timeout: .milliseconds(1)) { result in
        if case .failure(let failure) = result { failures.append(failure) }
      }.keep()
    }
    try turning("all have failed") { failures.count == 10 }
    #expect(failures.count { $0.kind == .notSent && $0.error.name == .limitsExceeded } == 6)
    #expect(failures.count { $0.kind == .lost && $0.error.name == .noReply } == 4)
    try turning("no more than the limit have arrived") { sample.kept.count == 4 }
    let service = Sample()
    service.export(on: peers.service)
    #expect(try peers.call("Nothing") == [], "others are called as before")
    sample.kept = []
    _ = try peers.answer(to: Message(callingBus: "GetId"), from: silent)
    try peers.settle()
    peers.client.call(call()) { _ in }.keep()
    try turning("the late answers have made room") { sample.kept.count == 1 }
    silent.close()
  }
}
