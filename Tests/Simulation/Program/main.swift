// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCGLib
import GeopublicistProcessSupport
import GeopublicistService
import GeopublicistSimulatedKernel
import GeopublicistWiring
import Glibc
import MainLoop

// simulate SEED HOURS [--bus-faults] [--session] [--story] [--only NUMBER,NUMBER…] [--ignore RULE;RULE…]
//
// Runs the service in a simulated world, and prints a summary and the hash of the trace. Exits with status 1 if an
// invariant was broken.

// The order of a set's elements must depend on its contents alone. Swift reads this when the process starts.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
  execv("/proc/self/exe", CommandLine.unsafeArgv)
}
let arguments = CommandLine.arguments
let seed = arguments.count > 1 ? UInt64(arguments[1]) ?? 1 : 1
let hours = arguments.count > 2 ? Double(arguments[2]) ?? 1 : 1
let only = arguments.firstIndex(of: "--only").map { index in
  Set(arguments[index + 1].split(separator: ",").compactMap { Int($0) })
}

var template = Array("/tmp/simulation.XXXXXX".utf8CString)
let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap(mkdtemp).map { String(cString: $0) } }
guard let folder = made else { fatalError("mkdtemp") }
for path in ["/etc", "/etc/geoclue", "/etc/geopublicist", "/run", "/state", "/share", "/share/geopublicist"] {
  mkdir(folder + path, 0o755)
}
setenv("RUNTIME_DIRECTORY", folder + "/run", 1)
setenv("STATE_DIRECTORY", folder + "/state", 1)
setenv("XDG_DATA_DIRS", folder + "/share", 1)
kernel_set_files(folder)

var signals = sigset_t()
sigemptyset(&signals)
for signal in [SIGHUP, SIGTERM] { sigaddset(&signals, signal) }
sigprocmask(SIG_BLOCK, &signals, nil)

let world = World(
  seed: seed, folder: folder, isBusFaulty: arguments.contains("--bus-faults"),
  isSession: arguments.contains("--session"))
kernel_set_user(world.serviceUser)
if let index = arguments.firstIndex(of: "--ignore") {
  world.checks.ignored = arguments[index + 1].split(separator: ";").map(String.init)
}
world.narrates = arguments.contains("--story")
// Log messages of the service are checked instead of written.
g_log_set_writer_func(
  { _, fields, count, _ in
    var texts: [String: String] = [:]
    for field in UnsafeBufferPointer(start: fields, count: Int(count)) {
      guard let key = field.key, let value = field.value else { continue }
      texts[String(cString: key)] = String(cString: value.assumingMemoryBound(to: CChar.self))
    }
    MainActor.assumeIsolated { world.logged(texts) }
    return G_LOG_WRITER_HANDLED
  }, nil, nil)
Log.maximumLevel = world.narrates ? .debug : .notice
world.begin()
let day = Day(world, hours: hours, kept: only)
let begin = world.schedule.now
day.begin()
var starts = 0
let options = try DaemonOptions(world.arguments)
while world.waitForCall() {
  starts += 1
  var configuration = try Configuration.load(file: nil)
  serving: while true {
    do throws(DBusError) {
      let notifier = ServiceNotifier(
        socket: world.manager.address, watchdogMicroseconds: "\(ServiceManager.watchdogTime)", watchdogProcess: nil)
      world.serviceBeganAt = world.schedule.now
      let session = try Session(options, configuration, nil, notifier)
      world.session = session
      let end = try session.run()
      configuration = session.configuration
      if case .over = end { break serving }
    } catch {
      world.failed(error.message)
      break serving
    }
  }
}

let passed = Double(world.schedule.now - begin) / 3_600_000_000
let hundredths = Int(passed * 100)
print("hours \(hundredths / 100).\(String(hundredths % 100 + 100).dropFirst())")
print("faults \(day.faultCount)")
print("calls \(world.checks.calls)")
print("locations \(world.checks.locations)")
print("starts \(starts)")
print("turns \(world.checks.longestTurn)")
print("hash \(String(world.hash.value, radix: 16))")
for path in [
  "/etc/geoclue/conf.d/10-agents.conf", "/etc/geoclue/conf.d/90-named.conf", "/etc/geoclue/conf.d",
  "/bus", "/other-bus", "/notify", "/library", "/almanac", "/run/cells",
  "/etc/geopublicist/conf.d/40-limits.conf", "/etc/geopublicist/conf.d/50-limits.conf", "/etc/geopublicist/conf.d",
  "/etc/geoclue/geoclue.conf", "/etc/geopublicist/geopublicist.conf",
  "/etc/geoclue", "/etc/geopublicist", "/etc", "/run", "/share/geopublicist/places", "/share/geopublicist", "/share",
  "/flatpak/.flatpak-info", "/flatpak",
] + [1_001, 1_002, 1_003].flatMap({ ["/state/\($0)", "/state/0\($0)", "/state/\($0).new"] })
  + ["/state/61200", "/state", ""]
{
  if unlink(folder + path) != 0 { rmdir(folder + path) }
}
if let violation = world.checks.violation {
  print("broken \(violation.rule)")
  print("story \(violation.story)")
  exit(1)
}
