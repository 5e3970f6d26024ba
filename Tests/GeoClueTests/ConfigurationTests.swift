// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@testable import GeoClue

/// GeoClue's own groups in its configuration. `GeoClueRulesTests` covers the groups of applications.
@Suite struct ConfigurationTests {
  private let folder = TemporaryDirectory()

  private func configuration(_ texts: String...) throws -> GeoClueConfiguration {
    var configuration = GeoClueConfiguration()
    for text in texts {
      let file = folder.freshFile("geoclue.conf")
      try text.write(toFile: file, atomically: false, encoding: .utf8)
      configuration.merge(try GeoClueConfiguration(file: file))
    }
    return configuration
  }

  /// If the value is missing, GeoClue 2.8 uses Wi-Fi and earlier versions do not, so it is not guessed.
  @Test(arguments: ["", "[agent]\nwhitelist=gnome-shell\n", "[wifi]\n", "[wifi]\nurl=https://[::1]/\n"])
  func `a missing section or key leaves the Wi-Fi setting unknown`(text: String) throws {
    #expect(try configuration(text).isWiFiEnabled == nil)
  }

  @Test(arguments: [
    ("true", true), ("1", true), ("false", false), ("0", false), ("perhaps", false), ("", false), ("1\t", true),
    ("true x", false),
  ])
  func `the key enable of the section wifi is read`(text: String, isEnabled: Bool) throws {
    #expect(try configuration("[wifi]\nenable=\(text)\n").isWiFiEnabled == isEnabled)
  }

  @Test func `a later file without the key enable does not change the value`() throws {
    #expect(try configuration("[wifi]\nenable=false\n", "[wifi]\nurl=https://[::1]/\n").isWiFiEnabled == false)
    #expect(try configuration("[wifi]\nenable=false\n", "[wifi]\nenable=true\n").isWiFiEnabled == true)
    #expect(try configuration("[wifi]\nenable=true\n", "[ip]\nenable=false\n").isWiFiEnabled == true)
  }

  /// The section is new in 2.8. Its server and its switch are not those of Wi-Fi.
  @Test func `the section ip changes neither the rules of programs nor the Wi-Fi settings`() throws {
    let configuration = try configuration(
      """
      [ip]
      enable=false
      method=ichnaea
      url=https://[::1]/ip
      accuracy=25000
      allowed=false
      [app]
      allowed=false
      """)
    #expect(Set(configuration.rules.keys) == ["app"])
    #expect(configuration.isWiFiEnabled == nil && configuration.wiFiURL == nil && configuration.agents == nil)
  }

  @Test func `the URL of the location server is read only from the section wifi`() throws {
    let text = "[wifi]\nurl=https://[::1]/wifi\n[ip]\nurl=https://[::1]/ip\n"
    #expect(try configuration(text).wiFiURL == "https://[::1]/wifi")
    #expect(try configuration("[wifi]\nurl=\n").wiFiURL == nil)
  }
}
