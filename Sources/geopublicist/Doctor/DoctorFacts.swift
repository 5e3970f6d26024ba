// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

/// The facts that `doctor` has determined; nil where unknown.
nonisolated struct DoctorFacts {
  enum Service: Equatable {
    case running
    /// The bus can start it.
    case activatable
    case missing
    case failed(message: String)
    /// It runs or is being started, but does not answer.
    case silent
    /// The policy of the bus does not let this user call it.
    case refused(message: String)
    /// systemd does not run it.
    case stopped(Stop)
  }

  /// Why systemd does not run a unit that the bus wants.
  enum Stop {
    /// It failed too often.
    case limit
    /// A condition of the unit does not hold.
    case condition
    /// It is starting, or waits for another unit.
    case waiting
    /// The bus has no file that describes how to start it.
    case unknownToBus
  }

  /// GeoClue's answer to a client of this user.
  enum Probe: Equatable {
    case allowed
    /// GeoClue does not answer a user without an agent.
    case noAgent
    case refused(message: String)
    case failed(message: String)
    /// GeoClue is older than 2.5.2 and lacks the method.
    case tooOld
  }

  enum Attempt: Equatable {
    case fix(isSimulated: Bool)
    case error(name: String, message: String)
  }

  /// Whether the location server that GeoClue uses for Wi-Fi and IP addresses can be reached.
  enum Server: Equatable {
    case reachable
    case unknownHost
    case unreachable(message: String)
  }

  enum Session: Equatable {
    case state(String)
    /// The user is not logged in.
    case none
    case noManager(message: String)
    /// logind does not answer.
    case silent
  }

  enum Sandbox: String {
    case flatpak = "Flatpak"
    case snap = "Snap"
  }

  var userID: UInt32 = 0
  var desktop = Desktop.unknown
  var serviceUserID: UInt32?
  /// The agents of this user; nil if the bus could not be asked.
  var agents: [AgentProgram]?
  /// Whether the unit of `geopublicist agent` is masked for this user.
  var isAgentMasked = false
  /// The level that the settings of this user's desktop permit, if they can be read.
  var desktopLevel: AccuracyLevel?
  /// The example of a polkit rule for programs outside a session.
  var ruleFile = "/usr/share/doc/geopublicist/examples/org.geopublicist.location1.rules"
  /// Whether GeoClue, polkit and logind have been asked.
  var isSystemBusAsked = false
  /// Whether the service on the session bus is examined.
  var isSession = false
  var bus = tr("the system bus")
  var busError: String?
  /// Why the system bus, where GeoClue is, cannot be used.
  var systemBusError: String?
  /// The variable of the environment that names the bus that cannot be used.
  var busVariable: String?
  /// Whether that bus works, but is not the system's.
  var isBusForeign = false
  /// Whether this program runs in a container.
  var isInContainer = false
  /// The first file system that is full, among those that services write to.
  var fullFolder: String?
  /// Whether the socket of the bus refuses this user.
  var isBusDenied = false
  /// Whether the bus accepts no more connections of this user.
  var isBusFull = false
  var sandbox: Sandbox?
  var service: Service?
  var serviceVersion: String?
  var authorizationStatus: String?
  var authorizationReason: String?
  /// The property `StateReason` of the service.
  var stateReason: String?
  /// The first mistake in the service's configuration.
  var serviceConfigurationError: String?
  /// The path of the service's program.
  var serviceProgram = "/usr/libexec/geopublicistd"
  /// The installed service programs.
  var servicePrograms: [String] = []
  /// Whether the rules of the bus that allow the service to own its name are missing.
  var isBusPolicyMissing = false
  /// Subscriptions that have received nothing and whose processes have exited.
  var clientsOfExitedProcesses = 0
  var geoclue: Service?
  /// Whether GeoClue hangs while it starts, and libproxy, which can cause that, is installed.
  var isGeoClueStuckInProxy = false
  var isGeoClueUserMissing = false
  /// GeoClue's number for the level of its sources.
  var availableAccuracy: UInt32?
  var probe: Probe?
  /// Whether GeoClue has broadcast the coordinates of a client.
  var areCoordinatesBroadcast = false
  var configuration: GeoClueSettings?
  var polkit: Service?
  /// polkit's answer about the exact location.
  var policyAnswer: PolicyAnswer?
  /// Whether systemd knows the control group of this program.
  var isOwnUnitKnown: Bool?
  var wiFi = WiFi.ready
  /// Whether there is a modem, and ModemManager neither runs nor can be started.
  var isModemUnmanaged = false
  /// Whether avahi, by which GeoClue finds receivers in the network, is not running.
  var isAvahiMissing = false
  var staticFile = StaticFile.absent
  /// Seconds since 1970.
  var now: Double?
  /// Seconds from the time of a location to the time at which it arrived.
  var clockDifference: Double?
  var session: Session?
  var server: Server?
  var attempt: Attempt?
}

/// The part of GeoClue's configuration that `doctor` needs.
nonisolated struct GeoClueSettings: Equatable {
  /// The server that Debian's GeoClue uses by default.
  static let defaultServer = "https://api.beacondb.net/v1/geolocate"

  /// The agents that are allowed; nil for the built-in list.
  var agents: [String]?
  var agentsFile: String?
  var isServiceAllowed = true
  /// The users for whom the service may have locations; empty for all.
  var serviceUsers: [String] = []
  var isWiFiEnabled = true
  /// Whether GeoClue reads `/etc/geolocation`.
  var isStaticEnabled = true
  /// The location server; nil for GeoClue's default.
  var serverURL: String?
  /// The configured socket of a receiver, if nothing exists at its path.
  var missingSocket: String?
  var error: String?
  /// The file that this user cannot read, but GeoClue can.
  var secretFile: String?
}

extension GeoClueSettings {
  /// Reads the configuration in a folder; nil if there is no file.
  init?(folder: String) {
    let files = GeoClueConfiguration.files(in: folder).filter(TextFile.exists)
    guard !files.isEmpty else { return nil }
    self.init()
    var configuration = GeoClueConfiguration()
    for path in files {
      if access(path, R_OK) != 0, TextFile.isReadable(path, by: DoctorFacts.StaticFile.geoclueUser) {
        secretFile = path
        continue
      }
      if getuid() == 0, !TextFile.isReadable(path, by: DoctorFacts.StaticFile.geoclueUser) {
        error = "\(path): Permission denied"
        continue
      }
      do throws(KeyFile.FileError) {
        let file = try GeoClueConfiguration(file: path)
        if file.agents != nil { agentsFile = path }
        configuration.merge(file)
      } catch { self.error = error.description }
    }
    let rule = configuration.rules[ServiceContract.service.rawValue]
    agents = configuration.agents
    isServiceAllowed = rule?.isAllowed ?? true
    serviceUsers = rule?.users?.map { "\($0)" } ?? []
    isWiFiEnabled = configuration.isWiFiEnabled ?? true
    isStaticEnabled = configuration.isStaticEnabled ?? true
    serverURL = configuration.wiFiURL
    missingSocket = configuration.receiverSocket.flatMap { TextFile.exists($0) ? nil : $0 }
  }
}
