// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// What the doctor has found out; what it could not find out is nil.
nonisolated struct DoctorFacts {
  /// How it stands with a service on a bus.
  enum Service: Equatable {
    case running
    /// The bus can start it, and has not been asked to.
    case activatable
    case missing
    case failed(message: String)
    /// It owns its name, or is being started, and does not answer.
    case silent
    /// The rules of the bus do not let this user talk to it.
    case refused(message: String)
  }

  /// What GeoClue says to a client of this user.
  enum Probe: Equatable {
    case allowed
    /// No answer: GeoClue keeps a user without an agent waiting.
    case noAgent
    case refused(message: String)
    case failed(message: String)
    /// It does not have the method, which came with 2.5.2.
    case tooOld
  }

  /// What came of an attempt to get a fix.
  enum Attempt: Equatable {
    case fix(isSimulated: Bool)
    case error(name: String, message: String)
  }

  /// Whether the server that GeoClue asks about Wi-Fi and addresses can be reached.
  enum Server: Equatable {
    case reachable
    case unknownHost
    case unreachable(message: String)
  }

  /// What logind says of this user.
  enum Session: Equatable {
    case state(String)
    /// The user has not logged in.
    case none
    case noManager
  }

  /// The way in which this program is locked in.
  enum Sandbox: String {
    case flatpak = "Flatpak"
    case snap = "Snap"
  }

  var userID: UInt32 = 0
  var desktop = Desktop.unknown
  /// The user that the service runs as.
  var serviceUserID: UInt32?
  /// `geopublicist agent` runs and decides for this user.
  var hasOwnAgent = false
  /// What this user's agent permits, where its settings can be read.
  var permittedLevel: AccuracyLevel?
  /// The example of a polkit rule for programs outside a session.
  var ruleFile = "/usr/share/doc/geopublicist/examples/org.geopublicist.location1.rules"
  /// GeoClue, polkit and logind have been asked.
  var isSystemBusAsked = false
  /// The deployment that is asked about.
  var isSession = false
  /// The bus in words.
  var bus = "the system bus"
  /// Why the bus cannot be used.
  var busError: String?
  /// Why the machine's system bus, where GeoClue is, cannot be used.
  var systemBusError: String?
  var sandbox: Sandbox?
  var service: Service?
  var serviceVersion: String?
  var state: String?
  var stateReason: String?
  var authorizationStatus: String?
  var authorizationReason: String?
  var geoclue: Service?
  /// GeoClue's number for what its sources can do.
  var availableAccuracy: UInt32?
  var probe: Probe?
  /// GeoClue has told every user the coordinates of a client.
  var areCoordinatesBroadcast = false
  var configuration: GeoClueSettings?
  var polkit: Service?
  var session: Session?
  var server: Server?
  var attempt: Attempt?
}

/// What geoclue.conf and the files beside it say, as far as it matters here.
nonisolated struct GeoClueSettings: Equatable {
  /// Nil: the built-in list.
  var agents: [String]?
  /// The file that names them.
  var agentsFile: String?
  var isServiceAllowed = true
  /// Empty: all users.
  var serviceUsers: [String] = []
  var isWiFiEnabled = true
  /// Nil: GeoClue's own.
  var serverURL: String?
  /// Why a file could not be read.
  var error: String?
}
