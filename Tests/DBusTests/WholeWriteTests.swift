import Foundation
import Synchronization
import Testing

@testable import DBus

/// All or nothing, whatever room a socket has.
@Suite struct WholeWriteTests {
  private let bytes = (0..<WholeWrite.largest).map { UInt8(truncatingIfNeeded: $0 * 31) }

  private func sockets() throws -> (ours: FileHandle, theirs: FileHandle) {
    var pair: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    return (
      FileHandle(fileDescriptor: pair[0], closeOnDealloc: true),
      FileHandle(fileDescriptor: pair[1], closeOnDealloc: true)
    )
  }

  @Test func aPieceIsTakenWholeOrNotAtAll() throws {
    let (ours, theirs) = try sockets()
    var taken = 0
    while WholeWrite.write(bytes, to: ours.fileDescriptor) { taken += 1 }
    try ours.close()
    #expect(taken > 0)
    #expect(try theirs.readToEnd() == Data((0..<taken).flatMap { _ in bytes }))
  }

  /// The connection would have ended for good where an administrator gives sockets little room.
  @Test func aSocketWithLittleRoomGetsTheRestAsTheOtherEndReads() throws {
    let (ours, theirs) = try sockets()
    try giveLittleRoom(to: ours)
    let reader = Reader(theirs)
    #expect(WholeWrite.write(bytes, to: ours.fileDescriptor))
    try ours.close()
    #expect(reader.waitForAll() == Data(bytes))
  }

  @Test func aReaderThatStopsInTheMiddleEndsTheConnection() throws {
    let (ours, theirs) = try sockets()
    try giveLittleRoom(to: ours)
    #expect(WholeWrite.write(bytes, to: ours.fileDescriptor))
    // Nothing may follow the half of a message.
    #expect(!WholeWrite.write(bytes, to: ours.fileDescriptor))
    let read = try #require(try theirs.readToEnd())
    #expect(read.count < bytes.count)
  }

  private func giveLittleRoom(to socket: FileHandle) throws {
    var room: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    try #require(setsockopt(socket.fileDescriptor, SOL_SOCKET, SO_SNDBUF, &room, size) == 0)
  }

  /// Reads in a thread of its own, which runs already.
  private final class Reader: Sendable {
    private let (began, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    private let read = Mutex(Data())

    init(_ socket: FileHandle) {
      Thread { [self] in
        began.signal()
        while let some = try? socket.read(upToCount: 1_024), !some.isEmpty { read.withLock { $0 += some } }
        ended.signal()
      }.start()
      began.wait()
    }

    func waitForAll() -> Data {
      ended.wait()
      return read.withLock { $0 }
    }
  }
}
