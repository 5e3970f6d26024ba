// SPDX-License-Identifier: Apache-2.0
import Publicist

/// What a window would show: published properties, fed by the publicist's publishers.
final class LocationViewModel: ObservableObject {
  @Published private(set) var status = ""
  @Published private(set) var place = ""
  @Published private(set) var isDone = false

  private var cancellables: Set<AnyCancellable> = []

  /// Follows the location: only what lies `metres` from the place shown last, and no more than `count` of those.
  init(_ publicist: LocationPublicist, metres: Double, count: Int) {
    var last: Location?
    publicist.authorizationPublisher()
      .filter { $0 != .notDetermined }
      .sink { [weak self] status in self?.status = status.rawValue }
      .store(in: &cancellables)
    publicist.locationPublisher()
      .compactMap(\.last)
      .filter { location in
        if let shown = last, shown.distance(to: location) < metres { return false }
        last = location
        return true
      }
      .prefix(count)
      .sink(
        receiveCompletion: { [weak self] _ in self?.isDone = true },
        receiveValue: { [weak self] location in self?.show(location) }
      )
      .store(in: &cancellables)
  }

  private func show(_ location: Location) {
    place = "\(Degrees.text(location.latitude)) \(Degrees.text(location.longitude))"
  }
}

/// Four digits after the point without Foundation.
enum Degrees {
  static func text(_ degrees: Double) -> String {
    let steps = Int((abs(degrees) * 10_000).rounded())
    let fraction = String(String(10_000 + steps % 10_000).dropFirst())
    return "\(degrees < 0 ? "-" : "")\(steps / 10_000).\(fraction)"
  }
}
