// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistCGLib
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

/// Finds out what the doctor wants to know, in the order of the way that a location takes.
struct FactGatherer {
  private let bus: Connection.Bus
  private let configurationFolder: String
  /// Says what is being looked at.
  private let onStep: (String) -> Void
  private var facts = DoctorFacts()

  /// `configurationFolder` is that of GeoClue's settings.
  init(
    _ bus: Connection.Bus, named busName: String, configurationFolder: String, _ onStep: @escaping (String) -> Void
  ) {
    self.bus = bus
    self.configurationFolder = configurationFolder
    self.onStep = onStep
    facts.bus = busName
    let sessionAddress = g_getenv("DBUS_SESSION_BUS_ADDRESS").map { Connection.Bus.address(String(cString: $0)) }
    facts.isSession = bus == .session || bus == sessionAddress
    facts.userID = getuid()
  }

  mutating func gather() -> DoctorFacts {
    onStep("Looking around")
    facts.sandbox = Self.sandbox()
    facts.configuration = GeoClueSettingsReader.read(configurationFolder)
    askSystemBus()
    askBridge()
    askServer()
    return facts
  }

  private static func sandbox() -> DoctorFacts.Sandbox? {
    if TextFile.exists("/.flatpak-info") { return .flatpak }
    let label = (try? TextFile.contents(of: "/proc/self/attr/current")) ?? ""
    return label.hasPrefix("snap.") ? .snap : nil
  }
}

/// The bridge.
extension FactGatherer {
  private mutating func askBridge() {
    onStep("Asking the bridge")
    do throws(DBusError) {
      let questions = try BusQuestions(bus)
      facts.bridge = questions.presence(of: Contract.service)
      guard facts.bridge != .missing else { return }
      do throws(DBusError) {
        try askBridge(questions)
      } catch {
        facts.bridge = BusQuestions.outcome(of: error, after: facts.bridge)
      }
    } catch {
      facts.busError = error.message
    }
  }

  private mutating func askBridge(_ questions: BusQuestions) throws(DBusError) {
    try readBridge(questions)
    onStep("Waiting for a fix")
    do throws(DBusError) {
      let options = Value.options([("timeout", .uint32(10_000))])
      let answer = try questions.ask(
        "GetLocation", of: Contract.manager, at: Contract.path, on: Contract.service, [options], milliseconds: 15_000)
      let isSimulated = answer.first.flatMap(LocationReading.init)?.location.isSimulated ?? false
      facts.attempt = .fix(isSimulated: isSimulated)
    } catch {
      facts.attempt = .error(name: error.name.rawValue, message: error.message)
    }
    // GeoClue may have said by now what it thinks of this user.
    try readBridge(questions)
  }

  private mutating func readBridge(_ questions: BusQuestions) throws(DBusError) {
    let answer = try questions.ask(
      "GetAll", of: .properties, at: Contract.path, on: Contract.service, [.string(Contract.manager.rawValue)],
      // It promises an answer within five seconds, once it runs.
      milliseconds: facts.bridge == .running ? 10_000 : 25_000)
    let properties = answer.first?.properties ?? [:]
    facts.bridge = .running
    facts.bridgeVersion = properties["Version"]?.string
    facts.state = properties["State"]?.string
    facts.stateReason = properties["StateReason"]?.string
    facts.authorizationStatus = properties["AuthorizationStatus"]?.string
    facts.authorizationReason = properties["AuthorizationReason"]?.string
  }

  private mutating func askServer() {
    let url = facts.configuration?.serverURL ?? GeoClueSettings.defaultServer
    // Whoever has a fix does not need it, nor whoever may have none: no stranger is told of this machine for nothing. And
    // where nobody could ask for a fix, nobody has missed the server.
    switch facts.attempt {
    case .fix, nil: return
    case .error(let name, _) where name == ErrorName.notAuthorized.rawValue: return
    default: break
    }
    guard facts.geoclue == .running, facts.configuration?.isWiFiEnabled != false else { return }
    onStep("Looking for the location server")
    facts.server = ServerCheck.check(url)
  }
}

/// The system bus: GeoClue, polkit, logind.
extension FactGatherer {
  private mutating func askSystemBus() {
    onStep("Asking the system bus")
    do throws(DBusError) {
      // With `--address` for a system bus elsewhere GeoClue is there.
      let questions = try BusQuestions(systemBus)
      facts.polkit = questions.presence(of: "org.freedesktop.PolicyKit1")
      facts.session = session(questions)
      facts.geoclue = questions.presence(of: GeoClueNames.service)
      if facts.geoclue != .missing { askGeoClue(questions) }
    } catch {
      facts.systemBusError = error.message
    }
  }

  /// The bus that `DBUS_SYSTEM_BUS_ADDRESS` names, if it does.
  private var systemBus: Connection.Bus {
    if case .address = bus, !facts.isSession, g_getenv("DBUS_SYSTEM_BUS_ADDRESS") == nil { return bus }
    return .system
  }

  private func session(_ questions: BusQuestions) -> DoctorFacts.Session {
    let service: BusName = "org.freedesktop.login1"
    guard questions.presence(of: service) != .missing else { return .noManager }
    do throws(DBusError) {
      let user = try questions.ask(
        "GetUser", of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1", on: service,
        [.uint32(facts.userID)])
      guard let path = user.first?.objectPath else { return .none }
      let state = try questions.property("State", of: "org.freedesktop.login1.User", at: path, on: service)
      return .state(state.string ?? "?")
    } catch {
      return error.name == .serviceUnknown ? .noManager : .none
    }
  }

  private mutating func askGeoClue(_ questions: BusQuestions) {
    onStep("Asking GeoClue")
    do throws(DBusError) {
      let accuracy = try questions.property(
        "AvailableAccuracyLevel", of: GeoClueNames.manager, at: GeoClueNames.managerPath, on: GeoClueNames.service,
        milliseconds: facts.geoclue == .running ? 5_000 : 25_000)
      facts.geoclue = .running
      facts.availableAccuracy = accuracy.uint32
      facts.probe = probe(questions)
    } catch {
      facts.geoclue = BusQuestions.outcome(of: error, after: facts.geoclue)
    }
  }

  /// Asks for a client as any program of this user would; it goes with the connection.
  private func probe(_ questions: BusQuestions) -> DoctorFacts.Probe {
    do throws(DBusError) {
      let made = try questions.ask(
        "CreateClient", of: GeoClueNames.manager, at: GeoClueNames.managerPath, on: GeoClueNames.service,
        milliseconds: 3_000)
      guard let client = made.first?.objectPath else { return .failed(message: "no client") }
      for (name, value) in [
        ("DesktopId", Value.string(Contract.service.rawValue)),
        ("RequestedAccuracyLevel", .uint32(AccuracyLevel.city.rawValue)),
      ] {
        _ = try questions.ask(
          "Set", of: .properties, at: client, on: GeoClueNames.service,
          [.string(GeoClueNames.client.rawValue), .string(name), .variant(value)])
      }
      _ = try questions.ask(
        "Start", of: GeoClueNames.client, at: client, on: GeoClueNames.service, milliseconds: 10_000)
      return .allowed
    } catch {
      switch error.name {
      case .noReply: return .noAgent
      case .unknownMethod: return .tooOld
      case .accessDenied: return .refused(message: error.message)
      default: return .failed(message: error.message)
      }
    }
  }
}
