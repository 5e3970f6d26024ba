// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@testable import GeopublicistProcessSupport

@Suite struct JournalSocketTests {
  /// A journal that reads only on command.
  private final class Journal {
    let path: String
    private let directory = TemporaryDirectory()
    private let descriptor: Int32

    init() throws {
      path = directory.file("journal")
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      let isBound = withUnixAddress(path) { [descriptor] in bind(descriptor, $0, $1) == 0 }
      try #require(isBound)
    }

    isolated deinit { close(descriptor) }

    func read() -> [String] {
      var messages: [String] = []
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while case let count = recv(descriptor, &bytes, bytes.count, 0), count > 0 {
        messages.append(String(decoding: bytes[..<count], as: UTF8.self))
      }
      return messages
    }
  }

  @Test func `if the journal does not read, messages are dropped and their number is logged later`() throws {
    let journal = try Journal()
    let socket = try #require(JournalSocket(journal.path))
    // A blocking write would never return.
    for number in 0..<1_000 { socket.write(JournalSocket.entry([("MESSAGE", "\(number)")])) }
    let first = journal.read()
    #expect(first.count < 1_000)
    #expect(first.first == "MESSAGE=0\n")
    socket.write(JournalSocket.entry([("MESSAGE", "again")]))
    let second = journal.read()
    #expect(second.count == 2)
    #expect(second.first?.contains("MESSAGE=\(1_000 - first.count) messages were lost") == true)
    #expect(second.last == "MESSAGE=again\n")
  }

  @Test func `a log value with line breaks is sent with its length`() throws {
    let journal = try Journal()
    let socket = try #require(JournalSocket(journal.path))
    socket.write(JournalSocket.entry([("MESSAGE", "a\nb"), ("PRIORITY", "5")]))
    #expect(journal.read() == ["MESSAGE\n\u{3}\0\0\0\0\0\0\0a\nb\nPRIORITY=5\n"])
  }
}
