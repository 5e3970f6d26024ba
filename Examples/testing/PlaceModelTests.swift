// SPDX-License-Identifier: Apache-2.0
import PublicistTesting
import Testing

/// Shows where the user is, once the location has been the same for a second.
final class PlaceModel<Clock: Scheduler>: ObservableObject {
  @Published private(set) var place = "unknown"
  private let publicist: LocationPublicist

  init(_ publicist: LocationPublicist, clock: Clock) {
    self.publicist = publicist
    publicist.locationPublisher()
      .compactMap(\.last)
      .map { "\($0.latitude) \($0.longitude)" }
      .debounce(for: .seconds(1), scheduler: clock)
      .assign(to: &$place)
  }
}

extension FakeLocationSource {
  func send(_ latitude: Double, _ longitude: Double) {
    send(.location(Location(latitude: latitude, longitude: longitude)))
  }
}

@Suite struct PlaceModelTests {
  let source = FakeLocationSource()
  let clock = TestScheduler()
  let manager: LocationManager
  let model: PlaceModel<TestScheduler>

  init() {
    manager = LocationManager(source: source)
    model = PlaceModel(LocationPublicist(manager), clock: clock)
    manager.startUpdatingLocation()
  }

  @Test func `the model shows a place one second after the last of several quick updates`() {
    let places = model.$place.record()
    source.send(52.5, 13.25)
    clock.advance(by: 0.9)
    source.send(52.52, 13.4)
    clock.advance(by: 0.9)
    #expect(places.values == ["unknown"])
    clock.advance(by: 0.1)
    #expect(places.values == ["unknown", "52.52 13.4"])
  }

  @Test func `the model waits as long on the main loop`() {
    MainLoop.main.withVirtualTime { time in
      let model = PlaceModel(LocationPublicist(manager), clock: MainLoop.main)
      source.send(52.5, 13.25)
      time.advance(by: .milliseconds(999))
      #expect(model.place == "unknown")
      time.advance(by: .milliseconds(1))
      #expect(model.place == "52.5 13.25")
    }
  }
}
