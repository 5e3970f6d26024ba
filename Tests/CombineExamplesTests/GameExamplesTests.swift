// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation
import GeopublicistPublishingTestSupport
import Testing

/// A game that requests two pictures in parallel and counts down while the player thinks.
@Suite("examples: a game") struct GameExamplesTests {
  enum GameError: Error, Equatable {
    case statusCode, decoding, other

    static func map(_ error: Error) -> GameError {
      (error as? GameError) ?? (error is DecodingError ? .decoding : .other)
    }
  }

  struct Picture: Codable, Equatable { let url: String }

  /// Stands for the answer of a data task.
  private func answer(_ text: String, code: Int = 200) -> AnyPublisher<(data: Data, response: Int), URLError> {
    Just((data: Data(text.utf8), response: code)).setFailureType(to: URLError.self).eraseToAnyPublisher()
  }

  private func picture(_ answer: AnyPublisher<(data: Data, response: Int), URLError>) -> AnyPublisher<
    Picture, GameError
  > {
    answer
      .tryMap { output -> Data in
        guard output.response == 200 else { throw GameError.statusCode }
        return output.data
      }
      .decode(type: Picture.self, decoder: JSONDecoder())
      .mapError { GameError.map($0) }
      .eraseToAnyPublisher()
  }

  private func download(_ picture: Picture) -> AnyPublisher<Int, GameError> {
    guard let url = URL(string: picture.url) else { return Fail(error: GameError.other).eraseToAnyPublisher() }
    return answer(url.lastPathComponent)
      .tryMap { $0.data.count }
      .mapError { GameError.map($0) }
      .eraseToAnyPublisher()
  }

  private final class Game {
    var subscriptions: Set<AnyCancellable> = []
    var sizes: [Int] = []
    var errors: [String] = []

    func play<First: Publisher, Second: Publisher>(_ first: First, _ second: Second, on scheduler: some Scheduler)
    where First.Output == Int, Second.Output == Int, First.Failure == GameError, Second.Failure == GameError {
      first.zip(second)
        .receive(on: scheduler)
        .sink(
          receiveCompletion: { [unowned self] completion in
            if case .failure(let error) = completion { errors.append("Error: \(error)") }
          },
          receiveValue: { [unowned self] first, second in sizes = [first, second] }
        )
        .store(in: &subscriptions)
    }

    func stop() {
      for subscription in subscriptions { subscription.cancel() }
      subscriptions = []
    }
  }

  @Test func `two pictures are loaded together`() {
    let (game, scheduler) = (Game(), TestScheduler())
    let first = picture(answer(#"{"url":"http://a/1234"}"#)).flatMap { download($0) }
    let second = picture(answer(#"{"url":"http://a/12"}"#)).flatMap { download($0) }
    game.play(first, second, on: scheduler)
    #expect(game.sizes == [])
    scheduler.run()
    #expect(game.sizes == [4, 2])
    #expect(game.errors == [])
    game.stop()
  }

  @Test func `invalid answers become failures`() {
    let (game, scheduler) = (Game(), TestScheduler())
    let good = picture(answer(#"{"url":"http://a/1"}"#)).flatMap { download($0) }
    game.play(good, picture(answer("x", code: 500)).flatMap { download($0) }, on: scheduler)
    game.play(good, picture(answer("x")).flatMap { download($0) }, on: scheduler)
    scheduler.run()
    #expect(game.errors == ["Error: statusCode", "Error: decoding"])
    #expect(game.sizes == [])
    game.stop()
  }
}
