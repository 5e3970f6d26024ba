// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

struct GeoClueRulesTests {
  private let folder = TemporaryDirectory()

  private func write(_ text: String, to name: String = "geoclue.conf") throws {
    let path = folder.file(name)
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    // Writes a new file each time, as editors and package managers do.
    try FileManager.default.createDirectory(atPath: folder.file("new"), withIntermediateDirectories: true)
    let new = folder.freshFile("conf")
    try text.write(toFile: new, atomically: false, encoding: .utf8)
    guard rename(new, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  private var configuration: GeoClueRules { GeoClueRules(file: folder.file("geoclue.conf")) }

  @Test func `without a configuration file, no rule forbids a program`() {
    #expect(configuration.rule(for: "firefox", user: 1000) == .silent)
    #expect(configuration.rule(for: "", user: 1000) == .silent)
  }

  @Test func `a program without permission in GeoClue's configuration is refused`() throws {
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
      [blank]
      allowed=true \t
      system=false
      users=1000;\t1001
      [short]
      allowed=false
      """)
    let configuration = configuration
    for (name, user, rule) in [
      ("good", 1000, .silent), ("bad", 1000, .disallowed), ("bad", 0, .disallowed), ("some", 1000, .silent),
      ("some", 1001, .silent), ("some", 1002, .disallowed), ("one", 1000, .silent), ("one", 0, .disallowed),
      ("neither", 1000, .disallowed), ("garbled", 1000, .disallowed), ("nobody", 1000, .disallowed),
      ("blank", 1001, .silent), ("blank", 1002, .disallowed), ("short", 1000, .disallowed), ("unknown", 1000, .silent),
      ("", 1000, .silent), ("agent", 1000, .silent),
    ] as [(String, UInt32, Facts.Rule)] {
      #expect(configuration.rule(for: name, user: user) == rule, "\(name) for \(user)")
    }
  }

  @Test func `each key in a later file overrides the same key in an earlier one`() throws {
    try write("[app]\nallowed=true\nsystem=false\nusers=1000\n")
    try write("[app]\nallowed=false\n", to: "conf.d/10.conf")
    #expect(configuration.rule(for: "app", user: 1000) == .disallowed)
    try write("[app]\nallowed=true\n", to: "conf.d/20.conf")
    #expect(configuration.rule(for: "app", user: 1000) == .silent)
    #expect(configuration.rule(for: "app", user: 1001) == .disallowed, "the users of the first file remain in force")
    try write("[app]\nallowed=false\n", to: "conf.d/30.ignored")
    #expect(configuration.rule(for: "app", user: 1000) == .silent)
  }

  @Test func `a rule of GeoClue that forbids the service applies to all of its clients`() throws {
    try write("[org.geopublicist.Location1]\nallowed=true\nsystem=false\nusers=998\n")
    #expect(configuration.rule(for: "app", user: 1000, through: 998) == .silent)
    #expect(configuration.rule(for: "app", user: 998, through: 1000) == .disallowed)
    try write("[app]\nallowed=false\nsystem=false\nusers=\n", to: "conf.d/10.conf")
    #expect(configuration.rule(for: "app", user: 1000, through: 998) == .disallowed)
  }

  @Test func `a changed configuration is read by the next check`() throws {
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

  /// Regression: no rules were in force until the file was valid again.
  @Test func `a file that cannot be parsed does not change the rules`() throws {
    try write("[agent]\nwhitelist=gnome-shell\n[app]\nallowed=false\n")
    try write("[other]\nallowed=false\n", to: "conf.d/1.conf")
    let configuration = configuration
    try write("[app\nallowed=true\n")
    #expect(!configuration.reloadIfChanged())
    for name in ["app", "other"] { #expect(configuration.rule(for: name, user: 1) == .disallowed) }
    #expect(!configuration.acceptsAgent("geoclue-demo-agent"))
    try write("[app]\nallowed=true\n")
    #expect(configuration.reloadIfChanged())
    #expect(configuration.rule(for: "app", user: 1) == .silent)
    #expect(configuration.rule(for: "other", user: 1) == .disallowed)
  }

  @Test func `a changed file is read without a call`() throws {
    let configuration = configuration
    var changes: [Bool] = []
    configuration.onChange = { changes.append($0) }
    try write("[app]\nallowed=false\n")
    try turning("the new file is read") { configuration.rule(for: "app", user: 1) == .disallowed }
    try write("[agent]\nwhitelist=gnome-shell\n", to: "conf.d/1.conf")
    try turning("the new folder is read") { !configuration.acceptsAgent("geoclue-demo-agent") }
    try write("[app]\nallowed=false\n", to: "conf.d/2.conf")
    try write("[agent]\nwhitelist=geoclue-demo-agent\n", to: "conf.d/1.conf")
    try turning("the file in it is read again") { configuration.acceptsAgent("geoclue-demo-agent") }
    #expect(changes == [false, true, true])
    try FileManager.default.removeItem(atPath: folder.file("geoclue.conf"))
    try FileManager.default.removeItem(atPath: folder.file("conf.d"))
    try turning("nothing is left") { configuration.rule(for: "app", user: 1) == .silent }
  }

  @Test func `only agents in the whitelist are accepted`() throws {
    #expect(configuration.acceptsAgent("anything") && configuration.acceptsAgent(nil), "there is no file")
    try write("[agent]\nwhitelist=geoclue-demo-agent;gnome-shell;\n")
    #expect(configuration.acceptsAgent("gnome-shell") && configuration.acceptsAgent(nil))
    #expect(!configuration.acceptsAgent("lipstick"))
    try write("[agent]\nwhitelist=\n")
    #expect(!configuration.acceptsAgent("gnome-shell") && !configuration.acceptsAgent(nil))
    try write("[agent]\nwhitelist=lipstick\n", to: "conf.d/1.conf")
    #expect(configuration.acceptsAgent("lipstick"), "a later file replaces the list")
  }

  @Test func `the packaged configuration of GeoClue forbids no program`() {
    let packaged = GeoClueRules()
    for name in ["firefox", "epiphany", "gnome-datetime-panel", "org.geopublicist.Location1"] {
      #expect(packaged.rule(for: name, user: 1000) == .silent)
    }
  }
}
