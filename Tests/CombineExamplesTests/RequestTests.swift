// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct RequestTests {
  /// A server whose only answer never ends. It prints its port, and a line when the client has closed the connection.
  private static let server = """
    import socket, time
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    peer = listener.accept()[0]
    peer.recv(10000)
    try:
      peer.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
      while True:
        peer.sendall(b"x" * 1000)
        time.sleep(0.05)
    except OSError:
      print("closed", flush=True)
    """

  @Test(.timeLimit(.minutes(1))) func `a cancelled request ends its transfer`() throws {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.server]
    process.standardOutput = output
    try process.run()
    defer { process.terminate() }
    func line() -> String {
      var bytes = Data()
      while bytes.last != UInt8(ascii: "\n"), case let more = output.fileHandleForReading.readData(ofLength: 1),
        !more.isEmpty
      {
        bytes += more
      }
      return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
    let address = try #require(URL(string: "http://127.0.0.1:\(line())/"))
    let request = URLSession.shared.dataTaskPublisher(for: address)
      .sink(
        receiveCompletion: { _ in Issue.record("It has no end") }, receiveValue: { _ in Issue.record("It has no end") })
    request.cancel()
    #expect(line() == "closed")
  }
}
