// SPDX-License-Identifier: Apache-2.0
/// The id by which a desktop's agent makes itself known to GeoClue, as far as the unit of its process tells.
///
/// GeoClue is told the id by the agent itself and checks nothing, and nobody else is told. The desktops' own agents run in
/// units of known names, so one that the administrator has left out of GeoClue's whitelist is recognised there. Any other
/// program of the user may claim any id, to GeoClue as well, and is taken for one that GeoClue accepts.
nonisolated enum AgentIdentity {
  /// The id of the agent in a control group; nil if the unit says nothing about it.
  static func id(of group: ControlGroup?) -> String? {
    group?.elements.lazy.compactMap { element in units.first { element.hasPrefix($0.prefix) }?.id }.first
  }

  /// How the units begin. systemd writes `-` as `\x2d` in the names that it makes from autostart files.
  private static let units: [(prefix: String, id: String)] = [
    ("org.gnome.Shell@", "gnome-shell"), ("org.gnome.Shell-", "gnome-shell"), ("gnome-shell-", "gnome-shell"),
    ("app-geoclue\\x2ddemo\\x2dagent", "geoclue-demo-agent"), ("geopublicist-agent", "geoclue-demo-agent"),
    ("app-io.elementary.desktop.agent\\x2dgeoclue2", "io.elementary.desktop.agent-geoclue2"),
    ("io.elementary.desktop.agent-geoclue2", "io.elementary.desktop.agent-geoclue2"),
    ("phosh", "sm.puri.Phosh"), ("mobi.phosh.Shell", "sm.puri.Phosh"), ("sm.puri.Phosh", "sm.puri.Phosh"),
    ("lipstick", "lipstick"),
  ]
}
