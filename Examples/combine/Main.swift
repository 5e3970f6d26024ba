// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation

/// Programs written for Combine: a view model, a delegate as publishers, a game that loads pictures, and a form.
///
///     combine-example URL        URL: a folder on a server with the files one.json and two.json
@main enum Programs {
  static func main() {
    guard let folder = CommandLine.arguments.dropFirst().first.flatMap(URL.init) else {
      print("usage: combine-example URL")
      return
    }
    showLocations()
    showAuthorization()
    showForm()
    play(with: folder)
    showNotifications()
  }

  /// Serves `RunLoop.main` and `DispatchQueue.main`, as an application does, until `isDone` holds or ten seconds have
  /// passed.
  static func serve(until isDone: () -> Bool) {
    let end = Date(timeIntervalSinceNow: 10)
    while !isDone(), Date() < end { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02)) }
  }

  private static func showNotifications() {
    let name = Notification.Name("example.renamed")
    var names: [String] = []
    let subscription = NotificationCenter.default.publisher(for: name)
      .compactMap { $0.userInfo?["name"] as? String }
      .receive(on: OperationQueue.main)
      .sink { names.append($0) }
    NotificationCenter.default.post(name: name, object: nil, userInfo: ["name": "Tiergarten"])
    serve { !names.isEmpty }
    print("renamed: \(names)")
    subscription.cancel()
  }
}
