import Foundation
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

/// GeoClue's rules for applications, read from files.
struct GeoClueConfigurationTests {
  private let folder = TemporaryDirectory()

  private func write(_ text: String, to name: String = "geoclue.conf") throws {
    let path = folder.file(name)
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    // A new file each time, as editors and packages do it.
    try FileManager.default.createDirectory(atPath: folder.file("new"), withIntermediateDirectories: true)
    let new = folder.freshFile("conf")
    try text.write(toFile: new, atomically: false, encoding: .utf8)
    guard rename(new, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  private var configuration: GeoClueConfiguration { GeoClueConfiguration(file: folder.file("geoclue.conf")) }

  @Test func withoutAFileThereIsNoRule() {
    #expect(configuration.rule(for: "firefox", user: 1000) == .silent)
    #expect(configuration.rule(for: "", user: 1000) == .silent)
  }

  @Test func rulesForbid() throws {
    try write(
      """
      [agent]
      whitelist=gnome-shell;
      allowed=false
      [good]
      allowed=true
      system=true
      users=
      [bad]
      allowed=false
      system=false
      users=
      [some]
      allowed=true
      system=false
      users=1000;1001;
      [one]
      allowed=true
      system=false
      users=1000
      [neither]
      allowed=false
      system=false
      users=1000
      [garbled]
      allowed=perhaps
      system=false
      users=
      [nobody]
      allowed=true
      system=false
      users=-1
      [short]
      allowed=false
      """)
    let configuration = configuration
    for (name, user, rule) in [
      ("good", 1000, .silent), ("bad", 1000, .disallowed), ("bad", 0, .disallowed), ("some", 1000, .silent),
      ("some", 1001, .silent), ("some", 1002, .disallowed), ("one", 1000, .silent), ("one", 0, .disallowed),
      ("neither", 1000, .disallowed), ("garbled", 1000, .disallowed), ("nobody", 1000, .disallowed),
      ("short", 1000, .disallowed), ("unknown", 1000, .silent), ("", 1000, .silent), ("agent", 1000, .silent),
    ] as [(String, UInt32, Facts.Rule)] {
      #expect(configuration.rule(for: name, user: user) == rule, "\(name) for \(user)")
    }
  }

  @Test func laterFilesWinKeyByKey() throws {
    try write("[app]\nallowed=true\nsystem=false\nusers=1000\n")
    try write("[app]\nallowed=false\n", to: "conf.d/10.conf")
    #expect(configuration.rule(for: "app", user: 1000) == .disallowed)
    try write("[app]\nallowed=true\n", to: "conf.d/20.conf")
    #expect(configuration.rule(for: "app", user: 1000) == .silent)
    #expect(configuration.rule(for: "app", user: 1001) == .disallowed, "the users of the first file still hold")
    try write("[app]\nallowed=false\n", to: "conf.d/30.ignored")
    #expect(configuration.rule(for: "app", user: 1000) == .silent)
  }

  @Test func aChangeIsNoticed() throws {
    let configuration = configuration
    #expect(!configuration.reloadIfChanged())
    try write("[app]\nallowed=false\nsystem=false\nusers=\n")
    #expect(configuration.reloadIfChanged())
    #expect(configuration.rule(for: "app", user: 1) == .disallowed)
    #expect(!configuration.reloadIfChanged())
    try write("[app]\nallowed=true\nsystem=false\nusers=\n")
    #expect(configuration.reloadIfChanged())
    #expect(configuration.rule(for: "app", user: 1) == .silent)
    try write("[app]\nallowed=false\n", to: "conf.d/1.conf")
    #expect(configuration.reloadIfChanged())
    #expect(configuration.rule(for: "app", user: 1) == .disallowed)
    try FileManager.default.removeItem(atPath: folder.file("conf.d/1.conf"))
    #expect(configuration.reloadIfChanged())
    #expect(configuration.rule(for: "app", user: 1) == .silent)
  }

  @Test func thePackagedFileForbidsNothing() {
    let packaged = GeoClueConfiguration()
    for name in ["firefox", "epiphany", "gnome-datetime-panel", "org.geopublicist.Location1"] {
      #expect(packaged.rule(for: name, user: 1000) == .silent)
    }
  }
}
