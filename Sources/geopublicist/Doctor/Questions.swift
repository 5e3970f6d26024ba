// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistClient
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// Calls to services on a bus, each of which blocks until its answer or its timeout.
final class BusQuestions {
  let connection: Connection

  init(_ bus: Connection.Bus) throws(DBusError) { connection = try Connection(to: bus) }

  /// Calls a method, and turns the main loop until the answer.
  func ask(
    _ member: MemberName, of interface: InterfaceName, at path: ObjectPath, on service: BusName,
    _ arguments: [Value] = [], milliseconds: Int32 = 5_000
  ) throws(DBusError) -> [Value] {
    let message = Message(calling: member, of: interface, at: path, on: service, arguments)
    var answer: Result<[Value], CallFailure>?
    connection.call(message, timeout: .milliseconds(milliseconds)) { answer = $0.printable }.keep()
    while true {
      switch answer {
      case .success(let values): return values
      case .failure(let failure): throw failure.error
      case nil: MainLoop.main.iterate(mayBlock: true)
      }
    }
  }

  /// Turns the main loop until a condition holds, which answers to calls must make true.
  func turnLoop(until condition: () -> Bool) {
    while !condition() { MainLoop.main.iterate(mayBlock: true) }
  }

  /// Reads a property. The default timeout allows for a service that the bus must start first.
  func property(
    _ name: String, of interface: InterfaceName, at path: ObjectPath, on service: BusName, milliseconds: Int32 = 25_000
  ) throws(DBusError) -> Value {
    let values = try ask(
      "Get", of: .properties, at: path, on: service, [.string(interface.rawValue), .string(name)],
      milliseconds: milliseconds)
    return values.first?.unwrapped ?? .structure([])
  }

  /// Returns whether a service runs or can be started, without calling it.
  func presence(of service: BusName) -> DoctorFacts.Service {
    func names(_ member: MemberName) -> [String] {
      let values = try? ask(member, of: .bus, at: .bus, on: .bus)
      return values?.first?.array?.compactMap(\.string) ?? []
    }
    if names("ListNames").contains(service.rawValue) { return .running }
    return names("ListActivatableNames").contains(service.rawValue) ? .activatable : .missing
  }

  /// Returns what a failed call says about a service; `presence` is what was known before.
  static func outcome(of error: DBusError, after presence: DoctorFacts.Service?) -> DoctorFacts.Service {
    switch error.name {
    case .accessDenied: .refused(message: error.message)
    // dbus-broker returns these also if systemd does not start a service.
    case .serviceUnknown where presence == .activatable, .nameHasNoOwner where presence == .activatable:
      .failed(message: error.message)
    case .serviceUnknown, .nameHasNoOwner: .missing
    case .noReply: .silent
    default: .failed(message: error.message.isEmpty ? error.name.rawValue : error.message)
    }
  }
}

/// Listens for coordinates that GeoClue broadcasts.
///
/// Before 2.8.1, a fix below the threshold of a client changes that client's location object, and GeoClue broadcasts
/// `PropertiesChanged` to every user. Other programs cannot read thresholds, so listening is the only way to find out.
final class BroadcastWatch {
  /// Whether coordinates have been heard; they are not kept.
  private(set) var hasHeardCoordinates = false
  private var match: SignalMatch?
  private var deadline: LoopSource?
  private var isOver = false

  /// A GPS receiver measures once per second.
  private static let patience = Duration.milliseconds(1_200)

  init(on connection: Connection) {
    match = connection.onSignal(
      MatchRule(
        sender: GeoClueNames.service, interface: .properties, member: .propertiesChanged,
        argument0: GeoClueNames.location.rawValue)
    ) { [weak self] signal in
      guard signal.arguments.count == 3, let changes = signal.arguments[1].properties else { return }
      if changes["Latitude"] != nil || changes["Longitude"] != nil { self?.hasHeardCoordinates = true }
    }
    deadline = MainLoop.main.after(Self.patience) { [weak self] in self?.isOver = true }
  }

  /// Turns the main loop until coordinates have been heard, for little more than a second.
  func wait() {
    while !isOver, !hasHeardCoordinates { MainLoop.main.iterate(mayBlock: true) }
  }
}

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
