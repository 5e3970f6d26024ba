// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// One of GeoClue's client objects. Releasing it ends its pending calls.
final class GeoClueClient {
  let path: ObjectPath
  let owner: BusName
  private let proxy: Proxy
  private let desktopID: String
  private let report: (GeoClueReport) -> Void
  private var signals: SignalMatch?
  private var isStarted = false
  /// The last announced location.
  private var newest: ObjectPath?
  /// The number of location objects being read. Of those announced meanwhile, or before the client has started, only the
  /// newest is kept: GeoClue first announces what each source has measured for other programs, the finest source first.
  /// The last of these locations is the one that GeoClue prefers, and the others may be much older.
  private var reads = 0
  private var unread: ObjectPath?
  private static let maximumReads = 16

  init(
    _ path: ObjectPath, of owner: BusName, on connection: Connection, as desktopID: String,
    _ report: @escaping (GeoClueReport) -> Void
  ) {
    self.desktopID = desktopID
    self.path = path
    self.owner = owner
    proxy = Proxy(on: connection, destination: owner, path: path, interface: GeoClueNames.client)
    self.report = report
  }

  /// Starts the client. GeoClue then sends locations up to the given level.
  ///
  /// GeoClue's own thresholds stay 0, because releases before 2.8.1 broadcast coordinates with any other value.
  func start(at level: AccuracyLevel) {
    // Subscribe first, because a location may arrive before the reply to `Start`.
    signals = proxy.connection.onSignal(MatchRule(sender: owner, path: path)) { [weak self] in self?.received($0) }
    set("DesktopId", .string(desktopID))
    set("RequestedAccuracyLevel", .uint32(level.rawValue))
    proxy.call("Start", timeout: .milliseconds(120_000)) { [weak self] result in
      switch result {
      case .success:
        self?.report(.event(.started))
        // Location may have been turned off between the start and its reply. Report that first.
        self?.readActive()
        self?.isStarted = true
        self?.readUnread()
      case .failure(let failure): self?.failed(failure)
      }
    }
  }

  private func readActive() {
    proxy.get("Active") { [weak self] result in
      if let isActive = (try? result.get())?.boolean { self?.report(.event(.active(isActive))) }
    }
  }

  private func received(_ signal: Signal) {
    switch (signal.interface, signal.member) {
    case (GeoClueNames.client, "LocationUpdated"):
      guard signal.arguments.count == 2, let place = signal.arguments[1].objectPath, place != .root else { return }
      read(place)
    case (.properties, .propertiesChanged):
      if let isActive = GeoClueReply.changes(in: signal, of: GeoClueNames.client)?["Active"]?.boolean {
        report(.event(.active(isActive)))
      }
    default: break
    }
  }

  /// Reads a location object as soon as the client has started, because an older one exists for only a few seconds.
  ///
  /// The newest one exists until its client is deleted, and a silent source announces no other. If a GeoClue that hangs
  /// does not answer in time, it is therefore read again, with more patience, because unanswered calls are limited.
  private func read(_ place: ObjectPath, timeout: CallTimeout = .milliseconds(5_000)) {
    newest = place
    guard isStarted, reads < Self.maximumReads else {
      unread = place
      return
    }
    reads += 1
    let location = Proxy(on: proxy.connection, destination: owner, path: place, interface: .properties)
    location.call(
      "GetAll", .string(GeoClueNames.location.rawValue), timeout: timeout, expecting: .variantDictionary
    ) { [weak self] result in
      guard let self else { return }
      reads -= 1
      if let properties = (try? result.get())?.first, let fix = GeoClueReply.fix(from: properties) {
        report(.fix(fix))
      } else if place == newest {
        // An older location does not matter, because a newer one is being read.
        if case .failure(.lost) = result { read(place, timeout: .milliseconds(120_000)) }
        report(.failure(LocationError(.locationUnknown, "GeoClue announced a location that could not be read")))
      }
      readUnread()
    }
  }

  private func readUnread() {
    guard let next = unread else { return }
    unread = nil
    read(next)
  }

  private func set(_ name: MemberName, _ value: Value) {
    proxy.set(name, to: value) { [weak self] result in
      // If setting the level failed, the client would run at a different level than requested.
      if case .failure(let failure) = result { self?.failed(failure) }
    }
  }

  private func failed(_ failure: CallFailure) {
    // The event may release this object. The failure may end the need for the source, and with it what the event tells.
    let report = report
    report(.event(.startFailed(GeoClueReply.failure(failure))))
    if let failure = GeoClueReport.failure(failure) { report(failure) }
  }
}
