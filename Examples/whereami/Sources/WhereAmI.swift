// SPDX-License-Identifier: Apache-2.0
import Glibc
import MainLoopTasks

@main enum WhereAmI {
  static func main() {
    MainLoop.main.serveTasks()
    let manager = LocationManager(source: ServiceSource(on: .system, desktopID: "org.example.WhereAmI"))
    Task {
      do {
        let location = try await manager.currentLocation(timeout: .seconds(20))
        print(location.latitude, location.longitude)
      } catch {
        print(error)
        exit(1)
      }
      MainLoop.main.quit()
    }
    MainLoop.main.run()
  }
}
