// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import GeopublicistTestSupport
import Glibc
import Testing

@testable import DBus

extension Message {
  /// A call, optionally without an interface.
  static func calling(
    _ member: MemberName, of interface: InterfaceName?, at path: ObjectPath, on destination: BusName,
    _ arguments: [Value] = []
  ) throws -> Message {
    if let interface { return Message(calling: member, of: interface, at: path, on: destination, arguments) }
    let message = Message(
      owning: allocated(dbus_message_new_method_call(destination.rawValue, path.rawValue, nil, member.rawValue)))
    try message.append(arguments)
    return message
  }

  /// Returns a copy with a header field that D-Bus does not define.
  func adding(unknownField text: String) -> Message? {
    var (start, count): (UnsafeMutablePointer<CChar>?, Int32) = (nil, 0)
    // Only a message with a serial number can be read again.
    dbus_message_set_serial(raw, 1 << 20)
    guard dbus_message_marshal(raw, &start, &count) != 0, let start else { return nil }
    var bytes = UnsafeRawBufferPointer(start: start, count: Int(count)).map(\.self)
    dbus_free(start)
    func padding(_ length: Int) -> [UInt8] { Array(repeating: 0, count: (8 - length % 8) % 8) }
    func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(value)) { Array($0) } }
    let end = 16 + bytes[12..<16].reversed().reduce(0) { $0 * 256 + Int($1) }
    let body = bytes[(end + padding(end).count)...]
    var header = Array(bytes[..<end]) + padding(end)
    header += [200, 1, UInt8(ascii: "s"), 0] + number(text.utf8.count) + Array(text.utf8) + [0]
    header.replaceSubrange(12..<16, with: number(header.count - 16))
    bytes = header + padding(header.count) + body
    return bytes.withUnsafeBytes {
      dbus_message_demarshal($0.baseAddress, Int32(bytes.count), nil).map(Message.init(owning:))
    }
  }

  /// Puts the serial number of another program's call into the header, where only a reply should have one.
  func forge(replyTo serial: UInt32) -> Bool { dbus_message_set_reply_serial(raw, serial) != 0 }

  /// Adds a number of file descriptors to the arguments.
  func append(descriptors count: Int) {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(raw, &iterator)
    for _ in 0..<count {
      var descriptor: Int32 = 0
      dbus_message_iter_append_basic(&iterator, Int32(UInt8(ascii: "h")), &descriptor)
    }
  }

  /// Adds a variant with a file descriptor in it.
  func append(descriptorInVariant descriptor: Int32) {
    var descriptor = descriptor
    var iterator = DBusMessageIter()
    var inner = DBusMessageIter()
    dbus_message_iter_init_append(raw, &iterator)
    dbus_message_iter_open_container(&iterator, Int32(UInt8(ascii: "v")), "h", &inner)
    dbus_message_iter_append_basic(&inner, Int32(UInt8(ascii: "h")), &descriptor)
    dbus_message_iter_close_container(&iterator, &inner)
  }
}

extension Connection {
  /// The number of received bytes that libdbus has not read.
  func unreadBytes() throws -> Int32 {
    var (socket, count) = (Int32(-1), Int32(0))
    try #require(dbus_connection_get_unix_fd(raw, &socket) != 0)
    try #require(ioctl(socket, UInt(FIONREAD), &count) == 0)
    return count
  }
}

/// The number of open file descriptors of this process.
func openDescriptors() -> Int { (0..<1_024).count { fcntl($0, F_GETFD) >= 0 } }

/// A connection that no main loop serves, so that it reads nothing.
final class DeafPeer {
  private let raw: OpaquePointer
  let uniqueName: BusName

  init(_ bus: PrivateBus) throws {
    raw = try #require(dbus_connection_open_private(bus.address, nil))
    dbus_connection_set_exit_on_disconnect(raw, 0)
    dbus_bus_register(raw, nil)
    uniqueName = BusName(unchecked: String(cString: try #require(dbus_bus_get_unique_name(raw))))
  }

  func close() { dbus_connection_close(raw) }

  isolated deinit {
    close()
    dbus_connection_unref(raw)
  }
}
