// SPDX-License-Identifier: Apache-2.0
@_exported import GeopublicistClient
import Publicist

extension ServiceConnection {
  /// Publishes almanacs from the service, and nil as soon as access is lost. Each subscriber has its own almanac, until it
  /// cancels.
  public func almanacPublisher(_ options: ClientOptions = ClientOptions()) -> AnyPublisher<Almanac?, Never> {
    Deferred { [self] in
      let almanacs = PassthroughSubject<Almanac?, Never>()
      let object = ServiceAlmanac(on: self, options) { event in
        switch event {
        case .update(let almanac): almanacs.send(almanac)
        case .authorization(let authorization) where !authorization.isAuthorized: almanacs.send(nil)
        default: break
        }
      }
      return almanacs.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)
        .handleEvents(receiveCancel: { object.cancel() })
    }
    .removeDuplicates()
    .eraseToAnyPublisher()
  }

  /// Returns the almanacs of ``almanacPublisher(_:)`` as an asynchronous sequence. A slow loop receives the newest one.
  public func almanacs(_ options: ClientOptions = ClientOptions()) -> some AsyncSequence<Almanac?, Never> {
    almanacPublisher(options).buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest).values
  }
}
