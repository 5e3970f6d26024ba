// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import Glibc
import MainLoop
import Testing

@Suite struct FileWatchTests {
  /// A pipe whose ends are closed with it.
  private final class Pipe {
    var ends: [Int32] = [-1, -1]
    var reading: Int32 { ends[0] }
    var writing: Int32 { ends[1] }

    init() throws {
      let result = pipe(&ends)
      try #require(result == 0)
      for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }
    isolated deinit { for end in ends where end >= 0 { close(end) } }

    func send(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { write(writing, $0.baseAddress, $0.count) } }

    func receive() -> String {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = read(reading, &bytes, bytes.count)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    func hangUp() {
      close(ends[1])
      ends[1] = -1
    }
  }

  @Test func `a file watch reports readable data`() throws {
    let pipe = try Pipe()
    var received = ""
    let watch = MainLoop.main.watch(descriptor: pipe.reading, for: .readable) { found in
      #expect(found == .readable)
      received += pipe.receive()
    }
    try turning(for: .milliseconds(20), "no data arrives") { received.isEmpty }
    pipe.send("one")
    try turning("it arrives") { received == "one" }
    pipe.send("two")
    try turning("so does more") { received == "onetwo" }
    withExtendedLifetime(watch) {}
  }

  @Test func `a file watch reports readable data until all of it is read`() throws {
    let pipe = try Pipe()
    var calls = 0
    let watch = MainLoop.main.watch(descriptor: pipe.reading, for: .readable) { _ in calls += 1 }
    pipe.send("x")
    try turning("several calls") { calls >= 3 }
    withExtendedLifetime(watch) {}
  }

  @Test func `a file watch reports that a full pipe has room again`() throws {
    let pipe = try Pipe()
    var writable = false
    let block = String(repeating: "x", count: 4_096)
    for _ in 0..<1_000 { pipe.send(block) }
    let watch = MainLoop.main.watch(descriptor: pipe.writing, for: .writable) { found in
      #expect(found == .writable)
      writable = true
    }
    try turning(for: .milliseconds(20), "the pipe is full") { !writable }
    while !pipe.receive().isEmpty {}
    try turning("there is room again") { writable }
    withExtendedLifetime(watch) {}
  }

  @Test func `a file watch reports that the other end was closed`() throws {
    let pipe = try Pipe()
    var found: FileCondition = []
    var watch: FileWatch?
    watch = MainLoop.main.watch(descriptor: pipe.reading, for: .readable) {
      found = $0
      watch = nil
    }
    pipe.hangUp()
    try turning("the hang-up is reported") { found.contains(.hangUp) }
    #expect(watch == nil)
  }

  /// Regression: a source without conditions was called repeatedly after a hang-up.
  @Test func `a file watch without conditions is not called`() throws {
    let pipe = try Pipe()
    var calls = 0
    let watch = MainLoop.main.watch(descriptor: pipe.reading, for: .readable) { _ in calls += 1 }
    watch.wait(for: [])
    pipe.send("x")
    pipe.hangUp()
    try turning(for: .milliseconds(30), "it is silent") { calls == 0 }
    watch.wait(for: .readable)
    try turning("it is called again") { calls > 0 }
  }

  @Test func `the conditions of a file watch can be changed`() throws {
    let pipe = try Pipe()
    var found: [FileCondition] = []
    let watch = MainLoop.main.watch(descriptor: pipe.writing, for: []) { found.append($0) }
    try turning(for: .milliseconds(10), "no condition is watched") { found.isEmpty }
    watch.wait(for: .writable)
    try turning("it is writable") { !found.isEmpty }
    #expect(found.allSatisfy { $0 == .writable })
    watch.wait(for: [])
    let count = found.count
    try turning(for: .milliseconds(10), "it is no longer called") { found.count == count }
  }

  @Test func `a file watch that is cancelled or released is not called again`() throws {
    let pipe = try Pipe()
    var calls = 0
    var watch: FileWatch? = MainLoop.main.watch(descriptor: pipe.reading, for: .readable) { _ in calls += 1 }
    pipe.send("x")
    try turning("it is called") { calls > 0 }
    watch?.cancel()
    watch?.wait(for: .readable)
    watch = nil
    let before = calls
    try turning(for: .milliseconds(20), "it is no longer called") { calls == before }
  }

  @Test func `two file watches of one descriptor are both called`() throws {
    let pipe = try Pipe()
    var first = 0
    var second = 0
    let watches = [
      MainLoop.main.watch(descriptor: pipe.reading, for: .readable) { _ in first += 1 },
      MainLoop.main.watch(descriptor: pipe.reading, for: .readable) { _ in second += 1 },
    ]
    pipe.send("x")
    try turning("both are called") { first > 0 && second > 0 }
    withExtendedLifetime(watches) {}
  }
}
