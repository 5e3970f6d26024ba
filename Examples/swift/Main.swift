// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import Glibc
import MainLoop
import Publicist

/// Follows the location inside this process: no bridge, GeoClue itself, and everything on the one main loop.
///
///     location-example BUS-ADDRESS|system LEVEL METRES COUNT
@main enum LocationExample {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let level = AccuracyLevel(contractName: arguments[2]),
      let metres = Double(arguments[3]),
      let count = Int(arguments[4])
    else { return print("usage: location-example BUS LEVEL METRES COUNT") }

    let connection = try Connection(to: arguments[1] == "system" ? .system : .address(arguments[1]))
    let manager = LocationManager(source: GeoClueSource(on: connection, registersAgent: false))
    // The manager's delegate, which the manager itself does not keep.
    let publicist = LocationPublicist(manager)
    let model = LocationViewModel(publicist, metres: metres, count: count)
    var cancellables: Set<AnyCancellable> = []

    model.$status.filter { !$0.isEmpty }.sink { say("authorization \($0)") }.store(in: &cancellables)
    model.$place.filter { !$0.isEmpty }.sink { say("location \($0) \(level.contractName)") }.store(in: &cancellables)
    model.$isDone.filter { $0 }.sink { _ in
      say("closed completed")
      MainLoop.main.quit()
    }.store(in: &cancellables)

    manager.desiredAccuracy = level
    manager.startUpdatingLocation()
    MainLoop.main.run()
    withExtendedLifetime((publicist, model)) {}
  }

  /// Prints a line at once, whatever reads it.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
