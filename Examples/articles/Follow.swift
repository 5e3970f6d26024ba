// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoopTasks

enum Follow {
  static func follow(on bus: Connection.Bus = .system) async {
    for await update in LocationUpdate.liveUpdates(desktopID: "org.example.WhereAmI", on: bus) {
      if let location = update.location {
        print(location.latitude, location.longitude)
        return
      } else if !update.message.isEmpty {
        print(update.message)
      }
    }
  }
}
