// SPDX-License-Identifier: Apache-2.0
/// Derives the desktop id that an agent uses towards GeoClue from the systemd unit of its process.
///
/// Agents declare their id to GeoClue alone, and GeoClue does not verify it. The desktops' own agents run in units with
/// well-known names, so an agent that the administrator left out of GeoClue's whitelist is recognised by its unit. Any
/// other program can claim any id to GeoClue, so it is treated as one that GeoClue accepts.
nonisolated enum AgentIdentity {
  /// Returns the id of the agent in a control group, or nil if its unit is not known.
  static func id(of group: ControlGroup?) -> String? {
    group?.elements.lazy.compactMap { element in units.first { element.hasPrefix($0.prefix) }?.id }.first
  }

  /// Prefixes of unit names. systemd escapes `-` as `\x2d` in units generated from autostart files.
  private static let units: [(prefix: String, id: String)] = [
    ("org.gnome.Shell@", "gnome-shell"), ("org.gnome.Shell-", "gnome-shell"), ("gnome-shell-", "gnome-shell"),
    ("app-geoclue\\x2ddemo\\x2dagent", "geoclue-demo-agent"), ("geopublicist-agent", "geoclue-demo-agent"),
    ("app-io.elementary.desktop.agent\\x2dgeoclue2", "io.elementary.desktop.agent-geoclue2"),
    ("io.elementary.desktop.agent-geoclue2", "io.elementary.desktop.agent-geoclue2"),
    ("phosh", "sm.puri.Phosh"), ("mobi.phosh.Shell", "sm.puri.Phosh"), ("sm.puri.Phosh", "sm.puri.Phosh"),
    ("lipstick", "lipstick"),
  ]
}
