// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport
import Glibc

nonisolated enum ServerCheck {
  static func check(_ url: String, milliseconds: Int32 = 3_000) -> DoctorFacts.Server? {
    guard let (host, port) = hostAndPort(of: url) else { return nil }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, port, &hints, &list) == 0, let list else { return .unknownHost }
    defer { freeaddrinfo(list) }
    var message = tr("no answer")
    var next: UnsafeMutablePointer<addrinfo>? = list
    while let address = next?.pointee {
      switch connect(to: address, milliseconds) {
      case nil: return .reachable
      case let code?: message = String(cString: strerror(code))
      }
      next = address.ai_next
    }
    return .unreachable(message: message)
  }

  /// Returns the host and port of `https://host:port/path`; nil for anything else.
  static func hostAndPort(of url: String) -> (host: String, port: String)? {
    let schemes = [("https://", "443"), ("http://", "80")]
    guard let (scheme, port) = schemes.first(where: { url.hasPrefix($0.0) }) else { return nil }
    let authority = url.dropFirst(scheme.utf8.count).prefix { $0 != "/" && $0 != "?" }
    if authority.first == "[" {
      let host = authority.dropFirst().prefix { $0 != "]" }
      let rest = authority.dropFirst(host.count + 2)
      return host.isEmpty ? nil : (String(host), rest.first == ":" ? String(rest.dropFirst()) : port)
    }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard let host = parts.first, !host.isEmpty, parts.count <= 2 else { return nil }
    return (String(host), parts.count == 2 ? String(parts[1]) : port)
  }

  /// Returns nil if the address accepts a connection in time, otherwise the `errno`.
  private static func connect(to address: addrinfo, _ milliseconds: Int32) -> Int32? {
    let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.ai_family, address.ai_socktype | flags, 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return nil }
    guard errno == EINPROGRESS else { return errno }
    var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&event, 1, milliseconds) == 1 else { return ETIMEDOUT }
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    return code == 0 ? nil : code
  }
}
