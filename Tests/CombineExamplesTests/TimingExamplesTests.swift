// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation
import GeopublicistPublishingTestSupport
import Testing

@Suite("examples: time") struct TimingExamplesTests {
  let out = Output()
  let scheduler = TestScheduler()

  /// The user types "HelloCombine": the text so far at each of the times.
  private func type(at times: [Double], into subject: PassthroughSubject<String, Never>) {
    for (count, time) in times.enumerated() {
      scheduler.schedule(after: .seconds(time)) { subject.send(String("HelloCombine".prefix(count + 1))) }
    }
  }

  @Test func `delay postpones values`() {
    let subscription = Just("Hello").delay(for: 3, scheduler: scheduler).sink { out.print("delay:\($0)") }
    scheduler.advance(by: 2.9)
    #expect(out.lines.isEmpty)
    scheduler.advance(by: 0.1)
    #expect(out.joined == "delay:Hello")
    subscription.cancel()
  }

  @Test func `a delay longer than the timeout times out`() {
    let subject = PassthroughSubject<String, Never>()
    let subscription =
      subject
      .delay(for: 2, scheduler: scheduler)
      .timeout(4, scheduler: scheduler)
      .sink(receiveCompletion: { _ in out.print("end") }, receiveValue: { out.print("timeout:\($0)") })
    subject.send("Hello")
    scheduler.advance(by: 2)
    #expect(out.joined == "timeout:Hello")
    scheduler.advance(by: 4)
    #expect(out.joined == "timeout:Hello / end")
    subscription.cancel()
  }

  @Test func `debounce waits for a pause`() {
    let subject = PassthroughSubject<String, Never>()
    var times: [VirtualTime] = []
    let subscription = subject.debounce(for: .seconds(1), scheduler: scheduler).sink {
      times.append(scheduler.now)
      out.print("debounce:\($0)")
    }
    type(at: [0, 0.1, 0.2, 0.3, 0.4, 1.5, 1.7, 2.8, 2.9, 3.0, 3.1, 3.2], into: subject)
    scheduler.run()
    #expect(out.joined == "debounce:Hello / debounce:HelloCo / debounce:HelloCombine")
    #expect(times == [.seconds(1.4), .seconds(2.7), .seconds(4.2)])
    subscription.cancel()
  }

  /// Older versions of Combine passed a value immediately and were silent for the interval (for this input `H / HelloC
  /// / HelloComb / HelloCombin`). In newer versions, as here, the first value passes immediately, then the oldest of
  /// each interval at its end.
  @Test func `throttle keeps the oldest value`() {
    let subject = PassthroughSubject<String, Never>()
    let subscription = subject.throttle(for: .seconds(1), scheduler: scheduler, latest: false)
      .sink { out.print("throttle:\($0)") }
    type(at: [0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 3.4], into: subject)
    scheduler.run()
    #expect(
      out.joined
        == "throttle:H / throttle:He / throttle:HelloCo / throttle:HelloCombi / throttle:HelloCombin")
    subscription.cancel()
  }

  @Test func `retry and timeout work together`() {
    struct Response: Codable, Equatable { let id: Int }
    struct Trouble: Error {}
    var attempts = 0
    var received: [Response] = []
    let subscription = Deferred { () -> AnyPublisher<(data: Data, code: Int), Error> in
      attempts += 1
      guard attempts > 3 else { return Fail(error: Trouble()).eraseToAnyPublisher() }
      return Just((data: Data(#"{"id":7}"#.utf8), code: 200)).setFailureType(to: Error.self).eraseToAnyPublisher()
    }
    .retry(5)
    .timeout(5, scheduler: scheduler)
    .map(\.data)
    .decode(type: Response.self, decoder: JSONDecoder())
    .subscribe(on: scheduler)
    .sink(receiveCompletion: { _ in }, receiveValue: { received.append($0) })
    scheduler.run()
    #expect(attempts == 4)
    #expect(received == [Response(id: 7)])
    subscription.cancel()
  }

  /// A registration form: a service checks the name after a pause in typing; the password is checked immediately.
  @Test func `a registration form validates its fields`() {
    final class Button { var isEnabled = false }
    final class Form {
      @Published var username = ""
      @Published var password = ""
    }
    let (form, button, scheduler) = (Form(), Button(), scheduler)
    var checked: [String] = []
    func check(_ username: String, _ answer: (Bool) -> Void) {
      checked.append(username)
      answer(username.count > 3)
    }
    var name: AnyPublisher<String?, Never> {
      form.$username
        .debounce(for: 0.5, scheduler: scheduler)
        .removeDuplicates()
        .flatMap { username in
          Future { promise in
            check(username) { available in promise(.success(available ? username : nil)) }
          }
        }
        .eraseToAnyPublisher()
    }
    let password = form.$password.flatMap { Just($0.count > 5) }
    let subscription =
      name.combineLatest(password)
      .map { $0 != nil && $1 }
      .receive(on: scheduler)
      .assign(to: \.isEnabled, on: button)
    form.username = "com"
    form.username = "combine"
    scheduler.advance(by: 1)
    #expect(!button.isEnabled)
    form.password = "secret"
    scheduler.advance(by: 0)
    #expect(button.isEnabled)
    form.username = "c"
    scheduler.advance(by: 0.4)
    form.username = "combine"
    scheduler.advance(by: 1)
    #expect(button.isEnabled)
    #expect(checked == ["combine"])
    subscription.cancel()
  }
}
