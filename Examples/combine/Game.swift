// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation

// Foundation's networking is a separate module on Linux.
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

enum GameError: Error {
  case statusCode
  case decoding
  case other

  static func map(_ error: any Error) -> GameError {
    (error as? GameError) ?? (error is DecodingError ? .decoding : .other)
  }
}

struct Picture: Decodable {
  let name: String
}

private func picture(at url: URL) -> AnyPublisher<Picture, GameError> {
  URLSession.shared.dataTaskPublisher(for: url)
    .tryMap { output -> Data in
      guard (output.response as? HTTPURLResponse)?.statusCode == 200 else { throw GameError.statusCode }
      return output.data
    }
    .decode(type: Picture.self, decoder: JSONDecoder())
    .mapError { GameError.map($0) }
    .eraseToAnyPublisher()
}

private final class Game {
  private var cancellables: Set<AnyCancellable> = []
  private var timer: AnyCancellable?
  private(set) var results: [String] = []
  private(set) var ticks = 0

  func load(_ first: URL, _ second: URL) {
    picture(at: first).zip(picture(at: second))
      .receive(on: DispatchQueue.main)
      .sink(
        receiveCompletion: { [unowned self] completion in
          if case .failure(let error) = completion { results.append("error: \(error)") }
        },
        receiveValue: { [unowned self] first, second in results.append("\(first.name) and \(second.name)") }
      )
      .store(in: &cancellables)
  }

  func countDown() {
    timer = Timer.publish(every: 0.02, on: RunLoop.main, in: .common)
      .autoconnect()
      .sink { [unowned self] _ in
        ticks += 1
        if ticks == 3 { timer?.cancel() }
      }
  }

  func stop() {
    for cancellable in cancellables { cancellable.cancel() }
    cancellables = []
  }
}

extension Programs {
  static func play(with folder: URL) {
    let game = Game()
    game.load(folder.appendingPathComponent("one.json"), folder.appendingPathComponent("two.json"))
    serve { !game.results.isEmpty }
    game.load(folder.appendingPathComponent("one.json"), folder.appendingPathComponent("three.json"))
    serve { game.results.count == 2 }
    game.countDown()
    serve { game.ticks == 3 }
    let pause = Date(timeIntervalSinceNow: 0.1)
    serve { Date() > pause }
    print("game: \(game.results), \(game.ticks) ticks")
    game.stop()
  }
}
