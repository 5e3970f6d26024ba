// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistPublishingTestSupport
import Publicist
import Testing

/// A view model of the location that is updated only by publishers.
final class LocationViewModel: ObservableObject {
  @Published private(set) var status: AuthorizationStatus = .notDetermined
  @Published private var location: Location?
  @Published private(set) var latitude = "-"
  @Published private(set) var longitude = "-"
  private var subscriptions = Set<AnyCancellable>()

  init(_ publicist: LocationPublicist, clock: TestScheduler) {
    publicist.authorizationPublisher()
      .removeDuplicates()
      .assign(to: &$status)
    publicist.locationPublisher()
      .map(\.last)
      .debounce(for: 0.5, scheduler: clock)
      .removeDuplicates(by: isWithinOneMetre)
      .sink { [weak self] in self?.location = $0 }
      .store(in: &subscriptions)
    $location.map { Self.text($0?.latitude) }.assign(to: &$latitude)
    $location.map { Self.text($0?.longitude) }.assign(to: &$longitude)
  }

  private static func text(_ degrees: Double?) -> String { degrees.map { String(format: "%0.4f", $0) } ?? "-" }
}

/// Both unknown are the same place, one unknown is another.
nonisolated private func isWithinOneMetre(_ old: Location?, _ new: Location?) -> Bool {
  switch (old, new) {
  case (nil, nil): true
  case (let old?, let new?): old.distance(to: new) < 1
  default: false
  }
}

@Suite struct ViewModelTests {
  let scene = Scene()
  let clock = TestScheduler()

  @Test func `the view model shows nothing at first`() {
    let model = LocationViewModel(scene.publicist, clock: clock)
    #expect([model.latitude, model.longitude] == ["-", "-"])
    #expect(model.status == .notDetermined)
  }

  @Test func `the view model shows the last of a burst half a second later`() {
    let model = LocationViewModel(scene.publicist, clock: clock)
    for metres in [0.0, 500, 1000] {
      scene.source.move(north: metres)
      clock.advance(by: 0.2)
    }
    clock.advance(by: 0.2)
    #expect(model.latitude == "-")
    clock.advance(by: 0.1)
    #expect([model.latitude, model.longitude] == ["52.5090", "13.2500"])
  }

  @Test func `a move of less than a metre changes nothing`() {
    let model = LocationViewModel(scene.publicist, clock: clock)
    var changes = 0
    let subscription = model.objectWillChange.sink { _ in changes += 1 }
    scene.source.move(north: 0)
    clock.advance(by: 1)
    #expect(changes == 3)
    scene.source.move(north: 0.9)
    clock.advance(by: 1)
    #expect(changes == 3)
    scene.source.move(north: 20)
    clock.advance(by: 1)
    #expect(changes == 6)
    subscription.cancel()
  }

  /// The comparison is with the last location received, so slow movement is never shown.
  @Test func `slow drift is never shown`() {
    let model = LocationViewModel(scene.publicist, clock: clock)
    for step in 0..<100 {
      scene.source.move(north: Double(step) * 0.4)
      clock.advance(by: 1)
    }
    #expect(model.latitude == "52.5000")
  }

  @Test func `the view model shows the status`() {
    let model = LocationViewModel(scene.publicist, clock: clock)
    var texts: [String] = []
    let subscription = model.$status.map(\.rawValue).sink { texts.append($0) }
    scene.source.authorize(.refused(.disabledByUser))
    scene.source.authorize(.authorized(.whenInUse))
    #expect(texts == ["not-determined", "denied", "authorized-when-in-use"])
    #expect(model.status == .authorizedWhenInUse)
    subscription.cancel()
  }

  @Test func `the view model is released with all its subscriptions`() {
    weak var weakModel: LocationViewModel?
    do {
      let model = LocationViewModel(scene.publicist, clock: clock)
      weakModel = model
      scene.source.move(north: 0)
    }
    #expect(weakModel == nil)
    clock.run()
  }
}
