// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// Keeps the last reduced location of each user in a folder, one file per user, across restarts of the machine.
package final class LastPlaces {
  private let folder: String
  private var memory = PlaceMemory()
  private var watch: FolderWatch?
  /// Whether locations are remembered. Turning it off erases all of them.
  package var isOn = true {
    didSet {
      if !isOn { forgetAll() }
    }
  }

  /// Reads the records of an earlier run.
  package init(in folder: String) {
    self.folder = folder
    // It also reports a request that arrives while the records are being read.
    watch = FolderWatch([folder]) { [weak self] in self?.reconcile() }
    reconcile()
    for name in TextFile.names(in: folder) {
      guard let user = UInt32(name), name == "\(user)", Self.mayHaveRecord(user),
        let text = try? TextFile.contents(of: "\(folder)/\(name)")
      else {
        // An incomplete file, or one of a user whose id may be reassigned.
        unlink("\(folder)/\(name)")
        continue
      }
      perform(memory.restore(text, of: user, at: MainLoop.main.clock.boottime(), Self.now))
    }
  }

  /// Erases every location in a folder, and makes a running service also forget those that it has not written yet.
  /// Returns false if that is not permitted.
  package static func forgetAll(in folder: String) -> Bool {
    var status = stat()
    guard stat(folder, &status) == 0 else { return errno == ENOENT }
    let request = request(in: folder)
    let descriptor = open(request, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    let isRequested = descriptor >= 0 || errno == EEXIST
    if descriptor >= 0 {
      // The service removes it.
      fchown(descriptor, status.st_uid, status.st_gid)
      close(descriptor)
    }
    return erase(folder, except: request) && isRequested
  }

  /// A file whose existence means that everything is to be forgotten.
  private static func request(in folder: String) -> String { "\(folder)/forget" }

  /// Removes every file but one; returns false if one cannot be removed.
  private static func erase(_ folder: String, except kept: String = "") -> Bool {
    let paths = TextFile.names(in: folder).map { "\(folder)/\($0)" }
    let isDone = paths.map { $0 == kept || unlink($0) == 0 || errno == ENOENT }.allSatisfy(\.self)
    sync(folder)
    return isDone
  }

  private func forgetAll() {
    memory.forgetAll(at: MainLoop.main.clock.boottime())
    if !Self.erase(folder) { Log.warning("Cannot remove every file in \(folder)") }
  }

  /// Remembers a location that a client of a user has received, if that user has the account.
  func received(_ location: Location, by client: Client, of account: Account) {
    guard isOn, let user = client.credentials?.userID, Self.mayRemember(user, account) else { return }
    perform(memory.received(location, by: user, at: MainLoop.main.clock.boottime(), Self.now))
  }

  /// Returns the location that was remembered for a client's user, and its age.
  func location(for client: Client, at level: AccuracyLevel) -> (location: Location, age: Duration)? {
    client.credentials.flatMap { memory.location(of: $0.userID, at: level, Self.now) }
  }

  /// Returns the age of a remembered location in milliseconds. A newer one may have replaced it in the record since.
  static func age(of location: Location) -> UInt32 { UInt32(clamping: (now - location.timestamp).milliseconds) }

  /// Erases a user's location when a client of that user is refused, unless the reason concerns only the moment or only
  /// that program. Later, no location from before is remembered.
  func note(_ authorization: Authorization, of client: Client, _ account: @autoclosure () -> Account) {
    guard authorization.status == .denied || authorization.status == .restricted,
      ![.sessionInactive, .sandboxed, .policyUnavailable, .disallowedByConfiguration].contains(authorization.reason),
      let user = client.credentials?.userID, memory.users.contains(user) || Self.mayRemember(user, account())
    else { return }
    perform(memory.refused(user, at: MainLoop.main.clock.boottime()))
  }

  /// Whether a user has the account that is charged for a client, and a lasting id. A subordinate id, or that of a
  /// service, may be reassigned to another program.
  private static func mayRemember(_ user: UInt32, _ account: Account) -> Bool {
    account == .user(user) && !Account.isTransient(user)
  }

  /// Whether an id is still that of the user who has a record, as far as can be determined.
  private static func mayHaveRecord(_ user: UInt32) -> Bool {
    errno = 0
    return !Account.isTransient(user) && (getpwuid(user) != nil || ![0, ENOENT, ESRCH].contains(errno))
  }

  func flush() {
    reconcile()
    perform(memory.flush(at: MainLoop.main.clock.boottime(), Self.now))
  }

  private static var now: Timestamp { Timestamp(microsecondsSinceEpoch: MainLoop.main.clock.realtime()) }

  private func path(of user: UInt32) -> String { "\(folder)/\(user)" }

  /// Forgets the users whose files an administrator has removed, or everybody if that is requested.
  private func reconcile() {
    if TextFile.exists(Self.request(in: folder)) { forgetAll() }
    for user in memory.writtenUsers where !TextFile.exists(path(of: user)) {
      perform(memory.forget(user, at: MainLoop.main.clock.boottime()))
    }
  }

  private func perform(_ actions: [PlaceMemory.Action]) {
    for action in actions {
      switch action {
      case .write(let user, let text):
        let isWritten: Void? = try? TextFile.replace(path(of: user), with: text, mode: 0o600)
        if isWritten == nil { memory.failedToWrite(user) }
      case .erase(let user):
        if unlink(path(of: user)) == 0 { Self.sync(folder) }
      }
    }
  }

  private static func sync(_ folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
