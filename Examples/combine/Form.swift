// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation

private final class Button {
  var isEnabled = false {
    didSet { if isEnabled != oldValue { changes += 1 } }
  }
  private(set) var changes = 0
}

private final class RegistrationForm {
  @Published var username = ""
  @Published var password = ""
  let button = Button()
  private var cancellables = Set<AnyCancellable>()

  init() {
    // A name is looked up when the user has stopped typing; a password is checked immediately.
    let isNameValid =
      $username
      .debounce(for: 0.05, scheduler: RunLoop.main)
      .removeDuplicates()
      .flatMap { name in
        Future<Bool, Never> { promise in
          DispatchQueue.main.asyncAfter(deadline: .now() + 0.01) { promise(.success(name.count > 2)) }
        }
      }
    let isPasswordValid = $password.flatMap { Just($0.count >= 8) }
    isNameValid.combineLatest(isPasswordValid)
      .map { $0 && $1 }
      .receive(on: RunLoop.main)
      .assign(to: \.isEnabled, on: button)
      .store(in: &cancellables)
  }
}

extension Programs {
  static func showForm() {
    let form = RegistrationForm()
    for name in ["a", "ad", "ada"] { form.username = name }
    form.password = "correct horse"
    serve { form.button.isEnabled }
    print("form: \(form.button.isEnabled), \(form.button.changes) change")
  }
}
