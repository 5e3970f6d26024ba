// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publicist
import Testing

/// Chains that programs build on a publicist.
@Suite struct PublicistChainsTests {
  let scene = Scene()

  /// The simplest publicist: the status at its creation, then the changes.
  final class SimplePublicist: LocationManagerDelegate {
    private let current: AuthorizationStatus
    private let authorizations = PassthroughSubject<AuthorizationStatus, Never>()
    private let locations = PassthroughSubject<[Location], Never>()

    init(_ manager: LocationManager) {
      current = manager.authorizationStatus
      manager.delegate = self
    }

    func authorizationPublisher()
      -> Publishers.Merge<Just<AuthorizationStatus>, PassthroughSubject<AuthorizationStatus, Never>>
    {
      Just(current).merge(with: authorizations)
    }

    func locationPublisher() -> AnyPublisher<[Location], Never> { locations.eraseToAnyPublisher() }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      self.locations.send(locations)
    }

    func locationManager(_ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus) {
      authorizations.send(status)
    }
  }

  @Test func `Just merged with a subject sends first and never ends`() {
    let publicist = SimplePublicist(scene.manager)
    let recorder = publicist.authorizationPublisher().record()
    scene.source.authorize(.authorized(.whenInUse))
    scene.source.authorize(.refused(.disabledByUser))
    #expect(recorder.values == [.notDetermined, .authorizedWhenInUse, .denied])
    #expect(recorder.completion == nil)
  }

  @Test func `Just freezes the status that Deferred reads again`() {
    let simple = SimplePublicist(scene.manager)
    let frozen = simple.authorizationPublisher()
    let manager = LocationManager(source: scene.source)
    let fresh = LocationPublicist(manager).authorizationPublisher()
    scene.source.authorize(.authorized(.always))
    #expect(frozen.record().values == [.notDetermined])
    #expect(fresh.record().values == [.authorizedAlways])
  }

  @Test func `locations are delivered only while authorized`() {
    let publicist = scene.publicist
    let recorder = publicist.authorizationPublisher()
      .map { status -> AnyPublisher<[Location], Never> in
        status.isAuthorized ? publicist.locationPublisher() : Empty(completeImmediately: false).eraseToAnyPublisher()
      }
      .switchToLatest()
      .compactMap { $0.last?.sequence }
      .record()
    scene.source.move(north: 1)
    scene.source.authorize(.authorized(.whenInUse))
    scene.source.move(north: 2)
    scene.source.authorize(.refused(.disabledByUser))
    scene.source.move(north: 3)
    scene.source.authorize(.authorized(.always))
    scene.source.move(north: 4)
    #expect(recorder.values == [2, 4])
  }

  @Test func `the newest location waits for a slow subscriber`() {
    let recorder = scene.publicist.locationPublisher()
      .compactMap { $0.last?.sequence }
      .buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)
      .record(asking: .max(1))
    for metres in 1...4 { scene.source.move(north: Double(metres)) }
    #expect(recorder.values == [1])
    recorder.request(.max(1))
    #expect(recorder.values == [1, 4])
  }

  @Test func `a sink may stop the updates inside a value`() {
    let (manager, source) = (scene.manager, scene.source)
    var sequences: [UInt64] = []
    let subscription = scene.publicist.locationPublisher()
      .compactMap(\.last)
      .sink {
        sequences.append($0.sequence)
        if $0.sequence == 2 { manager.stopUpdatingLocation() }
      }
    for metres in 1...2 { source.move(north: Double(metres)) }
    #expect(sequences == [1, 2])
    #expect(source.required == [.exact, nil])
    subscription.cancel()
  }
}
