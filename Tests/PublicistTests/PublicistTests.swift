// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publicist
import PublicistTesting
import Testing

/// The publishers of `LocationPublicist` themselves.
@Suite struct PublicistTests {
  let scene = Scene()

  @Test func `authorizationPublisher sends the current status first`() {
    let publisher = scene.publicist.authorizationPublisher()
    scene.source.authorize(.refused(.disabledByUser))
    let recorder = publisher.record()
    scene.source.authorize(.authorized(.whenInUse))
    #expect(recorder.values == [.denied, .authorizedWhenInUse])
    #expect(recorder.completion == nil)
  }

  @Test func `a refusal does not end authorizationPublisher`() {
    let recorder = scene.publicist.authorizationPublisher().record()
    scene.source.authorize(.refused(.disallowedByPolicy))
    scene.source.authorize(.refused(.rejectedByAgent))
    scene.source.authorize(.authorized(.always))
    #expect(recorder.values == [.notDetermined, .restricted, .denied, .authorizedAlways])
  }

  @Test func `authorizationPublisher sends the current status only on demand`() {
    let recorder = scene.publicist.authorizationPublisher().record(asking: .none)
    #expect(recorder.values == [])
    recorder.request(.max(1))
    #expect(recorder.values == [.notDetermined])
  }

  @Test func `all subscribers receive the same locations, and a late one receives no earlier location`() {
    let first = scene.publicist.locationPublisher().record()
    scene.source.move(north: 0)
    let second = scene.publicist.locationPublisher().record()
    scene.source.move(north: 5)
    #expect(first.values.map(\.count) == [1, 1])
    #expect(first.values.last == second.values.first)
    #expect(second.values.count == 1)
  }

  @Test func `an error is sent to errorPublisher and does not end locationPublisher`() {
    let errors = scene.publicist.errorPublisher().record()
    let locations = scene.publicist.locationPublisher().record()
    scene.source.fail(.unavailable)
    scene.source.move(north: 0)
    #expect(errors.values.map(\.code) == [.unavailable])
    #expect(locations.values.count == 1)
    #expect(errors.completion == nil)
    #expect(locations.completion == nil)
  }

  @Test func `the publisher of the source's state sends the current state first`() {
    let recorder = scene.publicist.sourceStatusPublisher().record()
    let status = SourceStatus()
    scene.source.onEvent?(.status(status))
    #expect(recorder.values == [SourceStatus(), status])
  }

  @Test func `cancelled subscribers receive nothing and do not retain the publicist`() {
    weak var publicist: LocationPublicist?
    weak var manager: LocationManager?
    let source = FakeLocationSource()
    do {
      let scene = LocationPublicist(LocationManager(source: source))
      publicist = scene
      manager = scene.manager
      let cancellable = scene.locationPublisher().sink { _ in Issue.record("a value after cancel") }
      cancellable.cancel()
      source.move(north: 1)
    }
    #expect(publicist == nil)
    #expect(manager == nil)
  }

  @Test func `a subscription does not retain the publicist`() {
    let source = FakeLocationSource()
    let recorder = LocationPublicist(LocationManager(source: source)).locationPublisher().record()
    source.move(north: 1)
    #expect(recorder.values == [])
    #expect(recorder.completion == nil)
  }
}
