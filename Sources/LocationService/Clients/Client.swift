// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// A client of the service: one connection and everything that it owns.
final class Client: GatekeeperClient {
  let name: BusName
  /// Nil until the bus has answered, which happens before anything is done for the client.
  private(set) var credentials: Credentials?
  var pendingCalls: UInt32 = 0
  var pendingPrompts: UInt32 = 0
  /// Whether its authorization may have changed. Until that has been considered, its deliveries are held.
  var isToBeReviewed = false
  /// When it was last seen without access, in microseconds of the boot clock. Facts that are still missing do not count.
  private(set) var deniedAt: UInt64 = 0
  let queue: OutgoingQueue
  /// The systemd unit of its process, once known. For display only.
  var unit: String?
  var audited = AuditedAnswers()
  /// Called when the connection has left the bus.
  var onEnd: (() -> Void)?
  private(set) var objects: [UInt64: any OwnedObject] = [:]
  /// In the order of the calls, in which they are answered if one event answers several.
  private(set) var requests: [any PendingRequest] = []
  private var bucket: TokenBucket
  private let introductions: Introductions

  init(_ name: BusName, _ queue: OutgoingQueue, _ introductions: Introductions, limits: Limits) {
    self.name = name
    self.introductions = introductions
    self.queue = queue
    bucket = TokenBucket(burst: limits[.callsBurst], at: MainLoop.main.clock.monotonic())
  }

  /// Takes a token from the client's bucket. Returns false if the rate is exceeded.
  func takeToken(_ limits: Limits, at now: Int64) -> Bool {
    bucket.take(burst: limits[.callsBurst], perSecond: limits[.callsPerSecond], at: now)
  }

  /// Returns when the last of `count` further calls may be dispatched, in microseconds from now.
  func wait(for count: Int, _ limits: Limits, at now: Int64) -> Int64 {
    bucket.wait(for: count, burst: limits[.callsBurst], perSecond: limits[.callsPerSecond], at: now)
  }

  func add(_ object: any OwnedObject) { objects[object.number] = object }
  func remove(_ object: any OwnedObject) { objects[object.number] = nil }
  func add(_ request: any PendingRequest) { requests.append(request) }
  func remove(_ request: any PendingRequest) { requests.removeAll { $0 === request } }

  func note(_ authorization: Authorization, at now: UInt64) {
    if !authorization.isAuthorized, authorization.reason != .undecided { deniedAt = now }
  }

  /// Whether the client has an object or a pending call, so that changed facts affect it now.
  var isWaiting: Bool { !objects.isEmpty || !requests.isEmpty }

  /// Calls `action` with the credentials, immediately if they are known, or with nil if the bus does not report them,
  /// in which case the client must be refused.
  func whenKnown(_ action: @escaping (Credentials?) -> Void) {
    if let credentials { return action(credentials) }
    introductions.ask(about: name, isUrgent: true) { [weak self] credentials in
      self?.credentials = credentials
      action(credentials)
    }
  }

  /// Ends everything that the client owns, without signals, because the connection has left the bus.
  func end() {
    introductions.forget(name)
    for request in requests { request.handle(.ownerLeft) }
    for object in objects.values { object.handle(.ownerLeft) }
    requests = []
    objects = [:]
    onEnd?()
    onEnd = nil
  }
}
