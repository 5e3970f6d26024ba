// SPDX-License-Identifier: Apache-2.0
// Idioms from books on Combine, each with its expected result. Compiled with default isolation on and off.
import Combine
import MainLoop
import Publicist

struct Mismatch: Error { let text: String }

func expect<T: Equatable>(_ found: T, _ expected: T, _ line: Int = #line) throws {
  if found != expected { throw Mismatch(text: "line \(line): \(found), not \(expected)") }
}

enum NetworkError: Error, Equatable {
  case offline
  case server(Int)
}

final class Form: ObservableObject {
  @Published var name = ""
  @Published var password = ""
  @Published var isValid = false
  private var cancellables = Set<AnyCancellable>()

  init() {
    $name.combineLatest($password)
      .map { name, password in !name.isEmpty && password.count >= 8 }
      .removeDuplicates()
      .assign(to: &$isValid)
  }
}

final class Label { var text = "" }

final class Countdown: Publisher {
  typealias Output = Int
  typealias Failure = Never
  let start: Int
  init(from start: Int) { self.start = start }
  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    Array((0...start).reversed()).publisher.receive(subscriber: subscriber)
  }
}

final class Stepwise: Subscriber {
  typealias Input = Int
  typealias Failure = Never
  var received: [Int] = []
  var isFinished = false
  private var subscription: (any Subscription)?

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.max(1))
  }
  func receive(_ input: Int) -> Subscribers.Demand {
    received.append(input)
    return received.count < 3 ? .max(1) : .none
  }
  func receive(completion: Subscribers.Completion<Never>) { isFinished = true }
}

/// A custom operator as an extension.
extension Publisher where Output: Collection {
  func dropEmpty() -> AnyPublisher<Output, Failure> { filter { !$0.isEmpty }.eraseToAnyPublisher() }
}

@MainActor final class Search {
  @Published var query = ""
  private(set) var results: [String] = []
  private var bag = Set<AnyCancellable>()

  init() {
    $query
      .dropFirst()
      .debounce(for: .milliseconds(10), scheduler: MainLoop.main)
      .removeDuplicates()
      .map { query in Just("\(query)!").delay(for: .milliseconds(1), scheduler: MainLoop.main) }
      .switchToLatest()
      .receive(on: MainLoop.main)
      .sink { [weak self] in self?.results.append($0) }
      .store(in: &bag)
  }
}

func fetch(_ id: Int) -> AnyPublisher<String, NetworkError> {
  guard id > 0 else { return Fail(error: .offline).eraseToAnyPublisher() }
  return Just("user \(id)").setFailureType(to: NetworkError.self).eraseToAnyPublisher()
}

@MainActor struct Idioms {
  func values() throws {
    var found: [Int] = []
    _ = [1, 2, 3].publisher.map { $0 * 2 }.filter { $0 > 2 }.sink { found.append($0) }
    try expect(found, [4, 6])
    var all: [[Int]] = []
    _ = (1...5).publisher.collect(2).sink { all.append($0) }
    try expect(all, [[1, 2], [3, 4], [5]])
    var sums: [Int] = []
    _ = (1...4).publisher.scan(0, +).sink { sums.append($0) }
    try expect(sums, [1, 3, 6, 10])
    var total = 0
    _ = (1...4).publisher.reduce(0, +).sink { total = $0 }
    try expect(total, 10)
  }

  func subjects() throws {
    var log: [String] = []
    let taps = PassthroughSubject<Int, Never>()
    let counter = CurrentValueSubject<Int, Never>(10)
    let subscription = taps.merge(with: counter).sink(
      receiveCompletion: { _ in log.append("end") }, receiveValue: { log.append("\($0)") })
    taps.send(1)
    counter.value += 1
    counter.send(completion: .finished)
    taps.send(completion: .finished)
    subscription.cancel()
    try expect(log, ["10", "1", "11", "end"])
  }

  func forms() throws {
    let form = Form()
    var changes = 0
    var valid: [Bool] = []
    let counting = form.objectWillChange.sink { _ in changes += 1 }
    let watching = form.$isValid.sink { valid.append($0) }
    form.name = "ada"
    form.password = "lovelace!"
    try expect(form.isValid, true)
    try expect(valid, [false, true])
    try expect(changes >= 3, true)
    withExtendedLifetime((counting, watching)) {}
  }

  func errors() throws {
    var result = ""
    _ = fetch(-1).map(Optional.some).replaceError(with: nil).sink { result = $0 ?? "none" }
    try expect(result, "none")
    _ = fetch(0).catch { error in Just("\(error)") }.sink { result = $0 }
    try expect(result, "offline")
    var attempts = 0
    _ = Deferred { () -> AnyPublisher<String, NetworkError> in
      attempts += 1
      return fetch(attempts - 2)
    }
    .retry(3).sink(receiveCompletion: { _ in }, receiveValue: { result = $0 })
    try expect(result, "user 1")
    var failure: NetworkError?
    _ = ["1", "x"].publisher
      .tryMap { text -> Int in
        guard let number = Int(text) else { throw NetworkError.server(500) }
        return number
      }
      .mapError { $0 as? NetworkError ?? .offline }
      .sink(receiveCompletion: { if case .failure(let error) = $0 { failure = error } }, receiveValue: { _ in })
    try expect(failure, .server(500))
  }

  func combinations() throws {
    var users: [String] = []
    _ = [1, 2].publisher.setFailureType(to: NetworkError.self).flatMap(maxPublishers: .max(1)) { fetch($0) }
      .sink(receiveCompletion: { _ in }, receiveValue: { users.append($0) })
    try expect(users, ["user 1", "user 2"])
    var pairs: [String] = []
    _ = ["a", "b"].publisher.zip([1, 2, 3].publisher).sink { pairs.append("\($0)\($1)") }
    try expect(pairs, ["a1", "b2"])
    var words: [String] = []
    _ = ["", "x"].publisher.dropEmpty().prepend("0").append("9").sink { words.append($0) }
    try expect(words, ["0", "x", "9"])
    let stop = PassthroughSubject<Void, Never>()
    let source = PassthroughSubject<Int, Never>()
    var taken: [Int] = []
    let taking = source.prefix(untilOutputFrom: stop).sink { taken.append($0) }
    source.send(1)
    stop.send()
    source.send(2)
    try expect(taken, [1])
    taking.cancel()
  }

  func sharing() throws {
    var subscriptions = 0
    let source = PassthroughSubject<Int, Never>()
    let shared = source.handleEvents(receiveSubscription: { _ in subscriptions += 1 }).share()
    var found: [Int] = []
    var bag = Set<AnyCancellable>()
    shared.sink { found.append($0) }.store(in: &bag)
    shared.sink { found.append(-$0) }.store(in: &bag)
    source.send(7)
    try expect(subscriptions, 1)
    try expect(found.sorted(), [-7, 7])
    let multicast = source.multicast { PassthroughSubject<Int, Never>() }
    multicast.sink { found.append($0 * 100) }.store(in: &bag)
    let connection = multicast.connect()
    source.send(1)
    try expect(found.contains(100), true)
    connection.cancel()
  }

  func ownTypes() throws {
    let stepwise = Stepwise()
    Countdown(from: 5).subscribe(stepwise)
    try expect(stepwise.received, [5, 4, 3])
    try expect(stepwise.isFinished, false)
    let label = Label()
    _ = Just("hello").assign(to: \.text, on: label)
    try expect(label.text, "hello")
    var promised = 0
    _ = Future<Int, Never> { promise in promise(.success(42)) }.sink { promised = $0 }
    try expect(promised, 42)
    var first: Int?
    _ = Countdown(from: 9).first(where: { $0 % 4 == 0 }).sink { first = $0 }
    try expect(first, 8)
  }

  func time() throws {
    let search = Search()
    for query in ["s", "sw", "swift"] { search.query = query }
    var ticks = 0
    let timer = MainLoop.main.schedule(
      after: MainLoop.main.now, interval: .milliseconds(2), tolerance: .zero, options: nil
    ) { ticks += 1 }
    let noise = PassthroughSubject<Int, Never>()
    var throttled: [Int] = []
    let throttling = noise.throttle(for: .milliseconds(5), scheduler: MainLoop.main, latest: true)
      .sink { throttled.append($0) }
    var timedOut = false
    let waiting = noise.timeout(.milliseconds(20), scheduler: MainLoop.main)
      .sink(receiveCompletion: { _ in timedOut = true }, receiveValue: { _ in })
    for number in 1...5 { noise.send(number) }
    let limit = MainLoop.main.now.advanced(by: .seconds(20))
    while search.results.isEmpty || ticks < 3 || !timedOut || throttled.last != 5 {
      if MainLoop.main.now > limit { throw Mismatch(text: "time: \(search.results) \(ticks) \(throttled)") }
      MainLoop.main.iterate(mayBlock: true)
    }
    try expect(search.results, ["swift!"])
    timer.cancel()
    withExtendedLifetime((throttling, waiting)) {}
  }
}

@main enum Program {
  @MainActor static func main() throws {
    let idioms = Idioms()
    try idioms.values()
    try idioms.subjects()
    try idioms.forms()
    try idioms.errors()
    try idioms.combinations()
    try idioms.sharing()
    try idioms.ownTypes()
    try idioms.time()
    print("all idioms work")
  }
}
