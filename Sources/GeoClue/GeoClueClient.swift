// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// One of GeoClue's client objects. Releasing it ends its pending calls.
final class GeoClueClient {
  let path: ObjectPath
  let owner: BusName
  private let connection: Connection
  private let desktopID: String
  private let report: (GeoClueReport) -> Void
  private var signals: SignalMatch?
  /// The last announced location.
  private var newest: ObjectPath?
  /// The number of location objects being read. Of those announced meanwhile, only the newest is kept.
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
    self.connection = connection
    self.report = report
  }

  /// Starts the client. GeoClue then sends locations up to the given level.
  ///
  /// GeoClue's own thresholds stay 0, because releases before 2.8.1 broadcast coordinates with any other value.
  func start(at level: AccuracyLevel) {
    // Subscribe first, because a location may arrive before the reply to `Start`.
    signals = connection.onSignal(MatchRule(sender: owner, path: path)) { [weak self] signal in self?.received(signal) }
    set("DesktopId", .string(desktopID))
    set("RequestedAccuracyLevel", .uint32(level.rawValue))
    call("Start", of: GeoClueNames.client, at: path, timeout: 120_000) { this, result in
      switch result {
      case .success:
        this.report(.event(.started))
        // Location may have been turned off between the start and its reply. Report that first.
        this.readActive()
      case .failure(let error): this.failed(error)
      }
    }
  }

  /// Reads the current location again without an announcement from GeoClue.
  func readLocation() {
    get("Location") { this, value in
      if let place = value.objectPath, place != .root { this.read(place) }
    }
  }

  private func readActive() {
    get("Active") { this, value in
      if let isActive = value.boolean { this.report(.event(.active(isActive))) }
    }
  }

  private func received(_ signal: Signal) {
    // Any process can send a signal with this path.
    guard signal.sender == owner, signal.path == path else { return }
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

  /// Reads a location object immediately, because it exists for only a few seconds.
  private func read(_ place: ObjectPath) {
    newest = place
    guard reads < Self.maximumReads else {
      unread = place
      return
    }
    reads += 1
    call(
      "GetAll", of: .properties, at: place, [.string(GeoClueNames.location.rawValue)], timeout: 5_000,
      expecting: .variantDictionary
    ) { this, result in
      this.reads -= 1
      if case .success(let values) = result, let properties = values.first, let fix = GeoClueReply.fix(from: properties)
      {
        this.report(.fix(fix))
      } else if place == this.newest {
        // An older location does not matter, because a newer one is being read.
        this.report(.failure(LocationError(.locationUnknown, "GeoClue announced a location that could not be read")))
      }
      if let next = this.unread {
        this.unread = nil
        this.read(next)
      }
    }
  }

  private func set(_ name: String, _ value: Value) {
    call(
      "Set", of: .properties, at: path,
      [.string(GeoClueNames.client.rawValue), .string(name), .variant(value)]
    ) { this, result in
      // If setting the level failed, the client would run at a different level than requested.
      if case .failure(let error) = result { this.failed(error) }
    }
  }

  private func get(_ name: String, _ handler: @escaping (GeoClueClient, Value) -> Void) {
    call(
      "Get", of: .properties, at: path, [.string(GeoClueNames.client.rawValue), .string(name)],
      expecting: .variant
    ) { this, result in
      if case .success(let values) = result, let value = values.first?.unwrapped { handler(this, value) }
    }
  }

  private func failed(_ error: DBusError) {
    // The event may release this object, so report the failure first.
    if let failure = GeoClueReport.failure(error) { report(failure) }
    report(.event(.startFailed(GeoClueReply.failure(error))))
  }

  private func call(
    _ member: MemberName, of interface: InterfaceName, at path: ObjectPath, _ arguments: [Value] = [],
    timeout: Int32 = 25_000, expecting signature: Signature? = nil,
    _ handler: @escaping (GeoClueClient, Result<[Value], DBusError>) -> Void
  ) {
    guard let message = try? Message(calling: member, of: interface, at: path, on: owner, arguments) else { return }
    connection.call(message, timeout: .milliseconds(timeout), expecting: signature) { [weak self] result in
      if let self { handler(self, result) }
    }.keep()
  }
}
