// SPDX-License-Identifier: Apache-2.0
import Publicist

/// The model of a window: published properties that are updated by the publicist's publishers.
final class LocationViewModel: ObservableObject {
  @Published private(set) var status = ""
  @Published private(set) var place = ""
  @Published private(set) var isDone = false

  private var cancellables: Set<AnyCancellable> = []

  init(_ publicist: LocationPublicist, metres: Double, count: Int) {
    publicist.decisions()
      .sink { [weak self] in self?.status = $0 }
      .store(in: &cancellables)
    publicist.places(metres: metres, count: count)
      .sink(
        receiveCompletion: { [weak self] _ in self?.isDone = true },
        receiveValue: { [weak self] in self?.place = $0 }
      )
      .store(in: &cancellables)
  }
}

extension LocationPublicist {
  /// The authorization status as text, once it is decided.
  func decisions() -> some Publisher<String, Never> {
    authorizationPublisher().filter { $0 != .notDetermined }.map(\.rawValue)
  }

  /// The locations as text: only those at least `metres` from the one before, at most `count` of them.
  func places(metres: Double, count: Int) -> some Publisher<String, Never> {
    var last: Location?
    return locationPublisher()
      .compactMap(\.last)
      .filter { location in
        if let shown = last, shown.distance(to: location) < metres { return false }
        last = location
        return true
      }
      .prefix(count)
      .map { "\(Degrees.text($0.latitude)) \(Degrees.text($0.longitude))" }
  }
}

/// Formats four decimal places without Foundation.
enum Degrees {
  static func text(_ degrees: Double) -> String {
    let steps = Int((abs(degrees) * 10_000).rounded())
    let fraction = String(String(10_000 + steps % 10_000).dropFirst())
    return "\(degrees < 0 ? "-" : "")\(steps / 10_000).\(fraction)"
  }
}
