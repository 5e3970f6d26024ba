// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Regions.
extension ServiceSource {
  public func monitor(
    _ configuration: RegionConfiguration, at level: AccuracyLevel, _ handler: @escaping (RegionUpdate) -> Void
  ) -> AnyObject {
    var options = ClientOptions()
    (options.accuracy, options.desktopID) = (level, desktopID)
    options.region = RegionOptions(configuration)
    let region = SourceRegion(options) { [weak self] event in self?.handle(event, handler) }
    regions = regions.filter { $0.region != nil } + [WeakRegion(region: region)]
    if let service = connected() { region.begin(on: service) }
    return region
  }

  public func change(_ region: AnyObject, to level: AccuracyLevel) { (region as? SourceRegion)?.change(to: level) }

  private func handle(_ event: ServiceRegion.Event, _ handler: (RegionUpdate) -> Void) {
    switch event {
    case .update(let change): handler(.event(change.event))
    // A subscription reports the authorization itself.
    case .authorization(let authorization): if options == nil { onEvent?(.authorization(authorization)) }
    case .failure(let error): onEvent?(.failure(LocationError(error)))
    case .failed(let error, let isFinal):
      // A program that handles the failure may begin again.
      if isFinal { handler(.ended) }
      failed(error)
    case .closed: handler(.ended)
    case .resumed: returned()
    case .refused, .interrupted: break
    }
  }

  var areRegionsWanted: Bool { regions.contains { $0.region != nil } }
}

/// A region that a program monitors, with its object at the service while the bus is available. Remembers what it has
/// reported while there is no connection.
final class SourceRegion {
  private var options: ClientOptions
  private let onEvent: (ServiceRegion.Event) -> Void
  private var region: ServiceRegion?

  init(_ options: ClientOptions, _ onEvent: @escaping (ServiceRegion.Event) -> Void) {
    self.options = options
    self.onEvent = onEvent
  }

  func begin(on service: ServiceConnection) {
    if let region {
      region.move(to: service)
    } else {
      region = ServiceRegion(on: service, options, onEvent)
    }
  }

  func change(to level: AccuracyLevel) {
    options.accuracy = level
    region?.change(to: options)
  }

  func disconnected() { region?.disconnected() }
}
