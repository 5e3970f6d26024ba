// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

@testable import DBus

/// Fuzzes bytes from the wire: everything that libdbus accepts must be readable and survive a round trip.
func fuzzMessage(_ source: ByteSource) {
  let bytes = source.remainder()
  let message = bytes.withUnsafeBytes { buffer -> Message? in
    guard let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
    return dbus_message_demarshal(start, Int32(clamping: buffer.count), nil).map(Message.init(owning:))
  }
  guard let message else { return }
  _ = (message.sender, message.path, message.interface, message.member, message.destination, message.error)
  _ = (message.wantsReply, message.allowsInteractiveAuthorization, message.isDisconnection, message.hasDescriptors)
  claim(message.byteCount(upTo: 0) == nil, "a message has a size")
  guard let arguments = try? message.arguments() else { return }
  // Descriptors are not read, not even those that a message names without having any.
  if !message.signature.contains("h") {
    claim(arguments.map(\.signature).joined() == message.signature, "the arguments have the types of the message")
  }
  for argument in arguments {
    _ = (argument.options, argument.properties, argument.unwrapped, argument.string, argument.array)
  }
  // Values may be nested too deeply to be written, which must be reported.
  let first = Message(signal: "S", of: "a.b", at: "/", arguments)
  guard first.refusal == nil, let written = try? first.arguments() else { return }
  let second = Message(signal: "S", of: "a.b", at: "/", written)
  claim(first.signature == second.signature, "the types survive")
  claim(body(of: first) == body(of: second), "the values survive")
}

/// Returns the bytes after the header.
private func body(of message: Message) -> [UInt8] {
  var bytes: UnsafeMutablePointer<CChar>?
  var count: Int32 = 0
  guard dbus_message_marshal(message.raw, &bytes, &count) != 0, let bytes else { return [] }
  defer { dbus_free(bytes) }
  let all = UnsafeRawBufferPointer(start: bytes, count: Int(count))
  return Array(all.suffix(Int(all.loadUnaligned(fromByteOffset: 4, as: UInt32.self))))
}
