import GeopublicistCGLib
import GeopublicistProcessSupport

/// GeoClue's rules for applications: `geoclue.conf` and, beside it, `conf.d/*.conf`.
///
/// GeoClue asks for the keys `allowed`, `system` and `users` in each group and ignores one that lacks any; here each
/// key counts by itself, since a rule can only forbid. Later files win key by key, as in GeoClue from 2.7 on. The files
/// are read again when they have changed; GeoClue reads them at its start only.
final class GeoClueConfiguration {
  /// What is said of one desktop-id.
  nonisolated struct Rule: Equatable, Sendable {
    var isAllowed = true
    /// The users for whom it is meant; empty is all.
    var users: [UInt32] = []
  }

  static let defaultFile = "/etc/geoclue/geoclue.conf"

  private let file: String
  private var rules: [String: Rule] = [:]
  private var stamps: [FileStamp] = []

  /// `file` is the main one; the drop-ins are in `conf.d` in the same folder.
  init(file: String = GeoClueConfiguration.defaultFile) {
    self.file = file
    _ = reloadIfChanged()
  }

  /// What the rules say of a program that calls itself so, for a user.
  func rule(for desktopID: String, user: UInt32) -> Facts.Rule {
    guard let rule = rules[desktopID], !Self.otherGroups.contains(desktopID) else { return .silent }
    return rule.isAllowed && (rule.users.isEmpty || rule.users.contains(user)) ? .silent : .disallowed
  }

  /// Reads the files if they are not those that were read last; returns whether the rules are others now.
  func reloadIfChanged() -> Bool {
    let files = [file] + dropIns()
    let stamps = files.map(FileStamp.init(path:))
    guard stamps != self.stamps else { return false }
    self.stamps = stamps
    let before = rules
    rules = [:]
    for path in files { read(path) }
    return rules != before
  }

  /// Groups that are about GeoClue itself.
  private static let otherGroups: Set<String> = [
    "agent", "network-nmea", "3g", "cdma", "modem-gps", "wifi", "compass", "static-source", "ip",
  ]

  private func read(_ path: String) {
    guard let file = try? KeyFile(path: path) else {
      if g_file_test(path, G_FILE_TEST_EXISTS) != 0 { Log.warning("GeoClue's configuration \(path) cannot be read") }
      return
    }
    for group in file.groups {
      var rule = rules[group] ?? Rule()
      // Whatever is not plainly yes forbids.
      if let text = file.text("allowed", of: group) { rule.isAllowed = text == "true" || text == "1" }
      if let text = file.text("users", of: group) {
        let words = text.split(whereSeparator: { ";, ".contains($0) })
        // A user that cannot be read is nobody: the rule is then for the others, or for nobody at all.
        rule.users = words.isEmpty ? [] : words.map { UInt32($0) ?? .max }
      }
      rules[group] = rule
    }
  }

  private func dropIns() -> [String] {
    guard let slash = file.lastIndex(of: "/") else { return [] }
    let folder = file[..<slash] + "/conf.d"
    guard let handle = g_dir_open(String(folder), 0, nil) else { return [] }
    defer { g_dir_close(handle) }
    var names: [String] = []
    while let name = g_dir_read_name(handle) { names.append(String(cString: name)) }
    return names.filter { $0.hasSuffix(".conf") }.sorted().map { "\(folder)/\($0)" }
  }
}
