// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// GeoClue's name on the bus and its manager object.
///
/// Everything is asked of the connection that owns the name, never of the name: so nothing is started by accident, and
/// no answer or client of one GeoClue is ever taken for another's.
final class GeoClueService {
  private(set) var owner: BusName?
  private let connection: Connection
  private let report: (GeoClueReport) -> Void
  private var name: NameWatch?
  private var changes: SignalMatch?
  private var activation: PendingCall?
  private var reading: PendingCall?

  /// Follows the name; `report` hears of the owner first and then of what that owner says.
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

  /// Has the bus start GeoClue.
  func activate() {
    let message = try? Message(
      callingBus: "StartServiceByName", [.string(GeoClueNames.service.rawValue), .uint32(0)])
    guard let message else { return }
    activation = connection.call(message, timeout: .milliseconds(25_000)) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success: report(.event(.activated))
      case .failure(let error):
        report(.event(.activationFailed(notInstalled: GeoClueReply.isNotInstalled(error))))
        // One that is there already need not be startable; it may have come to be known only after the call was made.
        guard owner == nil else { return }
        report(.failure(LocationError(.unavailable, "GeoClue could not be started; it is called again")))
      }
    }
  }

  /// Asks for a client. GeoClue keeps the call until the user has an agent; it is never given up, because each one
  /// that is abandoned would leave a client behind when it is answered at last.
  func createClient() {
    guard let owner, let message = call("CreateClient", of: GeoClueNames.manager, on: owner) else { return }
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
      case .failure(let error):
        guard owner == self.owner else { return }
        report(.event(.creationFailed(GeoClueReply.failure(error))))
        if let failure = GeoClueReport.failure(error) { report(failure) }
      }
    }.keep()
  }

  /// Gives a client back; nobody waits for the answer.
  func deleteClient(_ client: ObjectPath, of owner: BusName) {
    let message = call("DeleteClient", of: GeoClueNames.manager, [.objectPath(client)], on: owner)
    guard let message else { return }
    message.wantsReply = false
    connection.send(message)
  }

  /// Asks what accuracy there is, which is also a question for a sign of life.
  func readAvailableAccuracy() {
    guard let owner,
      let message = call(
        "Get", of: .properties,
        [.string(GeoClueNames.manager.rawValue), .string("AvailableAccuracyLevel")], on: owner)
    else { return }
    reading = connection.call(message, timeout: .milliseconds(120_000), expecting: .variant) { [weak self] result in
      guard let self, owner == self.owner else { return }
      switch result {
      case .success(let values):
        report(.event(.available(values.first?.unwrapped.uint32.map(AccuracyLevel.init(rounding:)))))
      case .failure(let error):
        // An error is an answer, too; but the bus's own word that none came is not GeoClue's.
        if error.name != .noReply, error.name != .disconnected { report(.event(.available(nil))) }
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
  ) -> Message? {
    try? Message(calling: member, of: interface, at: GeoClueNames.managerPath, on: owner, arguments)
  }
}
