// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport

/// GeoClue's configuration: `geoclue.conf`, then `conf.d/*.conf` in alphabetical order. Later files override earlier
/// ones key by key, as in GeoClue 2.7 and later.
///
/// The only parser of these files: the service's decisions and `doctor` both use it.
nonisolated package struct GeoClueConfiguration: Equatable, Sendable {
  /// The rule for one desktop-id.
  ///
  /// GeoClue requires the keys `allowed`, `system` and `users` in each group and ignores groups that lack one. Here
  /// each key applies by itself, because a rule can only forbid.
  package struct Rule: Equatable, Sendable {
    package var isAllowed: Bool?
    /// The users to whom the rule applies. Empty means all. A value that is not a user id becomes ``unknownUser``.
    package var users: [UInt32]?

    /// Returns whether this user's program may have locations.
    package func permits(_ user: UInt32) -> Bool {
      isAllowed ?? true && (users.map { $0.isEmpty || $0.contains(user) } ?? true)
    }
  }

  /// No user has this id, so a rule for it applies only to the other users in its list, or to none.
  static let unknownUser = UInt32.max
  package static let folder = "/etc/geoclue"

  /// The ids of the agents that GeoClue accepts, or nil for GeoClue's built-in list.
  package private(set) var agents: [String]?
  package private(set) var rules: [String: Rule] = [:]
  /// `enable` of `[wifi]`, or nil if not set. The default is false before GeoClue 2.8 and true from then on.
  package private(set) var isWiFiEnabled: Bool?
  /// `enable` of `[static-source]`, or nil if not set, which means yes.
  package private(set) var isStaticEnabled: Bool?
  /// `url` of `[wifi]`, or nil for GeoClue's default.
  package private(set) var wiFiURL: String?
  /// `nmea-socket` of `[network-nmea]`, unless that is not enabled.
  package var receiverSocket: String? {
    isReceiverEnabled == false || nmeaSocket?.isEmpty == true ? nil : nmeaSocket
  }
  private var isReceiverEnabled: Bool?
  private var nmeaSocket: String?

  package init() {}

  /// Reads one file. Throws if it cannot be read or parsed.
  @MainActor package init(file path: String) throws(KeyFile.FileError) {
    let file = try KeyFile(path: path)
    for group in file.groups where !Self.groupsOfGeoClue.contains(group) {
      rules[group] = Rule(
        isAllowed: file.scalar("allowed", of: group).map(Self.isYes),
        users: file.text("users", of: group).map { Self.words($0).map { UInt32($0) ?? Self.unknownUser } })
    }
    agents = file.text("whitelist", of: "agent").map(Self.words)
    isWiFiEnabled = file.scalar("enable", of: "wifi").map(Self.isYes)
    isStaticEnabled = file.scalar("enable", of: "static-source").map(Self.isYes)
    wiFiURL = file.text("url", of: "wifi").flatMap { $0.isEmpty ? nil : $0 }
    isReceiverEnabled = file.scalar("enable", of: "network-nmea").map(Self.isYes)
    nmeaSocket = file.text("nmea-socket", of: "network-nmea")
  }

  /// Returns the files in the order in which they apply, whether or not `geoclue.conf` exists.
  @MainActor package static func files(in folder: String = folder) -> [String] {
    ["\(folder)/geoclue.conf"] + TextFile.dropIns(in: "\(folder)/conf.d")
  }

  package mutating func merge(_ later: Self) {
    agents = later.agents ?? agents
    isWiFiEnabled = later.isWiFiEnabled ?? isWiFiEnabled
    isStaticEnabled = later.isStaticEnabled ?? isStaticEnabled
    wiFiURL = later.wiFiURL ?? wiFiURL
    isReceiverEnabled = later.isReceiverEnabled ?? isReceiverEnabled
    nmeaSocket = later.nmeaSocket ?? nmeaSocket
    rules.merge(later.rules) { Rule(isAllowed: $1.isAllowed ?? $0.isAllowed, users: $1.users ?? $0.users) }
  }

  /// Groups that configure GeoClue itself.
  private static let groupsOfGeoClue: Set<String> = [
    "agent", "network-nmea", "3g", "cdma", "modem-gps", "wifi", "compass", "static-source", "ip",
  ]

  /// Returns true only for an unambiguous yes.
  private static func isYes(_ text: String) -> Bool { text == "true" || text == "1" }

  private static func words(_ text: String) -> [String] {
    text.split { ";,".contains($0) || $0.isASCII && $0.isWhitespace }.map(String.init)
  }
}
