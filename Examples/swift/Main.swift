// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import Glibc
import MainLoop
import MainLoopTasks
import Observation
import Publicist

/// Follows the location in its own process: without the service, with GeoClue itself, and everything on one main loop.
///
///     location-example BUS-ADDRESS|system LEVEL METRES COUNT [--observable]
@main enum LocationExample {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 5, let level = AccuracyLevel(contractName: arguments[2]),
      let metres = Double(arguments[3]),
      let count = Int(arguments[4])
    else { return print("usage: location-example BUS LEVEL METRES COUNT [--observable]") }

    let connection = try Connection(to: arguments[1] == "system" ? .system : .address(arguments[1]))
    let manager = LocationManager(source: GeoClueSource(on: connection, desktopID: "org.example.Location"))
    // The manager does not keep its delegate alive.
    let publicist = LocationPublicist(manager)
    var cancellables: Set<AnyCancellable> = []

    if arguments.last == "--observable" {
      MainLoop.main.serveTasks()
      let model = ObservableLocation(publicist, metres: metres, count: count)
      Task { await show(model, level) }
    } else {
      let model = LocationViewModel(publicist, metres: metres, count: count)
      model.$status.filter { !$0.isEmpty }.sink { say("authorization \($0)") }.store(in: &cancellables)
      model.$place.filter { !$0.isEmpty }.sink { say("location \($0) \(level.contractName)") }.store(in: &cancellables)
      model.$isDone.filter { $0 }.sink { _ in
        withExtendedLifetime(model) { finish() }
      }.store(in: &cancellables)
    }

    manager.desiredAccuracy = level
    manager.startUpdatingLocation()
    MainLoop.main.run()
    withExtendedLifetime(publicist) {}
  }

  /// Prints each change.
  private static func show(_ model: ObservableLocation, _ level: AccuracyLevel) async {
    var (lastStatus, lastPlace) = ("", "")
    for await (status, place, isDone) in Observations({ (model.status, model.place, model.isDone) }) {
      if status != lastStatus { say("authorization \(status)") }
      if place != lastPlace { say("location \(place) \(level.contractName)") }
      (lastStatus, lastPlace) = (status, place)
      if isDone { return finish() }
    }
  }

  private static func finish() {
    say("closed completed")
    MainLoop.main.quit()
  }

  /// Prints a line immediately, even into a pipe.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
