// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport

/// The desktop of this session, whose settings decide about locations.
nonisolated enum Desktop: Equatable {
  case gnome, phosh, elementary
  /// A known desktop that has neither a location agent nor a switch.
  case withoutAgent
  case unknown

  /// Reads the value of `XDG_CURRENT_DESKTOP`, names separated by colons, the most specific first.
  init(_ names: String?) {
    let known = (names ?? "").split(separator: ":").lazy.compactMap { name -> Desktop? in
      switch name {
      case "GNOME", "GNOME-Classic", "ubuntu": .gnome
      case "Phosh": .phosh
      case "Pantheon": .elementary
      case "sway", "Hyprland", "niri", "i3", "river", "labwc", "KDE", "COSMIC", "XFCE", "LXQt", "MATE": .withoutAgent
      default: nil
      }
    }
    self = known.first ?? .unknown
  }

  static var current: Desktop { Desktop(g_getenv("XDG_CURRENT_DESKTOP").map { String(cString: $0) }) }

  private static let arrow = Text.isUnicode ? "→" : ">"
  private static let gnomePage = tr("Settings \(arrow) Privacy & Security \(arrow) Location")

  var turningOn: String { settingLocation(true) }

  /// Where this desktop turns location on or off.
  func settingLocation(_ isOn: Bool) -> String {
    switch self {
    case .gnome, .phosh: tr("\(Self.gnomePage), or gsettings set org.gnome.system.location enabled \(isOn)")
    case .elementary: tr("System Settings \(Self.arrow) Security & Privacy \(Self.arrow) Location Services")
    case .withoutAgent: "geopublicist switch \(isOn ? "on" : "off")"
    case .unknown:
      tr(
        "Turn it \(isOn ? "on" : "off") in the settings of your desktop; if there is no such setting: "
          + "geopublicist switch \(isOn ? "on" : "off")")
    }
  }

  /// How to allow exact locations; GNOME has a key for it, but no page.
  var allowingExact: String {
    switch self {
    case .gnome, .phosh: "gsettings set org.gnome.system.location max-accuracy-level exact"
    case .elementary, .withoutAgent: "geopublicist switch exact"
    case .unknown:
      tr(
        "gsettings set org.gnome.system.location max-accuracy-level exact; if `geopublicist agent` decides: "
          + "geopublicist switch exact")
    }
  }

  var startingAgent: String {
    switch self {
    // GNOME's agent registers at login, and does not try again after GeoClue has refused it.
    case .gnome: tr("Log out and in again, so that GNOME registers its agent")
    case .phosh, .elementary: tr("Log out and in again, so that the desktop registers its agent")
    case .withoutAgent: "geopublicist switch on"
    case .unknown: tr("Log in to a desktop that has a location switch; on any other desktop: geopublicist switch on")
    }
  }
}
