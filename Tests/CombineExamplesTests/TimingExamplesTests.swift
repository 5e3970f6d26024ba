// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation
import GeopublicistPublishingTestSupport
import Testing

@Suite("examples: time") struct TimingExamplesTests {
  let scheduler = TestScheduler()

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
