// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// GeoClue's bus name and its manager object.
///
/// All calls go to the unique name of the current owner. They therefore never start GeoClue by accident, and replies
/// and clients of different GeoClue processes are never confused.
final class GeoClueService {
  private(set) var owner: BusName?
  private let connection: Connection
  private let report: (GeoClueReport) -> Void
  private var name: NameWatch?
  private var changes: SignalMatch?
  private var activation: PendingCall?
  private var reading: PendingCall?

  /// Watches the name. `report` receives the new owner first, then the reports from that owner.
  init(on connection: Connection, _ report: @escaping (GeoClueReport) -> Void) {
    self.connection = connection
    self.report = report
    changes = connection.onSignal(
      MatchRule(
        sender: GeoClueNames.service, path: GeoClueNames.managerPath, interface: .properties,
        member: .propertiesChanged)
    ) { [weak self] signal in self?.changed(signal) }
    name = NameWatch(GeoClueNames.service, on: connection) { [weak self] owner in
      guard let self else { return }
      self.owner = owner
      reading = nil
      self.report(.event(owner == nil ? .serviceVanished : .serviceAppeared))
    }
  }

  /// Asks the bus to start GeoClue.
  func activate() {
    let message = Message(callingBus: "StartServiceByName", [.string(GeoClueNames.service.rawValue), .uint32(0)])
    activation = connection.call(message) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success: report(.event(.activated))
      case .failure(let failure):
        report(.event(.activationFailed(notInstalled: GeoClueReply.isNotInstalled(failure))))
        // GeoClue may be running without being activatable, or may have appeared only after the call.
        guard owner == nil else { return }
        report(.failure(LocationError(.unavailable, "GeoClue could not be started; trying again")))
      }
    }
  }

  /// Requests a client. GeoClue leaves the call pending until the user has an agent. The call has no timeout, because
  /// GeoClue would still create a client for an abandoned one.
  func createClient() {
    guard let owner else { return }
    let message = call("CreateClient", of: GeoClueNames.manager, on: owner)
    connection.call(message, timeout: .never, expecting: "o") { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let values):
        guard let client = values.first?.objectPath else { return }
        if owner == self.owner {
          report(.event(.created(client: client.rawValue)))
        } else {
          deleteClient(client, of: owner)
        }
      case .failure(let failure):
        guard owner == self.owner else { return }
        report(.event(.creationFailed(GeoClueReply.failure(failure))))
        if let failure = GeoClueReport.failure(failure) { report(failure) }
      }
    }.keep()
  }

  /// Deletes a client without waiting for the reply.
  func deleteClient(_ client: ObjectPath, of owner: BusName) {
    let message = call("DeleteClient", of: GeoClueNames.manager, [.objectPath(client)], on: owner)
    message.wantsReply = false
    connection.send(message)
  }

  /// Reads the available accuracy, which is also a sign of life.
  func readAvailableAccuracy() {
    guard let owner else { return }
    let message = call(
      "Get", of: .properties, [.string(GeoClueNames.manager.rawValue), .string("AvailableAccuracyLevel")], on: owner)
    reading = connection.call(message, timeout: .milliseconds(120_000), expecting: .variant) { [weak self] result in
      guard let self, owner == self.owner else { return }
      switch result {
      case .success(let values):
        report(.event(.available(values.first?.unwrapped.uint32.map(AccuracyLevel.init(rounding:)))))
      // An error is a sign of life, too.
      case .failure(.refused): report(.event(.available(nil)))
      case .failure(.lost), .failure(.notSent): break
      }
    }
  }

  private func changed(_ signal: Signal) {
    guard signal.sender == owner,
      let level = GeoClueReply.changes(in: signal, of: GeoClueNames.manager)?["AvailableAccuracyLevel"]?.uint32
    else { return }
    report(.event(.available(AccuracyLevel(rounding: level))))
  }

  private func call(
    _ member: MemberName, of interface: InterfaceName, _ arguments: [Value] = [], on owner: BusName
  ) -> Message {
    Message(calling: member, of: interface, at: GeoClueNames.managerPath, on: owner, arguments)
  }
}
