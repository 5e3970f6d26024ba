// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// A client of the service: one connection and everything that it owns.
final class Client: GatekeeperClient {
  var pendingCalls: UInt32 = 0
  /// The number of pending calls that have all facts and wait for their turn.
  var resumingCalls = 0
  /// The accounts that are charged for its open dialogs.
  var prompts: [Account] = []
  /// Whether its authorization may have changed. Until it has been reviewed, its deliveries are held.
  var isToBeReviewed = false
  /// Whether it has ever been authorized.
  private(set) var isProven = false
  /// Called when the client is authorized for the first time.
  var onProven: (() -> Void)?
  /// When the client was last seen without access. Facts that are still missing do not count.
  private(set) var deniedAt = BootInstant.origin
  /// When access was last regained, counted from the change that restored it, or the far future without access. The
  /// client receives no earlier exact location.
  private(set) var exactFrom = BootInstant.origin
  /// That of its user, unless access does not depend on the user's session.
  private(set) var history: AccessHistory?
  var historyOf: ((UInt32) -> AccessHistory?)?
  /// Whether it counts as authorized there.
  private(set) var isAuthorizedInUse = false
  private(set) var objects: [UInt64: any OwnedObject] = [:]
  /// In the order of the calls, because one event may answer several of them.
  private(set) var requests: [any PendingRequest] = []
  /// The rate of its calls.
  var bucket: TokenBucket
  private let lookup: CredentialsLookup
  private weak var gatekeeper: (any Gatekeeper)?

  init(
    _ name: BusName, _ lookup: CredentialsLookup, _ gatekeeper: any Gatekeeper, limits: Limits
  ) {
    self.lookup = lookup
    self.gatekeeper = gatekeeper
    bucket = TokenBucket(burst: limits[.callsBurst], at: MainLoop.main.clock.monotonic())
    super.init(name)
  }

  func add(_ object: any OwnedObject) { objects[object.number] = object }
  func remove(_ object: any OwnedObject) { objects[object.number] = nil }
  func add(_ request: any PendingRequest) { requests.append(request) }
  func remove(_ request: any PendingRequest) { requests.removeAll { $0 === request } }

  func note(_ authorization: Authorization, at now: BootInstant) {
    joinHistory(authorization)
    // A rule of the configuration concerns one desktop-id, and the client may declare another one.
    let isRefused =
      !authorization.isAuthorized && ![.undecided, .disallowedByConfiguration].contains(authorization.reason)
    if isRefused { (deniedAt, exactFrom) = (now, .distantFuture) }
    // A location may have arrived since the change that is being reviewed.
    if authorization.isAuthorized, exactFrom == .distantFuture { exactFrom = changedAt ?? now }
    tellHistory(authorization, at: now)
    if authorization.isAuthorized, !isProven {
      isProven = true
      onProven?()
    }
  }

  /// A new connection of a user is refused the locations that the older ones are refused.
  private func joinHistory(_ authorization: Authorization) {
    guard history == nil, authorization.reason != .undecided, !AccessHistory.isOfProgram(authorization.reason),
      authorization.status != .authorizedAlways, let user = credentials?.userID, let shared = historyOf?(user)
    else { return }
    shared.clientCame()
    history = shared
    (deniedAt, exactFrom) = (max(deniedAt, shared.deniedAt), max(exactFrom, shared.exactFrom))
  }

  private func tellHistory(_ authorization: Authorization, at now: BootInstant) {
    guard let history else { return }
    let before = isAuthorizedInUse
    isAuthorizedInUse = authorization.status == .authorizedWhenInUse
    if isAuthorizedInUse {
      history.granted(wasAuthorized: before, since: changedAt ?? now, at: now)
    } else {
      history.refused(authorization, wasAuthorized: before, at: now)
    }
  }

  /// Returns whether the client, which is authorized, may receive a location from before its call, as far as that
  /// depends on the access of its user when the location arrived.
  func mayReceive(_ location: Location) -> Bool {
    let arrival = location.receivedAt
    guard exactFrom == .origin || arrival > exactFrom || location.isAsserted else { return false }
    guard isAuthorizedInUse, let history else { return true }
    return history.knownFrom.map { arrival > $0 } ?? false
  }

  override var isWaiting: Bool { !objects.isEmpty || !requests.isEmpty }

  /// Calls `action` with the credentials once the account is known, too, possibly immediately. If the bus does not
  /// report the credentials, calls it with nil, and the client must be refused.
  func whenKnown(_ action: @escaping (Credentials?) -> Void) {
    if account != nil { return action(credentials) }
    lookup.ask(about: name, isUrgent: true) { [weak self] answer in
      // Another question about it may have been answered before.
      let credentials = answer ?? self?.credentials
      self?.credentials = credentials
      guard let self, let gatekeeper, credentials != nil else { return action(nil) }
      gatekeeper.findAccount(of: self) { [weak self] in
        if let self, account == nil { account = self.gatekeeper?.account(of: self) }
        action(credentials)
      }
    }
  }

  /// Ends everything that the client owns, without signals, because the connection has left the bus.
  func end() {
    lookup.forget(name)
    for request in requests { request.end(nil) }
    for object in objects.values { object.end(nil) }
    requests = []
    objects = [:]
    onEnd?()
    onEnd = nil
  }
}
