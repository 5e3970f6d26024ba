// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// Regions, modelled on `CLLocationManager`.
extension LocationManager {
  /// The regions that are being monitored for the delegate.
  public var monitoredRegions: Set<CircularRegion> { Set(monitored.keys) }

  /// Reports to the delegate when the device enters and leaves a region. A second call does nothing. The source is used
  /// only while the border may be near. A region that the service cannot monitor leaves ``monitoredRegions``, and the
  /// delegate receives the failure.
  ///
  /// Times and other settings are the defaults; ``LocationPublicist/regionPublisher(for:)-(RegionConfiguration)``
  /// takes others.
  public func startMonitoring(for region: CircularRegion) {
    guard monitored[region] == nil else { return }
    // A service that cannot monitor it ends it.
    let end = { [weak self] in _ = self?.monitored.removeValue(forKey: region) }
    monitored[region] = RegionMonitor(RegionConfiguration(region), with: self, onEnd: end) { [weak self] event in
      self?.tell(event, of: region)
    }
  }

  /// Ends the monitoring of a region.
  public func stopMonitoring(for region: CircularRegion) { monitored.removeValue(forKey: region)?.end() }

  private func tell(_ event: RegionEvent, of region: CircularRegion) {
    if event.kind != .dwelled { delegate?.locationManager(self, didDetermineState: event.state, for: region) }
    switch event.kind {
    case .entered: delegate?.locationManager(self, didEnterRegion: region)
    case .exited: delegate?.locationManager(self, didExitRegion: region)
    case .determined, .dwelled, .lost: break
    }
  }
}

/// Called by the monitors.
extension LocationManager {
  /// The level at which regions are evaluated; nil while there is no access.
  var evaluatedLevel: AccuracyLevel? {
    authorization.isAuthorized ? authorization.revealedLevel(asked: desiredAccuracy) : nil
  }

  func add(_ monitor: RegionMonitor) { monitors[ObjectIdentifier(monitor)] = monitor }

  func remove(_ monitor: RegionMonitor) {
    monitors[ObjectIdentifier(monitor)] = nil
    needChanged(of: monitor)
  }

  func tellMonitors(_ location: Location) {
    for monitor in monitors.values { monitor.take(.location(location)) }
  }

  func tellMonitors(_ event: RegionMachine.Event) {
    for monitor in monitors.values { monitor.take(event) }
  }
}
