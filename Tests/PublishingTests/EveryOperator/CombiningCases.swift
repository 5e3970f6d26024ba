// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing

extension OperatorCase {
  static let chaining: [OperatorCase] = [
    OperatorCase("prepend", [0, 1, 2, 3], asks: "max(1)", .holdsEnd) { up, _ in up.prepend(0) },
    OperatorCase("prepend nothing", [1, 2, 3]) { up, _ in up.prepend(Empty<Int, TestError>()) },
    OperatorCase("append", [1, 2, 3, 4], onFailure: [1, 2, 3], .holdsEnd) { up, _ in up.append(4) },
    OperatorCase("append nothing", [1, 2, 3]) { up, _ in up.append(Empty<Int, TestError>()) },
  ]

  private static var zero: AnyPublisher<Int, TestError> {
    Just(0).eraseToAnyPublisher().setFailureType(to: TestError.self).eraseToAnyPublisher()
  }
  private static var ten: AnyPublisher<Int, TestError> {
    (1...10).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
  }

  static let combining: [OperatorCase] = [
    OperatorCase("merge", [1, 2, 3], asks: "max(1)", .holdsEnd) { up, _ in up.merge(with: Empty()) },
    OperatorCase("merge, second side", [1, 2, 3], asks: "max(1)", .holdsEnd) { up, _ in
      Empty<Int, TestError>().merge(with: up)
    },
    OperatorCase("MergeMany", [1, 2, 3], asks: "max(1)", .holdsEnd) { up, _ in Publishers.MergeMany([up]) },
    OperatorCase("zip", [1, 2, 3]) { up, _ in up.zip(ten).map(\.0) },
    OperatorCase("zip, third side", [1, 2, 3]) { up, _ in ten.zip(ten, up).map(\.2) },
    OperatorCase("combineLatest, first side", [1, 2, 3], .lossy) { up, _ in up.combineLatest(zero).map(\.0) },
    OperatorCase("combineLatest, second side", [1, 2, 3]) { up, _ in zero.combineLatest(up).map(\.1) },
    OperatorCase("combineLatest, third side", [1, 2, 3]) { up, _ in zero.combineLatest(zero, up).map(\.2) },
    OperatorCase("flatMap, outer", [1, 2, 3], asks: "unlimited", .holdsEnd) { up, _ in
      up.flatMap { Just($0).setFailureType(to: TestError.self) }
    },
    OperatorCase("flatMap(maxPublishers: 1), outer", [1, 2, 3], asks: "max(1)", .holdsEnd) { up, _ in
      up.flatMap(maxPublishers: .max(1)) { Just($0).setFailureType(to: TestError.self) }
    },
    OperatorCase("flatMap, inner", [1, 2, 3], asks: "max(1)", .holdsEnd) { up, _ in zero.flatMap { _ in up } },
    OperatorCase("switchToLatest, outer", [1, 2, 3], asks: "unlimited", [.lossy, .holdsEnd]) { up, _ in
      up.map { Just($0).setFailureType(to: TestError.self) }.switchToLatest()
    },
    OperatorCase("switchToLatest, inner", [1, 2, 3]) { up, _ in zero.map { _ in up }.switchToLatest() },
  ]

  static let recovering: [OperatorCase] = [
    OperatorCase("replaceError", [1, 2, 3], onFailure: [1, 2, 3, 9], endOnFailure: .finished) { up, _ in
      up.replaceError(with: 9).setFailureType(to: TestError.self)
    },
    OperatorCase("catch", [1, 2, 3], onFailure: [1, 2, 3, 9], endOnFailure: .finished) { up, _ in
      up.catch { _ in Just(9) }.setFailureType(to: TestError.self)
    },
    OperatorCase("catch, replacement", [1, 2, 3]) { up, _ in Fail<Int, TestError>(error: .other).catch { _ in up } },
    OperatorCase("tryCatch", [1, 2, 3], onFailure: [1, 2, 3, 9], endOnFailure: .finished) { up, _ in
      up.tryCatch { _ in Just(9) }.typed()
    },
    OperatorCase("tryCatch throwing", [1, 2, 3], endOnFailure: .failure(.other)) { up, _ in
      up.tryCatch { _ -> Just<Int> in throw TestError.other }.typed()
    },
    OperatorCase("retry", [1, 2, 3]) { up, _ in up.retry(1) },
    OperatorCase("retry(0)", [1, 2, 3]) { up, _ in up.retry(0) },
  ]

  static let timed: [OperatorCase] = [
    OperatorCase("debounce", [1, 2, 3], asks: "unlimited", .lossy) { $0.debounce(for: 1, scheduler: $1) },
    OperatorCase("throttle, latest", [1, 2, 3], asks: "unlimited", .lossy) {
      $0.throttle(for: 1, scheduler: $1, latest: true)
    },
    OperatorCase("throttle, oldest", [1, 2, 3], asks: "unlimited", .lossy) {
      $0.throttle(for: 1, scheduler: $1, latest: false)
    },
    OperatorCase("delay", [1, 2, 3]) { $0.delay(for: 1, scheduler: $1) },
    OperatorCase("receive(on:)", [1, 2, 3]) { $0.receive(on: $1) },
    OperatorCase("subscribe(on:)", [1, 2, 3], .lateCancel) { $0.subscribe(on: $1) },
    OperatorCase("timeout", [1, 2, 3]) { $0.timeout(100, scheduler: $1) },
    OperatorCase("collect(.byTime)", [1, 2, 3], asks: nil, [.lossy, .holdsEnd]) {
      $0.collect(.byTime($1, 1)).map { $0.reduce(0, +) }
    },
    OperatorCase("collect(.byTimeOrCount)", [1, 2, 3], asks: nil, [.lossy, .holdsEnd]) {
      $0.collect(.byTimeOrCount($1, 1, 5)).map { $0.reduce(0, +) }
    },
  ]

  static let sharing: [OperatorCase] = [
    OperatorCase("share", [1, 2, 3], asks: "unlimited", [.lossy, .shares]) { up, _ in up.share() },
    OperatorCase("multicast.autoconnect", [1, 2, 3], asks: "unlimited", [.lossy, .shares]) { up, _ in
      up.multicast { PassthroughSubject() }.autoconnect()
    },
    OperatorCase("buffer byRequest", [1, 2, 3], asks: "unlimited", .holdsEnd) { up, _ in
      up.buffer(size: 5, prefetch: .byRequest, whenFull: .dropOldest)
    },
    OperatorCase("buffer keepFull", [1, 2, 3], asks: nil, .holdsEnd) { up, _ in
      up.buffer(size: 5, prefetch: .keepFull, whenFull: .dropNewest)
    },
  ]
}
