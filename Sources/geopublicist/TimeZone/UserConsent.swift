// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// Whether the users who are logged in let the clock follow the location.
enum UserConsent: Equatable {
  case given
  /// A user has turned location off.
  case denied(user: UInt32)
  /// GNOME sets the clock for a user.
  case desktop(user: UInt32)
  /// The consent could not be determined.
  case unknown

  /// Explains why the clock is not changed; nil if it may be.
  var complaint: String? {
    switch self {
    case .given: nil
    case .denied(let user): tr("The clock is not set: location is off for \(Processes.userName(user))")
    case .desktop(let user):
      tr(
        "GNOME sets the time zone for \(Processes.userName(user)); that user can turn it off: "
          + "gsettings set org.gnome.desktop.datetime automatic-timezone false")
    case .unknown:
      tr("The clock is not set: not every logged-in user could be asked whether location is on")
    }
  }
}

/// Asks for each user, one after the other. Another user's access is requested on a connection of that user, because
/// the service reports it to no other user; this requires root.
final class ConsentQuestions {
  private static let logind: BusName = "org.freedesktop.login1"
  /// The service promises to answer within 5 s.
  private static let patience = CallTimeout.milliseconds(5_500)
  /// How long the connections of one user may take together.
  private static let patienceWithAgents = Duration.seconds(30)

  private let bus: Connection.Bus
  /// The connection to the bus of logind.
  private let connection: Connection
  /// The connection on which a user's access is being requested.
  private var question: Connection?

  init(_ bus: Connection.Bus, logindOn connection: Connection) {
    self.bus = bus
    self.connection = connection
  }

  func ask(_ handler: @escaping (UserConsent) -> Void) {
    guard getuid() == 0 else { return ask(for: [getuid()], handler) }
    let manager = Proxy(
      on: connection, destination: Self.logind, path: "/org/freedesktop/login1",
      interface: "org.freedesktop.login1.Manager")
    manager.call("ListUsers", timeout: Self.patience, expecting: "a(uso)") { [weak self] result in
      switch result {
      case .success(let values):
        self?.ask(for: (values.first?.array ?? []).compactMap { $0.structure?.first?.uint32 }[...], handler)
      // Without logind no user is logged in.
      case .failure(.refused(let error)) where error.isAbsence:
        handler(.given)
      case .failure: handler(.unknown)
      }
    }
  }

  private func ask(for users: ArraySlice<UInt32>, _ handler: @escaping (UserConsent) -> Void) {
    guard let user = users.first else { return handler(.given) }
    if Self.desktopSetsClock(for: user) { return handler(.desktop(user: user)) }
    guard let question = Self.connection(to: bus, as: user) else { return handler(.unknown) }
    self.question = question
    let manager = Proxy(
      on: question, destination: ServiceContract.service, path: ServiceContract.path,
      interface: Location1Interface.interface)
    manager.getAll(timeout: Self.patience) { [weak self] result in
      self?.question = nil
      let values = (try? result.get()) ?? [:]
      let reason = values["AuthorizationReason"]?.string.flatMap(AuthorizationReason.init)
      switch values["AuthorizationStatus"]?.string.flatMap(AuthorizationStatus.init) {
      case nil: handler(.unknown)
      case .denied where reason != .sessionInactive: handler(.denied(user: user))
      case .notDetermined where reason == .undecided: handler(.unknown)
      case .denied, .restricted:
        self?.askAgents(of: user) { consent in
          if consent == .given { self?.ask(for: users.dropFirst(), handler) } else { handler(consent) }
        }
      default: self?.ask(for: users.dropFirst(), handler)
      }
    }
  }

  /// Asks the agents of a user, because polkit gives no access to a program outside of an active session, whatever the
  /// user's agent permits. GeoClue's policy lets root ask them. The connection is only for that, since the bus counts
  /// calls that are never answered.
  private func askAgents(of user: UInt32, _ handler: @escaping (UserConsent) -> Void) {
    guard getuid() == 0 else { return handler(.given) }
    guard let agents = try? Connection(to: bus) else { return handler(.unknown) }
    question = agents
    let end = MainLoop.main.clock.monotonic() + Self.patienceWithAgents
    agents.call(Message(callingBus: "ListNames"), timeout: Self.patience, expecting: "as") { [weak self] result in
      guard let names = try? result.get().first?.array else { return handler(.unknown) }
      let others = names.compactMap { $0.string.flatMap(BusName.init(validating:)) }.filter(\.isUnique)
      self?.ask(others[...], on: agents, of: user, until: end, handler)
    }.keep()
  }

  /// Asks one connection of the user after the other. One that does not answer may be an agent that is stopped.
  private func ask(
    _ names: ArraySlice<BusName>, on agents: Connection, of user: UInt32, until end: MonotonicInstant,
    _ handler: @escaping (UserConsent) -> Void
  ) {
    guard let name = names.first else { return handler(.given) }
    guard MainLoop.main.clock.monotonic() < end else { return handler(.unknown) }
    func askNext() { ask(names.dropFirst(), on: agents, of: user, until: end, handler) }
    let owner = Message(callingBus: "GetConnectionUnixUser", [.string(name.rawValue)])
    agents.call(owner, timeout: Self.patience, expecting: "u") { result in
      guard (try? result.get().first?.uint32) == user else { return askNext() }
      let question = GeoClueAgent.levelQuestion(to: name)
      agents.call(question, timeout: Self.patience, expecting: .variant, within: .smallAnswer) { result in
        switch result {
        case .success(let values) where values.first?.unwrapped.uint32 == 0: handler(.denied(user: user))
        case .success, .failure(.refused): askNext()
        case .failure: handler(.unknown)
        }
      }.keep()
    }.keep()
  }

  /// Connects as a user: the bus reads the effective user when the connection is opened. The real user remains root's,
  /// so that this user cannot signal or trace the program.
  private static func connection(to bus: Connection.Bus, as user: UInt32) -> Connection? {
    guard user != geteuid() else { return try? Connection(to: bus) }
    guard seteuid(user) == 0 else { return nil }
    defer { guard seteuid(0) == 0 else { fatalError("the program cannot become root again") } }
    return try? Connection(to: bus)
  }

  /// Whether GNOME's settings of a user show that the desktop sets the time zone. They are in that user's files, so a
  /// program that runs as that user reads them, for 5 s at most.
  private static func desktopSetsClock(for user: UInt32) -> Bool {
    let identity = user == getuid() ? [] : identity(of: user)
    guard let identity, Program.exists("gsettings") else { return false }
    // The user may stop the program, or hold its output open. The shell is root's.
    let words = ["timeout", "--kill-after=1", "8", "sh", "-c", Self.bounded, "sh"] + identity
    return Program.output(of: words + ["gsettings", "get", "org.gnome.desktop.datetime", "automatic-timezone"])
      == "true"
  }

  private static let bounded = #"text=$(timeout --kill-after=1 5 "$@" 2> /dev/null); echo "$text""#

  private static func identity(of user: UInt32) -> [String]? {
    guard let group = getpwuid(user)?.pointee.pw_gid else { return nil }
    return ["setpriv", "--reuid=\(user)", "--regid=\(group)", "--clear-groups", "--reset-env"]
  }
}
