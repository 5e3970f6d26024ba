// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation

struct Place: Equatable {
  var latitude: Double
  var longitude: Double

  /// Metres on a plane: enough for an example.
  func distance(from other: Place) -> Double {
    (latitude - other.latitude, longitude - other.longitude) == (0, 0)
      ? 0 : hypot(latitude - other.latitude, longitude - other.longitude) * 111_000
  }
}

enum PlaceError: String, Error {
  case restricted
  case denied
}

/// The events that a location manager's delegate would send.
final class PlaceService {
  let placePublisher = PassthroughSubject<Place?, Never>()
  let statusPublisher = PassthroughSubject<String, PlaceError>()
}

final class PlaceViewModel: ObservableObject {
  @Published private var status = "notDetermined"
  @Published private var place: Place?
  @Published private(set) var message = ""
  private var cancellables = Set<AnyCancellable>()

  var text: String {
    place.map { String(format: "%0.4f %0.4f", $0.latitude, $0.longitude) } ?? "- -"
  }
  var statusText: String { status }

  init(_ service: PlaceService) {
    service.statusPublisher
      .debounce(for: 0.05, scheduler: RunLoop.main)
      .removeDuplicates()
      .sink { [weak self] completion in
        if case .failure(let error) = completion { self?.message = "stopped: \(error.rawValue)" }
      } receiveValue: { [weak self] in
        self?.status = $0
      }
      .store(in: &cancellables)
    service.placePublisher
      .debounce(for: 0.05, scheduler: RunLoop.main)
      .removeDuplicates(by: isSamePlace)
      // Holds the view model until it is cancelled, as on Apple's systems.
      .assign(to: \.place, on: self)
      .store(in: &cancellables)
  }

  func stop() { cancellables = [] }
}

private func isSamePlace(_ old: Place?, _ new: Place?) -> Bool {
  guard let old, let new else { return old == nil && new == nil }
  return old.distance(from: new) < 1
}

extension Programs {
  static func showLocations() {
    let service = PlaceService()
    let model = PlaceViewModel(service)
    var changes = 0
    let subscription = model.objectWillChange.sink { changes += 1 }
    print("place: \(model.text), \(model.statusText)")
    service.statusPublisher.send("authorized")
    service.placePublisher.send(Place(latitude: 1, longitude: 1))
    service.placePublisher.send(Place(latitude: 52.51631, longitude: 13.37777))
    serve { changes >= 2 }
    print("place: \(model.text), \(model.statusText), \(changes) changes")
    service.statusPublisher.send(completion: .failure(.denied))
    serve { !model.message.isEmpty }
    print(model.message)
    model.stop()
    subscription.cancel()
  }
}
