// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A GPS receiver for GeoClue: a Unix stream socket from which it reads NMEA sentences.
///
/// GeoClue connects when its first client starts, and disconnects when the last one stops. A connection is accepted
/// only when a test checks for it.
public final class NMEAServer {
  public let path: String
  private let directory = TemporaryDirectory()
  private let listener: Int32
  private var connections: [Int32] = []

  public init() {
    path = directory.file("nmea.sock")
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    let bound = withUnixAddress(path) { bind(listener, $0, $1) }
    guard bound == 0, chmod(path, 0o777) == 0, listen(listener, 8) == 0 else {
      fatalError("NMEA socket: \(String(cString: strerror(errno)))")
    }
  }

  isolated deinit {
    closeConnections()
    close(listener)
  }

  public var isConnected: Bool {
    acceptWaiting()
    connections.removeAll { connection in
      guard hasEnded(connection) else { return false }
      close(connection)
      return true
    }
    return !connections.isEmpty
  }

  /// Writes a fix, after waiting for GeoClue to connect and to read earlier ones: GeoClue uses only the last of several
  /// sentences that it reads together.
  ///
  /// - Throws: `DeadlineExceeded` if GeoClue does not connect.
  public func write(_ sentence: GGASentence, within limit: Duration = .seconds(10), turn: () -> Void = nap) throws {
    try write(sentence.text, within: limit, turn: turn)
  }

  /// Writes bytes in the same way as a sentence.
  public func write(_ text: String, within limit: Duration = .seconds(10), turn: () -> Void = nap) throws {
    let bytes = Array(text.utf8)
    try eventually("GeoClue reads NMEA", within: limit, turn: turn) {
      guard isConnected, connections.allSatisfy({ unread(by: $0) == 0 }) else { return false }
      // GeoClue may disconnect at any time; the bytes are then written again after it has reconnected.
      return connections.allSatisfy { send($0, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count }
    }
  }

  /// Writes a fix if GeoClue is connected and has read earlier ones, like a receiver that sends regardless of readers.
  public func offer(_ sentence: GGASentence) { try? write(sentence, within: .zero) }

  /// Closes all connections, like a receiver that is unplugged. GeoClue 2.6 then drops the source permanently; later
  /// versions busy-loop.
  public func closeConnections() {
    acceptWaiting()
    for connection in connections { close(connection) }
    connections = []
  }

  private func acceptWaiting() {
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { return }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      _ = fcntl(connection, F_SETFL, O_NONBLOCK)
      connections.append(connection)
    }
  }

  private func unread(by connection: Int32) -> Int32 {
    var bytes: Int32 = 0
    guard ioctl(connection, UInt(TIOCOUTQ), &bytes) == 0 else { return 0 }
    return bytes
  }

  private func hasEnded(_ connection: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(connection, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
  }
}

/// A fix as a GPS receiver reports it: the NMEA 0183 sentence GGA.
public struct GGASentence {
  /// Degrees, north positive, rounded as in the sentence: to 1e-7 minutes, which are 1.7e-9 degrees.
  public var latitude: Double
  /// Degrees, east positive, rounded as the latitude.
  public var longitude: Double
  public var altitude: Double
  /// Horizontal dilution of precision. GeoClue derives an accuracy from it: 1 becomes 0 m, 4 becomes 3 m.
  public var dilution: Double
  public var time: Date

  public init(latitude: Double, longitude: Double, altitude: Double = 34.5, dilution: Double = 1, time: Date = Date()) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
    self.dilution = dilution
    self.time = time
  }

  /// The sentence with its checksum and line end.
  public var text: String {
    let body = [
      "GPGGA", clock, angle(latitude, digits: 2), latitude < 0 ? "S" : "N", angle(longitude, digits: 3),
      longitude < 0 ? "W" : "E", "1", "08", String(format: "%.1f", dilution), String(format: "%.1f", altitude), "M",
      "46.9", "M", "", "",
    ].joined(separator: ",")
    let checksum = body.utf8.reduce(0, ^)
    return "$\(body)*\(String(format: "%02X", checksum))\r\n"
  }

  private var clock: String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0)!
    let parts = calendar.dateComponents([.hour, .minute, .second, .nanosecond], from: time)
    return String(
      format: "%02d%02d%02d.%02d", parts.hour!, parts.minute!, parts.second!, parts.nanosecond! / 10_000_000)
  }

  /// Degrees and minutes without anything between them.
  private func angle(_ degrees: Double, digits: Int) -> String {
    // Rounds to whole steps first, so that the minutes are never 60.
    let steps = Int((abs(degrees) * 600_000_000).rounded())
    let (whole, minutes) = steps.quotientAndRemainder(dividingBy: 600_000_000)
    return String(format: "%0\(digits)d%02d.%07d", whole, minutes / 10_000_000, minutes % 10_000_000)
  }
}
