// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation
import GeopublicistPublishingTestSupport
import Testing

/// Stand-ins for the tutorials' types from CoreLocation.
struct Position: Equatable {
  var latitude: Double
  var longitude: Double
  /// In metres on a plane, which suffices for a test.
  func distance(from other: Position) -> Double {
    hypot(latitude - other.latitude, longitude - other.longitude) * 111_000
  }
}

enum Status: Equatable {
  case notDetermined, authorizedWhenInUse, authorizedAlways, restricted, denied
}

enum LocationError: String, Error {
  case restricted, denied, unknown
}

/// A delegate that publishes a status. The stream fails when no more locations can be expected.
final class LocationDelegate {
  let statusPublisher = PassthroughSubject<Status, LocationError>()
  let locationPublisher = PassthroughSubject<Position?, Never>()

  func didChange(_ status: Status) {
    switch status {
    case .restricted: statusPublisher.send(completion: .failure(.restricted))
    case .denied: statusPublisher.send(completion: .failure(.denied))
    case .notDetermined, .authorizedWhenInUse, .authorizedAlways: statusPublisher.send(status)
    }
  }

  func didUpdate(_ positions: [Position]) {
    guard let last = positions.last else { return }
    locationPublisher.send(last)
  }
}

final class LocationViewModel<Clock: Scheduler>: ObservableObject
where Clock.SchedulerTimeType.Stride: ExpressibleByFloatLiteral {
  @Published private var currentStatus: Status = .notDetermined
  @Published private var currentLocation: Position?
  @Published private(set) var errorText: String?
  @Published var latitude = "-"
  @Published var longitude = "-"
  private var subscriptions = Set<AnyCancellable>()

  var statusText: String { "\(currentStatus)" }

  init(_ delegate: LocationDelegate, clock: Clock) {
    delegate.statusPublisher
      .debounce(for: 0.5, scheduler: clock)
      .removeDuplicates()
      .sink { [weak self] completion in
        if case .failure(let error) = completion {
          self?.errorText = "Location Service terminated with error:\(error.rawValue)"
        }
      } receiveValue: { [weak self] in
        self?.currentStatus = $0
      }
      .store(in: &subscriptions)
    delegate.locationPublisher
      .debounce(for: 0.5, scheduler: clock)
      .removeDuplicates(by: lessThanOneMeter)
      .sink { [weak self] in self?.currentLocation = $0 }
      .store(in: &subscriptions)
    $currentLocation.map { $0.map { String(format: "%0.4f", $0.latitude) } ?? "-" }.assign(to: &$latitude)
    $currentLocation.map { $0.map { String(format: "%0.4f", $0.longitude) } ?? "-" }.assign(to: &$longitude)
  }
}

/// A free function, because as a method it would make the subscription retain the view model.
private func lessThanOneMeter(_ old: Position?, _ new: Position?) -> Bool {
  switch (old, new) {
  case (nil, nil): true
  case (let old?, let new?): old.distance(from: new) < 1
  default: false
  }
}

@Suite("examples: location") struct LocationExamplesTests {
  let scheduler = TestScheduler()

  @Test func `a view model shows locations`() {
    let delegate = LocationDelegate()
    let model = LocationViewModel(delegate, clock: scheduler)
    var changes = 0
    let subscription = model.objectWillChange.sink { _ in changes += 1 }
    #expect([model.latitude, model.longitude, model.statusText] == ["-", "-", "notDetermined"])
    delegate.didChange(.authorizedWhenInUse)
    delegate.didUpdate([])
    delegate.didUpdate([Position(latitude: 1, longitude: 1), Position(latitude: 52.51631, longitude: 13.37777)])
    scheduler.advance(by: 0.4)
    #expect(model.latitude == "-")
    scheduler.advance(by: 0.1)
    #expect([model.latitude, model.longitude] == ["52.5163", "13.3778"])
    #expect(model.statusText == "authorizedWhenInUse")
    #expect(changes == 4)
    delegate.didUpdate([Position(latitude: 52.516312, longitude: 13.37777)])
    scheduler.advance(by: 1)
    #expect(changes == 4)
    delegate.didChange(.denied)
    scheduler.advance(by: 1)
    #expect(model.errorText == "Location Service terminated with error:denied")
    delegate.didChange(.authorizedAlways)
    scheduler.advance(by: 1)
    #expect(model.statusText == "authorizedWhenInUse")
    subscription.cancel()
  }

  @Test func `a view model is not kept alive by its subscription`() {
    let delegate = LocationDelegate()
    weak var weakModel: LocationViewModel<TestScheduler>?
    do {
      let model = LocationViewModel(delegate, clock: scheduler)
      weakModel = model
      delegate.didUpdate([Position(latitude: 1, longitude: 1)])
    }
    #expect(weakModel == nil)
  }
}
