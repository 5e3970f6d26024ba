// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation

/// A delegate whose callbacks are publishers: the current status first, then each change.
protocol StatusPublishing {
  func authorizationPublisher() -> AnyPublisher<String, Never>
}

final class StatusPublicist: StatusPublishing {
  private let changes = PassthroughSubject<String, Never>()
  private(set) var status = "denied"

  func authorizationPublisher() -> AnyPublisher<String, Never> {
    Just(status).merge(with: changes.compactMap { $0 }).eraseToAnyPublisher()
  }

  func change(to status: String) {
    self.status = status
    changes.send(status)
  }
}

extension Programs {
  static func showAuthorization() {
    let publicist = StatusPublicist()
    var statuses: [String] = []
    let subscription = publicist.authorizationPublisher().sink { statuses.append($0) }
    // Never fails, and reads the status when it is subscribed to.
    var flags: [Bool] = []
    let driver = Deferred { publicist.authorizationPublisher() }
      .map { $0 == "always" }
      .removeDuplicates()
      .share()
      .sink { flags.append($0) }
    publicist.change(to: "always")
    print("statuses: \(statuses) \(flags)")
    subscription.cancel()
    driver.cancel()
  }
}
