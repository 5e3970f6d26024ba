// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop
import Publicist

/// The common part of clients' objects and calls: feeds events to a state machine and executes its actions.
class ClientShell<Machine: ClientMachine>: MachineShell {
  let client: Client
  /// The service outlives the objects of its clients.
  unowned let service: LocationService
  final var host: MachineHost<Machine>
  private(set) final var isOver = false
  /// The level that the machine requires, and the resulting need for the source.
  private var neededLevel: AccuracyLevel?
  private var need: SourceSchedule.Need?
  /// The decision that was last logged.
  private var noted: Authorization?

  init(_ machine: Machine, of client: Client, in service: LocationService) {
    host = MachineHost(machine)
    self.client = client
    self.service = service
  }

  final var machine: Machine { host.machine }

  /// Sends the machine its timer event.
  func passTimer() { sendTimer() }
  /// Returns what the object needs from the source.
  func need(at level: AccuracyLevel) -> SourceSchedule.Need { SourceSchedule.Need(level) }
  func finish(_ reason: ClosedReason?) {}

  /// Adds the location with which a call may be answered immediately. Called when the client's access has been noted.
  func addCached(to access: inout ClientAccess) {}

  /// Queries the gatekeeper again, because something may have changed.
  func refresh() {
    var access = service.gatekeeper.access(
      for: client, asking: machine.options.accuracy, as: machine.options.desktopID)
    if access.authorization != noted {
      noted = access.authorization
      let (new, user) = (access.authorization, client.credentials.map { "\($0.userID)" } ?? "unknown")
      let asked = machine.options.accuracy.contractName
      Log.debug(
        "Decision for \(client.name.rawValue), user \(user), level \(asked): "
          + "\(new.status.rawValue) \(new.reason.rawValue), granted \(new.level.contractName)")
    }
    client.note(access.authorization, at: now)
    service.lastPlaces?.note(access.authorization, of: client, service.gatekeeper.account(of: client))
    addCached(to: &access)
    handle(.access(access))
  }

  /// Queries the gatekeeper again, for everything of the client if that is due.
  final func review() { if client.isToBeReviewed { service.reviewNow(client) } else { refresh() } }

  /// Does the same if the machine may not have learned of the latest changes yet, such as that deliveries are held.
  final func reviewIfDue() { if client.isToBeReviewed || isBeingChecked { review() } }

  /// Whether facts about the client are being confirmed.
  final var isBeingChecked: Bool { service.gatekeeper.hold(on: client) != nil }

  /// Ends the object, and reports the reason, if any, to its owner.
  final func end(_ reason: ClosedReason?) { handle(.close(reason)) }

  final func timeHasCome() {
    reviewIfDue()
    passTimer()
  }

  final var now: BootInstant { MainLoop.main.clock.boottime() }

  func perform(_ action: Machine.Action) {}

  final func require(_ level: AccuracyLevel?) {
    neededLevel = level
    updateNeed()
  }

  /// Remembers a location that the client has received. logind may have answered since the client's account was found.
  final func remember(_ location: Location) {
    guard location.level <= .city, let places = service.lastPlaces else { return }
    places.received(location, by: client, of: service.gatekeeper.account(of: client))
  }

  final func audit(_ authorization: Authorization) {
    AuditLog.note(
      authorization, for: client, asking: machine.options.accuracy, as: machine.options.desktopID,
      chargedTo: service.gatekeeper.account(of: client))
  }

  final func isEnded(_ reason: ClosedReason?) {
    isOver = true
    finish(reason)
  }

  final func updateNeed() {
    let new = neededLevel.map { need(at: $0) }
    guard new != need else { return }
    need = new
    service.source.set(new, for: ObjectIdentifier(self))
  }
}
