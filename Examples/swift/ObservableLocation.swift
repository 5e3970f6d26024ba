// SPDX-License-Identifier: Apache-2.0
import Observation
import Publicist

/// Like ``LocationViewModel``, but observed with Swift's Observation instead of published properties.
@Observable final class ObservableLocation {
  private(set) var status = ""
  private(set) var place = ""
  private(set) var isDone = false

  @ObservationIgnored private var cancellables: Set<AnyCancellable> = []

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
