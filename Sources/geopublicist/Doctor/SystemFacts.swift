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

  /// Returns whether iwd manages Wi-Fi, which GeoClue cannot ask: it reads networks from wpa_supplicant.
  func isWiFiManagedByIwd() -> Bool {
    presence(of: "net.connman.iwd") == .running && presence(of: "fi.w1.wpa_supplicant1") != .running
  }
}

nonisolated extension DoctorFacts.StaticFile {
  static let path = "/etc/geolocation"

  /// Examines the file as GeoClue would: four numbers on lines, which `#` comments may follow. A file that only GeoClue's
  /// user can read is as it must be.
  init(_ path: String, geoclueUser: UInt32?) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      self = .absent
      return
    }
    let isReadable = status.st_uid == geoclueUser ? status.st_mode & S_IRUSR != 0 : status.st_mode & S_IROTH != 0
    guard isReadable || geoclueUser == nil else {
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

  /// The user of GeoClue, as distributions call it; nil if there is none.
  static var geoclueUser: UInt32? { getpwnam("geoclue")?.pointee.pw_uid }
}

extension FactGatherer {
  /// Returns a mistake in the service's configuration; nil if there is none or the program is not installed.
  static func serviceConfigurationError() -> String? {
    guard let program = ReplayCommand.serviceProgram else { return nil }
    return Program.run([program, "--check"])
  }
}
