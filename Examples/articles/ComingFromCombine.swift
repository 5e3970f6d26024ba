// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation
import MainLoop
import Publicist

struct City: Decodable { let name: String }

/// Publishers on GLib's main loop, which also serves `RunLoop.main` and `DispatchQueue.main` if it serves tasks.
final class Search {
  @Published var text = ""
  private(set) var log: [String] = []
  private var cancellables: Set<AnyCancellable> = []
  private let changes = PassthroughSubject<String, Never>()

  init() {
    // As in a program for Apple's systems.
    $text
      .debounce(for: .milliseconds(50), scheduler: RunLoop.main)
      .removeDuplicates()
      .sink { [weak self] in self?.log.append("find \($0)") }
      .store(in: &cancellables)

    Timer.publish(every: 0.1, on: .main, in: .common)
      .autoconnect()
      .prefix(1)
      .receive(on: RunLoop.main)
      .sink { [weak self] _ in self?.log.append("beat") }
      .store(in: &cancellables)

    // Without Foundation, and without tasks.
    $text
      .debounce(for: .milliseconds(50), scheduler: MainLoop.main)
      .removeDuplicates()
      .sink { [weak self] in self?.log.append("search \($0)") }
      .store(in: &cancellables)

    MainLoop.main.timerPublisher(every: 0.1)
      .autoconnect()
      .prefix(2)
      .sink { [weak self] _ in self?.log.append("tick") }
      .store(in: &cancellables)

    // A notification inside one program is a subject; one between programs is a signal on D-Bus.
    changes
      .sink { [weak self] in self?.log.append("changed \($0)") }
      .store(in: &cancellables)
  }

  func change(_ what: String) { changes.send(what) }

  func decode() -> AnyPublisher<String, any Error> {
    Just(Data(#"{"name": "Berlin"}"#.utf8))
      .decode(type: City.self, decoder: JSONDecoder())
      .map(\.name)
      .eraseToAnyPublisher()
  }

  /// The promise of a `Future` is called from a task of the same actor.
  func answer() -> Future<Int, Never> {
    Future { promise in
      Task { promise(.success(await Self.compute())) }
    }
  }

  @concurrent private nonisolated static func compute() async -> Int { 42 }
}

/// A class on the main actor whose `deinit` touches its own state needs `isolated`.
final class Session {
  private var subscription: AnyCancellable?
  private let onEnd: () -> Void

  init(_ search: Search, onEnd: @escaping () -> Void) {
    self.onEnd = onEnd
    subscription = search.$text.sink { _ in }
  }

  isolated deinit {
    subscription?.cancel()
    onEnd()
  }
}
