// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistCGLib
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

struct FactGatherer {
  private let bus: Connection.Bus
  private let configurationFolder: String
  /// Called before each step, with the step and the facts so far.
  private let onStep: (String, DoctorFacts) -> Void
  private var facts = DoctorFacts()
  private var systemBusQuestions: BusQuestions?
  private var broadcastWatch: BroadcastWatch?

  /// - Parameter configurationFolder: The folder of GeoClue's configuration.
  init(
    _ bus: Connection.Bus, named busName: String, configurationFolder: String,
    _ onStep: @escaping (String, DoctorFacts) -> Void
  ) {
    self.bus = bus
    self.configurationFolder = configurationFolder
    self.onStep = onStep
    facts.bus = busName
    let sessionAddress = g_getenv("DBUS_SESSION_BUS_ADDRESS").map { Connection.Bus.address(String(cString: $0)) }
    facts.isSession = bus == .session || bus == sessionAddress
    facts.userID = getuid()
    facts.desktop = .current
    let local = "/usr/local/share/doc/geopublicist/examples/org.geopublicist.location1.rules"
    if !TextFile.exists(facts.ruleFile), TextFile.exists(local) { facts.ruleFile = local }
  }

  mutating func gather() -> DoctorFacts {
    onStep(tr("Reading configuration"), facts)
    facts.sandbox = Self.sandbox()
    facts.configuration = GeoClueSettings(folder: configurationFolder)
    facts.staticFile = DoctorFacts.StaticFile(
      DoctorFacts.StaticFile.path, geoclueUser: DoctorFacts.StaticFile.geoclueUser)
    facts.now = Moment.seconds
    facts.isInContainer = Self.isInContainer
    facts.fullFolder = Self.fullFolder
    facts.servicePrograms = Self.servicePrograms
    facts.serviceProgram = ReplayCommand.serviceProgram ?? facts.serviceProgram
    facts.isBusPolicyMissing = Self.isBusPolicyMissing
    facts.isGeoClueUserMissing = DoctorFacts.StaticFile.geoclueUser == nil
    if bus == .system { facts.serviceConfigurationError = Self.serviceConfigurationError() }
    readDesktopLevel()
    askSystemBus()
    facts.isSystemBusAsked = true
    askService()
    readAvailableAccuracy()
    askServer()
    listenForBroadcasts()
    return facts
  }

  private static func sandbox() -> DoctorFacts.Sandbox? {
    if TextFile.exists("/.flatpak-info") { return .flatpak }
    let label = (try? TextFile.contents(of: "/proc/self/attr/current")) ?? ""
    if label.hasPrefix("snap.") { return .snap }
    return sandbox(controlGroups: (try? TextFile.contents(of: "/proc/self/cgroup")) ?? "")
  }

  /// Recognises a sandbox by the same names of control groups as the service and GeoClue.
  nonisolated static func sandbox(controlGroups: String) -> DoctorFacts.Sandbox? {
    let elements = controlGroups.split { $0 == "/" || $0 == "\n" }
    if elements.contains(where: { $0.hasPrefix("snap.") }) { return .snap }
    let prefixes = ["app-flatpak-", "flatpak-", "xdg-app-"]
    return elements.contains { element in prefixes.contains { element.hasPrefix($0) } } ? .flatpak : nil
  }

  /// Reads the level of the desktop's settings; in GNOME it is a key that no settings page shows.
  private mutating func readDesktopLevel() {
    guard [.gnome, .phosh].contains(facts.desktop) else { return }
    let word = Program.output(of: ["gsettings", "get", "org.gnome.system.location", "max-accuracy-level"]) ?? ""
    facts.desktopLevel = AccuracyLevel(contractName: String(word.filter { $0.isLetter }))
  }
}

/// The service.
extension FactGatherer {
  private mutating func askService() {
    onStep(tr("Asking the service"), facts)
    do throws(DBusError) {
      let questions = try BusQuestions(bus)
      facts.service = questions.presence(of: ServiceContract.service, unit: "geopublicist.service")
      guard facts.service?.isReachable == true else { return }
      do throws(DBusError) {
        try askService(questions)
      } catch {
        facts.service = questions.outcome(of: error, after: facts.service, unit: "geopublicist.service")
      }
    } catch {
      facts.busError = error.withoutAutolaunch
      facts.isBusDenied = error.name == .accessDenied
      facts.isBusFull = error.name == .limitsExceeded
      facts.busVariable = Self.variable(naming: bus)
    }
  }

  private mutating func askService(_ questions: BusQuestions) throws(DBusError) {
    try readService(questions)
    onStep(tr("Waiting for a location"), facts)
    do throws(DBusError) {
      let options = Value.options([("timeout", .uint32(10_000))])
      let answer = try questions.ask(
        Location1Interface.getLocation, of: Location1Interface.interface, at: ServiceContract.path,
        on: ServiceContract.service, [options],
        milliseconds: 15_000)
      let location = answer.first.flatMap(ServiceLocation.init)
      facts.attempt = .fix(isSimulated: location?.location.isSimulated ?? false)
      // Only a receiver has its own clock. GeoClue names the source from 2.7 on.
      if let location, let age = location.age, [.gnss, .unknown].contains(location.location.source) {
        let received = Moment.seconds - Double(age) / 1_000
        facts.clockDifference = received - Double(location.location.timestamp.seconds)
      }
    } catch { facts.attempt = .error(name: error.name.rawValue, message: error.message) }
    // Read again: GeoClue may have decided about this user in the meantime.
    try readService(questions)
    facts.clientsOfExitedProcesses = try clientsOfExitedProcesses(questions)
  }

  private func clientsOfExitedProcesses(_ questions: BusQuestions) throws(DBusError) -> Int {
    // In a container, processes have different ids than outside.
    guard !facts.isInContainer else { return 0 }
    let list = try questions.ask(
      Location1Interface.listSubscriptions, of: Location1Interface.interface, at: ServiceContract.path,
      on: ServiceContract.service)
    return (list.first?.array ?? []).compactMap(\.properties).count { client in
      guard let process = client["ProcessId"]?.uint32.flatMap(pid_t.init(exactly:)), process > 0 else { return false }
      return client["Active"]?.boolean == false && kill(process, 0) != 0 && errno == ESRCH
    }
  }

  private mutating func readService(_ questions: BusQuestions) throws(DBusError) {
    let answer = try questions.ask(
      "GetAll", of: .properties, at: ServiceContract.path, on: ServiceContract.service,
      [.string(Location1Interface.interface.rawValue)],
      // A running service promises an answer within five seconds.
      milliseconds: facts.service == .running ? 10_000 : 25_000)
    let properties = (answer.first?.properties ?? [:]).received
    facts.service = .running
    let owner = try? questions.ask(
      "GetConnectionUnixUser", of: .bus, at: .bus, on: .bus, [.string(ServiceContract.service.rawValue)])
    facts.serviceUserID = owner?.first?.uint32
    facts.serviceVersion = properties["Version"]?.string
    facts.authorizationStatus = properties["AuthorizationStatus"]?.string
    facts.authorizationReason = properties["AuthorizationReason"]?.string
    facts.stateReason = properties["StateReason"]?.string
  }

  /// The variable that names this bus; nil if it is not set.
  private static func variable(naming bus: Connection.Bus) -> String? {
    let name =
      switch bus {
      case .system: "DBUS_SYSTEM_BUS_ADDRESS"
      case .session: "DBUS_SESSION_BUS_ADDRESS"
      case .address: ""
      }
    return getenv(name) == nil ? nil : name
  }

  private mutating func askServer() {
    let url = facts.configuration?.serverURL ?? GeoClueSettings.defaultServer
    // Contacts the server only if it may be the cause: a location arrived without it, or access is denied.
    switch facts.attempt {
    case .fix, nil: return
    case .error(let name, _) where name == ErrorName.notAuthorized.rawValue: return
    default: break
    }
    guard facts.geoclue == .running, facts.configuration?.isWiFiEnabled != false else { return }
    onStep(tr("Connecting to the location server"), facts)
    facts.server = ServerCheck.check(url)
  }
}

/// The system bus: GeoClue, polkit, logind.
extension FactGatherer {
  private mutating func askSystemBus() {
    onStep(tr("Asking the system bus"), facts)
    do throws(DBusError) {
      // If `--address` names a system bus, GeoClue is on that bus.
      let questions = try BusQuestions(systemBus)
      systemBusQuestions = questions
      askPolkit(questions)
      facts.session = session(questions)
      facts.isOwnUnitKnown = questions.isOwnUnitKnown()
      facts.wiFi = questions.wiFi()
      facts.isModemUnmanaged = questions.isModemUnmanaged()
      facts.isAvahiMissing = questions.presence(of: "org.freedesktop.Avahi") != .running
      facts.geoclue = questions.presence(of: GeoClueNames.service, unit: "geoclue.service")
      let names = [GeoClueNames.service, "org.freedesktop.login1"]
      if facts.polkit == .missing, names.allSatisfy({ questions.presence(of: $0) == .missing }),
        questions.presence(of: ServiceContract.service) != .running
      {
        facts.busVariable = Self.variable(naming: systemBus)
        facts.isBusForeign = facts.busVariable != nil
      }
      facts.agents = questions.agents()
      facts.isAgentMasked =
        facts.agents?.isEmpty == true
        && Program.output(of: ["systemctl", "--user", "show", "-P", "LoadState", "geopublicist-agent"]) == "masked"
      if facts.geoclue?.isReachable == true {
        broadcastWatch = BroadcastWatch(on: questions.connection)
        askGeoClue(questions)
      }
    } catch {
      facts.systemBusError = error.message.printable
      facts.isBusFull = error.name == .limitsExceeded
      facts.isBusDenied = error.name == .accessDenied
      facts.busVariable = Self.variable(naming: systemBus)
    }
  }

  private mutating func askPolkit(_ questions: BusQuestions) {
    facts.polkit = questions.presence(of: "org.freedesktop.PolicyKit1", unit: "polkit.service")
    // The service does not ask polkit about root, nor does it ask on a session bus.
    guard facts.polkit?.isReachable == true, facts.userID != 0, !facts.isSession else { return }
    onStep(tr("Asking polkit"), facts)
    do throws(DBusError) {
      facts.policyAnswer = try questions.policyAnswer()
      facts.polkit = .running
    } catch { facts.polkit = questions.outcome(of: error, after: facts.polkit, unit: "polkit.service") }
  }

  /// The bus to look for GeoClue on.
  private var systemBus: Connection.Bus {
    if case .address = bus, !facts.isSession, g_getenv("DBUS_SYSTEM_BUS_ADDRESS") == nil { return bus }
    return .system
  }

  private func session(_ questions: BusQuestions) -> DoctorFacts.Session {
    let service: BusName = "org.freedesktop.login1"
    guard questions.presence(of: service) != .missing else {
      return .noManager(message: tr("not installed"))
    }
    do throws(DBusError) {
      let user = try questions.ask(
        "GetUser", of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1", on: service,
        [.uint32(facts.userID)])
      guard let path = user.first?.objectPath else { return .none }
      let state = try questions.property("State", of: "org.freedesktop.login1.User", at: path, on: service)
      return .state(state.string ?? "?")
    } catch {
      switch error.name {
      case "org.freedesktop.login1.NoSuchUser", .unknownObject: return .none
      case .noReply: return .silent
      default: return .noManager(message: error.message)
      }
    }
  }

  private mutating func askGeoClue(_ questions: BusQuestions) {
    onStep(tr("Asking GeoClue"), facts)
    do throws(DBusError) {
      let accuracy = try availableAccuracy(questions, milliseconds: facts.geoclue == .running ? 5_000 : 25_000)
      facts.geoclue = .running
      facts.probe = probe(questions)
      // Read again: a GeoClue that has just started finds its sources gradually.
      facts.availableAccuracy = max(accuracy, (try? availableAccuracy(questions)) ?? 0)
    } catch {
      facts.geoclue = questions.outcome(of: error, after: facts.geoclue, unit: "geoclue.service")
      facts.isGeoClueStuckInProxy = questions.isGeoClueStuckInProxy()
    }
  }

  /// Reads the level again at the end if GeoClue had no source before.
  private mutating func readAvailableAccuracy() {
    guard facts.availableAccuracy == 0, let systemBusQuestions else { return }
    facts.availableAccuracy = (try? availableAccuracy(systemBusQuestions)) ?? 0
  }

  private mutating func listenForBroadcasts() {
    guard facts.geoclue == .running, let broadcastWatch else { return }
    onStep(tr("Listening to GeoClue"), facts)
    broadcastWatch.wait()
    facts.areCoordinatesBroadcast = broadcastWatch.hasHeardCoordinates
  }

  private func availableAccuracy(_ questions: BusQuestions, milliseconds: Int32 = 5_000) throws(DBusError) -> UInt32 {
    try questions.property(
      "AvailableAccuracyLevel", of: GeoClueNames.manager, at: GeoClueNames.managerPath, on: GeoClueNames.service,
      milliseconds: milliseconds
    ).uint32 ?? 0
  }

  /// Starts a GeoClue client like any program of this user; it ends with the connection.
  private func probe(_ questions: BusQuestions) -> DoctorFacts.Probe {
    do throws(DBusError) {
      let made = try questions.ask(
        "CreateClient", of: GeoClueNames.manager, at: GeoClueNames.managerPath, on: GeoClueNames.service,
        milliseconds: 3_000)
      guard let client = made.first?.objectPath else { return .failed(message: "no client") }
      for (name, value) in [
        ("DesktopId", Value.string(ServiceContract.service.rawValue)),
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
