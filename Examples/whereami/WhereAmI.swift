// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import MainLoop
import MainLoopTasks

@main enum WhereAmI {
  static func main() throws {
    MainLoop.main.serveTasks()
    let source = GeoClueSource(on: try Connection(to: .system), desktopID: "org.example.WhereAmI")
    let manager = LocationManager(source: source)
    Task {
      do {
        let location = try await manager.currentLocation(timeout: .seconds(20))
        print(location.latitude, location.longitude)
      } catch { print(error) }
      MainLoop.main.quit()
    }
    MainLoop.main.run()
  }
}
