// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistPublishingTestSupport
import GeopublicistTestSupport
import MainLoop
import Publicist
import Testing

extension Publisher where Output == AuthorizationStatus, Failure == Never {
  /// A publisher for views: never fails, sends a new subscriber the last value, and delivers on the main loop only.
  func authorizedDriver() -> AnyPublisher<Bool, Never> {
    map(\.isAuthorized)
      .removeDuplicates()
      .receive(on: MainLoop.main)
      .map(Optional.init)
      .multicast(subject: CurrentValueSubject<Bool?, Never>(nil))
      .autoconnect()
      .compactMap { $0 }
      .eraseToAnyPublisher()
  }
}

@Suite struct DriverTests {
  let scene = Scene()

  @Test func `a driver delivers values in a later turn of the loop`() throws {
    let driver = scene.publicist.authorizationPublisher().authorizedDriver()
    let recorder = driver.record()
    scene.source.authorize(.authorized(.whenInUse))
    #expect(recorder.values == [])
    try turning("two values") { recorder.values.count >= 2 }
    #expect(recorder.values == [false, true])
    recorder.cancel()
  }

  @Test func `all subscribers of a driver share one subscription, and a new one receives the last value`() throws {
    var subscriptions = 0
    let driver = scene.publicist.authorizationPublisher()
      .handleEvents(receiveSubscription: { _ in subscriptions += 1 })
      .authorizedDriver()
    let first = driver.record()
    scene.source.authorize(.authorized(.always))
    try turning("two values") { first.values.count >= 2 }
    let second = driver.record()
    #expect(second.values == [true])
    scene.source.authorize(.refused(.disabledByUser))
    try turning("both have received it") { first.values.count >= 3 && second.values.count >= 2 }
    #expect(first.values == [false, true, false])
    #expect(second.values == [true, false])
    #expect(subscriptions == 1)
    first.cancel()
    second.cancel()
  }

  @Test func `a value that is already scheduled is not delivered after cancel`() throws {
    let recorder = scene.publicist.locationPublisher().receive(on: MainLoop.main).record()
    scene.source.move(north: 1)
    recorder.cancel()
    var passed = false
    MainLoop.main.schedule { passed = true }
    try turning("a later turn") { passed }
    #expect(recorder.values.isEmpty)
    #expect(recorder.breaches == [])
  }
}
