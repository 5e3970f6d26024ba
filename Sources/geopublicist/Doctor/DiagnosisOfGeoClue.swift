// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// Findings about GeoClue, its configuration and its sources.
nonisolated extension Diagnosis {
  static func geoclue(_ facts: DoctorFacts) -> Diagnosis? {
    guard let geoclue = facts.geoclue else { return nil }
    if facts.isGeoClueStuckInProxy {
      return problem(
        "geoclue", "stuck",
        tr("GeoClue hangs during start-up; GeoClue 2.8 can do this with GLib 2.90 if libproxy is installed"),
        "sudo systemctl edit geoclue: [Service] Environment=GIO_USE_PROXY_RESOLVER=dummy; "
          + "sudo systemctl restart geoclue")
    }
    switch geoclue {
    case .missing:
      return problem("geoclue", "missing", tr("GeoClue is not installed"), tr("Install the package geoclue-2.0"))
    case .failed(let message) where facts.isGeoClueUserMissing && !message.hasPart("masked"):
      return problem(
        "geoclue", "no-user", tr("GeoClue does not start, and its user does not exist: \(message)"),
        tr("sudo systemd-sysusers; if that does not create the user geoclue: reinstall GeoClue"))
    case .failed(let message):
      if let found = withoutRoom(facts, "geoclue", message) { return found }
      // Both message buses pass on systemd's message, which contains "masked" for a masked unit.
      return problem(
        "geoclue", "failed", tr("GeoClue does not start: \(message)"),
        message.hasPart("masked") ? "sudo systemctl unmask geoclue" : "systemctl status geoclue; journalctl -u geoclue")
    case .silent:
      return problem(
        "geoclue", "silent", tr("GeoClue is running, but does not answer"),
        "sudo systemctl restart geoclue; journalctl -u geoclue")
    case .refused(let message):
      let finding = tr("The policy of the system bus does not allow this user to call GeoClue: \(message)")
      // On the system bus the service calls GeoClue, and the service's state shows whether it is allowed to.
      guard
        facts.isSession || facts.service != .running || facts.stateReason == SourceReason.disallowedByPolicy.rawValue
      else { return hint("policy", "geoclue", tr("\(finding). The service calls GeoClue as another user")) }
      if let remedy = securityModule(message) { return problem("policy", "security-module", finding, remedy) }
      return problem(
        "policy", "geoclue", finding,
        tr(
          "Unless an administrator restricts GeoClue in /etc/dbus-1/system.d: reinstall GeoClue; then "
            + "sudo systemctl reload dbus"))
    case .stopped(let stop): return stopped("geoclue", "GeoClue", stop, unit: "geoclue")
    case .running, .activatable: break
    }
    if !facts.isSession, facts.stateReason == SourceReason.disallowedByPolicy.rawValue {
      return problem(
        "policy", "service-geoclue", tr("The policy of the system bus does not allow the service to call GeoClue"),
        tr("Correct it in /etc/dbus-1/system.d, or reinstall GeoClue; then sudo systemctl reload dbus"))
    }
    if facts.probe == .tooOld {
      return problem(
        "geoclue", "outdated", tr("GeoClue is too old: the service needs 2.5.2 or later"),
        tr("Install a newer GeoClue; then sudo systemctl restart geoclue"))
    }
    return good("geoclue", tr("GeoClue is available"))
  }

  /// Nil unless coordinates have been received: silence proves nothing.
  static func privacy(_ facts: DoctorFacts) -> Diagnosis? {
    guard facts.areCoordinatesBroadcast else { return nil }
    return hint(
      "privacy", "broadcast",
      tr(
        "GeoClue broadcasts coordinates to every user of this computer, because a program sets a threshold in GeoClue"),
      tr(
        "Install GeoClue 2.8.1 or later; until then, quit programs that set DistanceThreshold or TimeThreshold in GeoClue"
      )
    )
  }

  static func configuration(_ facts: DoctorFacts) -> Diagnosis? {
    let group = tr("[org.geopublicist.Location1] in /etc/geoclue/geoclue.conf or /etc/geoclue/conf.d")
    let restart = "sudo systemctl restart geoclue"
    if let file = facts.configuration?.secretFile {
      return hint(
        "configuration", "secret",
        tr("This user cannot read \(file), but GeoClue can; its settings are not checked"),
        "sudo geopublicist doctor")
    }
    if let error = facts.configuration?.error {
      return problem(
        "configuration", "unreadable", tr("GeoClue's configuration cannot be read: \(error)"),
        tr("Correct that file; \(restart)"))
    }
    if facts.configuration?.isServiceAllowed == false {
      return problem(
        "configuration", "forbids", tr("GeoClue's configuration does not allow the service to receive locations"),
        tr("Set allowed=true under \(group); \(restart)"))
    }
    if facts.configuration == nil, facts.stateReason == SourceReason.disallowedByConfiguration.rawValue {
      return problem(
        "configuration", "missing",
        tr("GeoClue's configuration is missing; without it, GeoClue accepts neither agents nor the service"),
        "sudo apt install --reinstall -o Dpkg::Options::=--force-confmiss geoclue-2.0; \(restart)")
    }
    // GeoClue sees only the user of the service, not the users of its clients.
    if let users = facts.configuration?.serviceUsers, !users.isEmpty, let user = facts.serviceUserID,
      !users.contains("\(user)")
    {
      return problem(
        "configuration", "users",
        tr("GeoClue's configuration allows the service, but not for the user that the service runs as"),
        tr("Add \(user) to 'users', or leave 'users' empty, under \(group); \(restart)"))
    }
    if facts.isRefused(for: .disallowedByConfiguration) {
      return problem(
        "configuration", "forbids", tr("GeoClue's configuration does not allow this user to receive locations"),
        tr("Check 'allowed' and 'users' under \(group); \(restart)"))
    }
    if facts.configuration != nil, facts.linePermittingAgent == nil,
      facts.stateReason == SourceReason.disallowedByConfiguration.rawValue
    {
      return problem(
        "configuration", "refused",
        tr(
          "GeoClue refuses the service, although this configuration allows it: "
            + "GeoClue uses a different configuration, or the bus forbids the call"),
        "\(restart); journalctl -b -u dbus -g Rejected")
    }
    return facts.configuration.map { _ in good("configuration", tr("GeoClue's configuration allows the service")) }
  }

  static func sources(_ facts: DoctorFacts) -> Diagnosis? {
    guard let number = facts.availableAccuracy else { return nil }
    let level = AccuracyLevel(rounding: number)
    if facts.wiFi == .iwd, facts.configuration?.isWiFiEnabled != false, level < .street {
      let finding = tr("GeoClue finds no Wi-Fi networks: it needs wpa_supplicant, but iwd is running instead")
      let remedy = tr("Use wpa_supplicant instead of iwd, or connect a GPS receiver")
      return number == 0 ? problem("sources", "iwd", finding, remedy) : hint("sources", "iwd", finding, remedy)
    }
    guard number == 0 else {
      return good("sources", tr("GeoClue's sources reach level \(level.contractName)"))
    }
    return missingReceiver(facts) ?? missingNetworks(facts)
  }

  /// A receiver that exists, but that GeoClue does not use.
  private static func missingReceiver(_ facts: DoctorFacts) -> Diagnosis? {
    if let socket = facts.configuration?.missingSocket {
      return problem(
        "sources", "no-socket", tr("GeoClue is configured to read a receiver at \(socket), which does not exist"),
        tr(
          "Start the program that creates it, or correct nmea-socket under [network-nmea] in /etc/geoclue/geoclue.conf; "
            + "sudo systemctl restart geoclue"))
    }
    guard facts.isModemUnmanaged else { return nil }
    return problem(
      "sources", "no-modem-manager",
      tr("There is a modem, but GeoClue cannot use it, because ModemManager is not running"),
      tr("Install ModemManager, or: sudo systemctl unmask ModemManager; sudo systemctl start ModemManager"))
  }

  private static func missingNetworks(_ facts: DoctorFacts) -> Diagnosis {
    let receiver =
      facts.isAvahiMissing
      ? tr("Connect a GPS receiver (one in the network needs avahi: sudo systemctl start avahi-daemon)")
      : tr("Connect a GPS receiver")
    guard facts.configuration?.isWiFiEnabled != false else {
      return problem(
        "sources", "none", tr("GeoClue has no source of locations; its configuration turns Wi-Fi off"),
        tr("\(receiver), or set enable=true under [wifi] in /etc/geoclue/geoclue.conf; sudo systemctl restart geoclue"))
    }
    switch facts.wiFi {
    case .ready, .iwd:
      return problem(
        "sources", "none", tr("GeoClue has no source of locations"),
        tr(
          "\(receiver), or turn Wi-Fi on (nmcli radio wifi on) and set enable=true under [wifi] in "
            + "/etc/geoclue/geoclue.conf"))
    case .unmanaged(let isMasked):
      return problem(
        "sources", "no-supplicant",
        tr("GeoClue finds no Wi-Fi networks: wpa_supplicant, which it needs, is not running"),
        isMasked
          ? "sudo systemctl unmask wpa_supplicant; sudo systemctl start wpa_supplicant"
          : "sudo systemctl start wpa_supplicant NetworkManager")
    case .blocked(let isByDevice):
      return problem(
        "sources", "blocked", tr("GeoClue has no source of locations, and Wi-Fi is turned off"),
        isByDevice
          ? tr("Turn Wi-Fi on with this computer's switch or key; rfkill list shows its state")
          : "rfkill unblock wlan; nmcli radio wifi on")
    case .noAdapter:
      return problem(
        "sources", "no-adapter", tr("GeoClue has no source of locations, and this computer has no Wi-Fi adapter"),
        tr("\(receiver) or a Wi-Fi adapter, or write the location into \(DoctorFacts.StaticFile.path), see geoclue(5)"))
    }
  }

  /// The file with a location of a computer that does not move; nil if there is none, or nothing is wrong with it.
  static func staticFile(_ facts: DoctorFacts) -> Diagnosis? {
    let path = DoctorFacts.StaticFile.path
    switch facts.staticFile {
    case .valid where facts.configuration?.isStaticEnabled == false && facts.availableAccuracy == 0:
      return problem(
        "static", "disabled", tr("GeoClue's configuration turns \(path) off"),
        tr("Set enable=true under [static-source] in /etc/geoclue/geoclue.conf; sudo systemctl restart geoclue"))
    case .absent, .valid: return nil
    case .unreadable:
      return problem(
        "static", "unreadable", tr("GeoClue's user cannot read \(path)"),
        "sudo chown geoclue \(path); sudo chmod 600 \(path); sudo systemctl restart geoclue")
    case .invalid:
      return problem(
        "static", "invalid",
        tr("\(path) is not a location file: it must have one line each for latitude, longitude, altitude and accuracy"),
        tr("Correct it, see geoclue(5); sudo systemctl restart geoclue"))
    }
  }

  static func server(_ facts: DoctorFacts) -> Diagnosis? {
    let url = facts.configuration?.serverURL ?? GeoClueSettings.defaultServer
    let remedy =
      tr(
        "Set url=\(GeoClueSettings.defaultServer) under [wifi] in /etc/geoclue/geoclue.conf; sudo systemctl restart geoclue"
      )
    // Compared part by part: searching a string would link the engine for regular expressions.
    if url.split(separator: "/").contains(where: { $0 == "location.services.mozilla.com" }) {
      return problem(
        "server", "closed", tr("GeoClue uses Mozilla's location server, which was shut down in 2024"), remedy)
    }
    if facts.configuration?.isWiFiEnabled != false, ServerCheck.hostAndPort(of: url) == nil {
      return problem(
        "server", "no-url", tr("The location server of GeoClue's configuration is not a URL: \(url)"), remedy)
    }
    switch facts.server {
    case .reachable?: return good("server", tr("The location server can be reached"))
    case .unknownHost?:
      return problem(
        "server", "unknown-host", tr("The host name of the location server has no address: \(url)"),
        url == GeoClueSettings.defaultServer
          ? tr("Connect to the network: nmcli networking on")
          : tr("Connect to the network: nmcli networking on. Or: \(remedy)"))
    case .unreachable(let message)?:
      return problem(
        "server", "unreachable", tr("The location server cannot be reached: \(message): \(url)"),
        url == GeoClueSettings.defaultServer
          ? tr("Check the network, its firewall and its proxy: curl -I \(url)") : remedy)
    case nil: return nil
    }
  }
}
