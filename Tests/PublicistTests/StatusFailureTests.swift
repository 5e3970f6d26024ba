// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publicist
import Testing

/// A status publisher in the older style, where a refusal ends the stream with a failure.
enum StatusFailure: String, Error {
  case restricted, denied, unknown
}

extension LocationPublicist {
  /// The status until it becomes a refusal.
  func statusPublisher() -> AnyPublisher<AuthorizationStatus, StatusFailure> {
    authorizationPublisher()
      .setFailureType(to: StatusFailure.self)
      .flatMap { status -> Result<AuthorizationStatus, StatusFailure>.Publisher in
        switch status {
        case .restricted: .init(StatusFailure.restricted)
        case .denied: .init(StatusFailure.denied)
        case .notDetermined, .authorizedWhenInUse, .authorizedAlways: .init(status)
        }
      }
      .eraseToAnyPublisher()
  }
}

@Suite struct StatusFailureTests {
  let scene = Scene()

  @Test func `a denial fails the stream`() {
    let recorder = scene.publicist.statusPublisher().record()
    scene.source.authorize(.authorized(.whenInUse))
    scene.source.authorize(.refused(.disabledByUser))
    scene.source.authorize(.authorized(.always))
    #expect(recorder.values == [.notDetermined, .authorizedWhenInUse])
    #expect(recorder.completion == .failure(.denied))
    #expect(recorder.breaches == [])
  }

  @Test func `a restriction fails the stream`() {
    let recorder = scene.publicist.statusPublisher().record()
    scene.source.authorize(.refused(.disallowedByConfiguration))
    #expect(recorder.values == [.notDetermined])
    #expect(recorder.completion == .failure(.restricted))
  }

  @Test func `a new subscription tries again`() {
    scene.source.authorize(.refused(.disabledByUser))
    let refused = scene.publicist.statusPublisher().record()
    scene.source.authorize(.authorized(.always))
    let granted = scene.publicist.statusPublisher().record()
    #expect(refused.completion == .failure(.denied))
    #expect(refused.values == [])
    #expect(granted.values == [.authorizedAlways])
    #expect(granted.completion == nil)
  }

  @Test func `a failure has a description`() {
    var text = ""
    let subscription = scene.publicist.statusPublisher().sink { completion in
      if case .failure(let error) = completion { text = "Location Service terminated with error:\(error.rawValue)" }
    } receiveValue: { _ in
    }
    scene.source.authorize(.refused(.disabledByUser))
    #expect(text == "Location Service terminated with error:denied")
    subscription.cancel()
  }

  /// An immediate retry is refused again, so the stream ends after the last attempt.
  @Test func `retrying does not loop endlessly`() {
    let recorder = scene.publicist.statusPublisher().retry(2).record()
    scene.source.authorize(.refused(.disabledByUser))
    #expect(recorder.completion == .failure(.denied))
    #expect(recorder.values == [.notDetermined])
  }
}
