// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import Publicist

/// Follows the location and a region through the delegate of a location manager.
final class ManagerProgram: LibraryProgram, LocationManagerDelegate {
  private var manager: LocationManager?
  private var (isUpdating, isMonitoring) = (false, false)
  private var updatesSince: Int64 = 0
  /// What the delegate was told last.
  private var told: Authorization?
  private var lastLocation: Location?
  /// The last location that the updates delivered, or nil if it may have answered a request.
  private var lastUpdate: Location?
  private var lastLocationAt: Int64 = .min / 2
  private var sourceStatus = SourceStatus()
  private var accuracySetAt: Int64 = .min / 2
  private var filterSetAt: Int64 = .min / 2
  /// Until when the answer to the program's request may arrive, and must have arrived unless something has failed.
  private var requestedUntil: Int64 = .min / 2
  private var deadline: Int64?
  /// Whether that request wants only a town, and has replaced one for an exact location.
  private var isReplaced = false
  private var region: CircularRegion?
  /// The last known state of the region.
  private var known = RegionState.unknown
  /// The state that the next call of the delegate must explain.
  private var crossed: RegionState?

  init(_ world: World, user: UInt32) { super.init(world, user: user, "manager") }

  override func turn() {
    switch task {
    case .exit: exit()
    case .follow:
      setAccuracy(.exact)
      manager?.distanceFilter = 0
      update(true)
    case .act: act()
    }
    guard let manager else { return }
    // A location that was requested does not show that others may be known.
    let followsSince = max(updatesSince, world.servingSince ?? .max)
    let isFollowing = isUpdating && world.schedule.now - followsSince > 20_000_000 && told != nil && hasRoom
    if isFollowing, !manager.authorization.isAuthorized, manager.location != nil {
      broken("a manager without access has no location", "\(manager.authorization)")
    }
    if manager.authorization != told ?? .undecided {
      broken("a manager tells its delegate each authorization", "\(manager.authorization), not \(told as Any)")
    }
    if manager.sourceStatus != sourceStatus {
      broken("a manager tells its delegate each state of the source", "\(manager.sourceStatus)")
    }
    if isUndisturbed, let deadline, world.schedule.now > deadline {
      broken("a manager answers each request", "")
    }
  }

  private func act() {
    switch chance.number(in: 0...300) {
    case 0: exit()
    case 1...3: update(false)
    case 4...9: update(true)
    case 10...12: monitor(chance.percent(50))
    case 13...16: chance.percent(50) ? request() : replaceRequest()
    case 17...19: setAccuracy(chance.pick([.exact, .city]))
    case 20...22:
      let filter = chance.pick([0, 100]) as Double
      if let manager, manager.distanceFilter != filter {
        (manager.distanceFilter, filterSetAt) = (filter, world.schedule.now)
      }
    case 23...25: watchRegion(region == nil)
    case 26...27: begin().requestAuthorization()
    default: break
    }
  }

  private func begin() -> LocationManager {
    if let manager { return manager }
    let new = LocationManager(source: ServiceSource(on: .address(address)))
    new.delegate = self
    manager = new
    return new
  }

  private func exit() {
    (manager, isUpdating, isMonitoring, requestedUntil, deadline) = (nil, false, false, .min / 2, nil)
    (told, lastLocation) = (nil, nil)
    (region, known, crossed, sourceStatus) = (nil, .unknown, nil, SourceStatus())
  }

  private func update(_ isWanted: Bool) {
    guard isWanted != isUpdating else { return }
    (isUpdating, updatesSince) = (isWanted, world.schedule.now)
    if isWanted {
      begin().startUpdatingLocation()
    } else {
      manager?.stopUpdatingLocation()
      (requestedUntil, deadline) = (.min / 2, nil)
    }
  }

  private func monitor(_ isWanted: Bool) {
    isMonitoring = isWanted
    if isWanted {
      begin().startMonitoringSignificantLocationChanges()
    } else {
      manager?.stopMonitoringSignificantLocationChanges()
    }
  }

  private func setAccuracy(_ new: AccuracyLevel) {
    guard let manager, new != manager.desiredAccuracy else { return }
    manager.desiredAccuracy = new
    accuracySetAt = world.schedule.now
  }

  private func request() {
    // After the timeout, the library waits 10 s for the service's own answer.
    requestedUntil = world.schedule.now + ClientOptions().timeout.microseconds + 11_000_000
    (deadline, isReplaced) = (requestedUntil, false)
    begin().requestLocation()
  }

  /// Requests an exact location, and a moment later only that of the town.
  private func replaceRequest() {
    setAccuracy(.exact)
    request()
    world.schedule.after(chance.time(1_000...300_000)) { [weak self] in
      guard let self, deadline != nil else { return }
      setAccuracy(.city)
      request()
      isReplaced = true
    }
  }

  private func watchRegion(_ isWanted: Bool) {
    if let region { manager?.stopMonitoring(for: region) }
    (region, known, crossed) = (nil, .unknown, nil)
    let centre = world.place(isOther: chance.percent(50))
    guard isWanted,
      let new = CircularRegion(latitude: centre, longitude: world.home.longitude(east: 700), radius: 1_000)
    else { return }
    region = new
    begin().startMonitoring(for: new)
  }

  override func didSend(_ parcel: Parcel) {
    super.didSend(parcel)
    // Another bus assigns the same names.
    if isConnected, parcel.member == "RequestAuthorization", !parcel.isInteractive {
      broken("a manager that requests authorization permits a dialog", parcel.story)
    }
  }

  // MARK: - The delegate

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    world.tell("the manager delivers \(locations.count) locations")
    guard let location = locations.last, manager.location == location else {
      return broken("a manager has the location that it delivers", "\(locations)")
    }
    if !isUpdating, !isMonitoring, isUndisturbed, world.schedule.now > requestedUntil {
      broken("a manager delivers only what is wanted", "\(location)")
    }
    if isReplaced, deadline != nil, !isUpdating, !isMonitoring, manager.desiredAccuracy == .city,
      location.accuracy ?? 0 < Checks.cells[.city] ?? 0
    {
      broken("a request that was replaced is not answered", "\(location)")
    }
    // After a stall of the bus, the change may be refused because of the calls of all programs, and is then repeated.
    let changed = max(accuracySetAt, min(world.stalled.upperBound, world.schedule.now) + world.burstTime)
    let isCoarse = manager.desiredAccuracy == .city && world.schedule.now - changed > 20_000_000
    if isCoarse, isUndisturbed, location.accuracy ?? 0 < Checks.cells[.city] ?? 0 {
      broken("a manager delivers no finer locations than it wants", "\(location)")
    }
    let isFiltered = isUpdating && !isMonitoring && deadline == nil && manager.distanceFilter == 100
    // After each of these, the first location is not filtered.
    let since = max(
      entitlement.since, world.servingSince ?? .max, updatesSince, accuracySetAt, world.wokeAt, world.clockSetAt)
    if isFiltered, let lastUpdate, since < lastLocationAt, !world.isBusFaulty,
      world.schedule.now - max(filterSetAt, connectedAt) > 20_000_000, location.distance(to: lastUpdate) < 99,
      location.accuracy ?? .infinity > (lastUpdate.accuracy ?? .infinity) / 2
    {
      broken("a manager's filter holds locations back", "\(location) after \(lastUpdate)")
    }
    lastUpdate = deadline == nil && !isMonitoring ? location : nil
    if let lastLocation, lastLocation.sequence > location.sequence {
      broken("a manager numbers its locations", "\(location.sequence) after \(lastLocation.sequence)")
    }
    (lastLocation, lastLocationAt, requestedUntil, deadline) = (location, world.schedule.now, .min / 2, nil)
  }

  func locationManager(_ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus) {
    world.tell("the manager tells \(manager.authorization)")
    if status != manager.authorizationStatus || manager.authorization == told ?? .undecided {
      broken("a manager tells its delegate each authorization once", "\(status), before \(told as Any)")
    }
    told = manager.authorization
    // With access again, the service reports the location again.
    lastUpdate = nil
  }

  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    world.tell("the manager fails: \(error)")
    deadline = nil
  }

  func locationManager(_ manager: LocationManager, didChangeSourceStatus status: SourceStatus) {
    if status == sourceStatus { broken("a manager tells its delegate no state twice", "\(status)") }
    sourceStatus = status
  }

  func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {
    told(.inside, region)
  }

  func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {
    told(.outside, region)
  }

  private func told(_ new: RegionState, _ region: CircularRegion) {
    world.tell("the manager tells of a crossing: \(new)")
    if crossed != new || region != self.region {
      broken("a manager tells its delegate of each crossing once", "\(new), \(crossed as Any)")
    }
    crossed = nil
  }

  func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
  ) {
    world.tell("the manager determines \(state)")
    if region != self.region { broken("a manager reports only regions that it monitors", "\(region)") }
    checkCrossing()
    crossed = ![.unknown, state].contains(known) && state != .unknown ? state : nil
    if state != .unknown { known = state }
  }

  private func checkCrossing() {
    if let crossed { broken("a manager tells its delegate of each crossing once", "not of \(crossed)") }
  }

  override func quiet() {
    guard let manager, isUpdating, isConnected, world.schedule.now - updatesSince > 60_000_000 else {
      return broken("a manager connects again", "to \(address)")
    }
    checkCrossing()
    guard hasRoom else { return }
    let (status, reason) = (manager.authorization.status.rawValue, manager.authorization.reason.rawValue)
    checkTruth(of: (status, reason), "a manager reports the true authorization")
    guard entitlement.since < world.schedule.now - 20_000_000 else { return }
    checkDelivery(since: lastLocationAt, "a manager continues to deliver locations")
  }
}
