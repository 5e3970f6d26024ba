// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistCGLib
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

/// Facts about programs and files that GeoClue and the service depend on.
nonisolated extension DoctorFacts {
  /// polkit's answer to a question about this program, without a dialog.
  enum PolicyAnswer: Equatable {
    case yes
    case asks
    case no
    /// polkit has no such action: the package's file is missing, or polkit has not read it.
    case unknownAction
  }

  /// Whether GeoClue can find Wi-Fi networks.
  enum WiFi: Equatable {
    /// It can, or nothing is known to prevent it.
    case ready
    /// iwd manages Wi-Fi: GeoClue cannot ask it, and reads networks from wpa_supplicant.
    case iwd
    /// wpa_supplicant does not run.
    case unmanaged(isMasked: Bool)
    /// A switch of the device, or a program, has turned the adapter off.
    case blocked(isByDevice: Bool)
    case noAdapter
  }

  /// The file with a location that GeoClue 2.7 and later read.
  enum StaticFile: Equatable {
    case absent
    case valid
    /// GeoClue's user cannot read it.
    case unreadable
    case invalid
  }
}

extension BusQuestions {
  private static let polkit: BusName = "org.freedesktop.PolicyKit1"

  /// Asks polkit, which the bus starts if necessary, whether this connection may have the exact location.
  func policyAnswer() throws(DBusError) -> DoctorFacts.PolicyAnswer? {
    let subject: Value = .structure([
      .string("system-bus-name"), .options([("name", .string(connection.uniqueName.rawValue))]),
    ])
    do throws(DBusError) {
      let answer = try ask(
        "CheckAuthorization", of: "org.freedesktop.PolicyKit1.Authority", at: "/org/freedesktop/PolicyKit1/Authority",
        on: Self.polkit,
        [
          subject, .string("org.geopublicist.location1.access-precise"), .dictionary(key: .string, value: .string, []),
          .uint32(0), .string(""),
        ])
      let fields = answer.first?.structure ?? []
      guard fields.count == 3, let isAuthorized = fields[0].boolean, let isChallenge = fields[1].boolean else {
        return nil
      }
      return isAuthorized ? .yes : isChallenge ? .asks : .no
    } catch  where error.message.hasPart("not registered") {
      return .unknownAction
    }
  }

  /// Returns whether systemd knows the control group of this program; nil if systemd cannot be asked.
  func isOwnUnitKnown() -> Bool? {
    do throws(DBusError) {
      _ = try ask(
        "GetUnitByPID", of: "org.freedesktop.systemd1.Manager", at: "/org/freedesktop/systemd1",
        on: "org.freedesktop.systemd1", [.uint32(UInt32(getpid()))])
      return true
    } catch { return error.name.rawValue == "org.freedesktop.systemd1.NoUnitForPID" ? false : nil }
  }

  /// Returns a property of a unit, such as `LoadState` or `ActiveState`; empty if systemd cannot be asked.
  func state(of unit: String, _ property: String) -> String {
    let systemd: BusName = "org.freedesktop.systemd1"
    let found = try? ask(
      "LoadUnit", of: "org.freedesktop.systemd1.Manager", at: "/org/freedesktop/systemd1", on: systemd, [.string(unit)])
    guard let path = found?.first?.objectPath else { return "" }
    let value = try? self.property(property, of: "org.freedesktop.systemd1.Unit", at: path, on: systemd)
    return value?.string ?? ""
  }

  /// Returns the outcome of a failed call to a service, corrected by systemd's state of its unit, because the bus does
  /// not distinguish a service that is not started from one that does not answer.
  func outcome(of error: DBusError, after presence: DoctorFacts.Service?, unit: String) -> DoctorFacts.Service {
    let outcome = Self.outcome(of: error, after: presence)
    switch outcome {
    case .silent, .failed: return stop(of: unit, after: outcome, isRunning: presence == .running)
    default: return outcome
    }
  }

  /// Returns whether a service runs or can be started and, if neither, whether it is installed.
  func presence(of service: BusName, unit: String) -> DoctorFacts.Service {
    let found = presence(of: service)
    return found == .missing && state(of: unit, "LoadState") == "loaded" ? .stopped(.unknownToBus) : found
  }

  private func stop(of unit: String, after outcome: DoctorFacts.Service, isRunning: Bool) -> DoctorFacts.Service {
    let systemd: BusName = "org.freedesktop.systemd1"
    let found = try? ask(
      "LoadUnit", of: "org.freedesktop.systemd1.Manager", at: "/org/freedesktop/systemd1", on: systemd, [.string(unit)])
    guard let path = found?.first?.objectPath else { return outcome }
    // An empty name means all interfaces of the unit.
    let answer = try? ask("GetAll", of: .properties, at: path, on: systemd, [.string("")])
    let properties = answer?.first?.properties ?? [:]
    let result = properties["Result"]?.string ?? ""
    switch (properties["ActiveState"]?.string, properties["SubState"]?.string) {
    case ("failed", _) where result == "start-limit-hit": return .stopped(.limit)
    // The bus reports nothing better if its own timeout passes first.
    case ("failed", _), ("activating", "auto-restart"): return outcome == .silent ? .failed(message: result) : outcome
    case ("activating", _): return .stopped(.waiting)
    case ("inactive", _) where properties["Job"]?.structure?.first?.uint32 ?? 0 != 0: return .stopped(.waiting)
    // systemd forgets the results of the conditions with the unit.
    case ("inactive", _) where !isRunning && properties["Conditions"]?.array?.isEmpty == false:
      return .stopped(.condition)
    default: return outcome
    }
  }

  /// Returns what prevents GeoClue from finding Wi-Fi networks.
  func wiFi() -> DoctorFacts.WiFi {
    let hasAdapter = TextFile.names(in: "/sys/class/net").contains { TextFile.exists("/sys/class/net/\($0)/phy80211") }
    guard hasAdapter else { return .noAdapter }
    for name in TextFile.names(in: "/sys/class/rfkill") {
      func word(_ file: String) -> String {
        ((try? TextFile.contents(of: "/sys/class/rfkill/\(name)/\(file)")) ?? "").filter { !$0.isWhitespace }
      }
      guard word("type") == "wlan" else { continue }
      if word("hard") == "1" || word("soft") == "1" { return .blocked(isByDevice: word("hard") == "1") }
    }
    guard presence(of: "fi.w1.wpa_supplicant1") != .running else { return .ready }
    if presence(of: "net.connman.iwd") == .running { return .iwd }
    return .unmanaged(isMasked: state(of: "wpa_supplicant.service", "LoadState") == "masked")
  }

  /// Returns whether there is a modem, but no ModemManager through which GeoClue could use it.
  func isModemUnmanaged() -> Bool {
    guard TextFile.names(in: "/sys/class/wwan").contains(where: { _ in true }) else { return false }
    return presence(of: "org.freedesktop.ModemManager1") != .running
      && ["masked", "not-found"].contains(state(of: "ModemManager.service", "LoadState"))
  }

  /// Returns whether GeoClue hangs while it starts. GeoClue 2.8 with GLib 2.90 can hang if GIO uses libproxy.
  func isGeoClueStuckInProxy() -> Bool {
    let folders = TextFile.names(in: "/usr/lib").map { "/usr/lib/\($0)" } + ["/usr/lib", "/usr/lib64"]
    return folders.contains { TextFile.exists("\($0)/gio/modules/libgiolibproxy.so") }
      && state(of: "geoclue.service", "ActiveState") == "activating"
  }
}

nonisolated extension DoctorFacts.Service {
  /// Whether the service can be called.
  var isReachable: Bool { self != .missing && self != .stopped(.unknownToBus) }
}

nonisolated extension DoctorFacts.StaticFile {
  static let path = "/etc/geolocation"

  /// Examines the file as GeoClue would: four numbers on lines, which `#` comments may follow. A file that only
  /// GeoClue's user can read is correct.
  init(_ path: String, geoclueUser: UInt32?) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      self = .absent
      return
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      self = .invalid
      return
    }
    guard TextFile.isReadable(path, by: geoclueUser) else {
      self = .unreadable
      return
    }
    guard let text = try? TextFile.contents(of: path) else {
      self = .valid
      return
    }
    let lines = text.split(whereSeparator: \.isNewline).map { $0.prefix { $0 != "#" }.filter { !$0.isWhitespace } }
    let numbers = lines.filter { !$0.isEmpty }.map { Double($0) }
    let isValid =
      numbers.count >= 4 && numbers.allSatisfy { $0?.isFinite == true } && abs(numbers[0] ?? 91) <= 90
      && abs(numbers[1] ?? 181) <= 180
    self = isValid ? .valid : .invalid
  }

  /// The user as which distributions run GeoClue; nil if there is none.
  static var geoclueUser: UInt32? { getpwnam("geoclue")?.pointee.pw_uid }
}

extension FactGatherer {
  /// Returns a mistake in the service's configuration; nil if there is none or the program is not installed.
  static func serviceConfigurationError() -> String? {
    guard let program = ReplayCommand.serviceProgram else { return nil }
    if let error = Program.run([program, "--check"]) { return error }
    // The service runs as another user, who may not be able to read what root can.
    guard getuid() == 0, let user = getpwnam("geopublicist")?.pointee.pw_uid else { return nil }
    return (SettingsFiles.existing + [SettingsFiles.dropIns].filter(TextFile.exists))
      .first { !TextFile.isReadable($0, by: user) }.map { "\($0): Permission denied" }
  }

  /// The service programs that packages and `make install` install.
  static var servicePrograms: [String] {
    ["/usr/libexec/geopublicistd", "/usr/local/libexec/geopublicistd"].filter(TextFile.exists)
  }

  static var isBusPolicyMissing: Bool {
    // Without this file, other folders are in use, as on NixOS.
    TextFile.exists("/usr/share/dbus-1/system-services/org.geopublicist.Location1.service")
      && !["/usr/share", "/usr/local/share", "/etc"].contains {
        TextFile.exists("\($0)/dbus-1/system.d/org.geopublicist.Location1.conf")
      }
  }

  static var isInContainer: Bool {
    ["/.dockerenv", "/run/.containerenv", "/run/host/container-manager"].contains(where: TextFile.exists)
  }

  /// The first full file system; nil if all have room.
  static var fullFolder: String? {
    ["/run", "/tmp", "/var"].first { folder in
      var status = statvfs()
      return statvfs(folder, &status) == 0
        && (status.f_blocks > 0 && status.f_bavail == 0 || status.f_files > 0 && status.f_favail == 0)
    }
  }
}

nonisolated extension TextFile {
  /// Returns whether a user can read a file, as owner, by the user's own group or as another; true if the user is
  /// unknown.
  static func isReadable(_ path: String, by user: UInt32?) -> Bool {
    var status = stat()
    guard let user, stat(path, &status) == 0 else { return user == nil }
    if status.st_uid == user { return status.st_mode & S_IRUSR != 0 }
    let isOwnGroup = getpwuid(user)?.pointee.pw_gid == status.st_gid
    return status.st_mode & (isOwnGroup ? S_IRGRP : S_IROTH) != 0
  }
}
