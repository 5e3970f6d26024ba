// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// What is known about the access of one user's clients, so that a new connection does not receive a location from when
/// the user had no access.
///
/// Only access that depends on the user's session counts. Nobody notices a change of it while the user has no authorized
/// client. Without one, the user is therefore no longer known to have access as soon as another location arrives.
final class AccessHistory {
  /// When the user was last seen without access, and when access was last regained, which is the far future while it is
  /// refused. Both are the origin if the newest location is from after that.
  private(set) var (deniedAt, exactFrom) = (BootInstant.origin, BootInstant.origin)
  /// The time since which the user could have requested each location. Nil if that is unknown.
  private(set) var knownFrom: BootInstant?
  private var clients = 0
  private var authorizedClients = 0

  /// Whether nothing must be stored any more.
  var isOver: Bool { clients == 0 && knownFrom == nil }

  func clientCame() { clients += 1 }

  func clientLeft(wasAuthorized: Bool) {
    clients -= 1
    if wasAuthorized { authorizedClients -= 1 }
  }

  /// Notes that a client is authorized.
  ///
  /// - Parameter time: When the change happened that restored its access.
  func granted(wasAuthorized: Bool, since time: BootInstant, at now: BootInstant) {
    if !wasAuthorized { authorizedClients += 1 }
    if exactFrom == .distantFuture { exactFrom = time }
    // A call without options accepts a location of that age.
    knownFrom = knownFrom ?? max(.origin, now - ClientOptions.defaultMaximumAge)
  }

  /// Whether a reason concerns one program and says nothing about its user.
  static func isOfProgram(_ reason: AuthorizationReason) -> Bool {
    [.sandboxed, .rejectedByAgent, .disallowedByConfiguration].contains(reason)
  }

  /// Notes that a client has no access, or no longer depends on its user's. The former counts for the user unless another
  /// client is authorized.
  func refused(_ authorization: Authorization, wasAuthorized: Bool, at now: BootInstant) {
    if wasAuthorized { authorizedClients -= 1 }
    guard authorizedClients == 0, !authorization.isAuthorized, !Self.isOfProgram(authorization.reason),
      authorization.status != .notDetermined
    else { return }
    (deniedAt, exactFrom, knownFrom) = (now, .distantFuture, nil)
  }

  /// Notes that a location has arrived.
  ///
  /// - Parameter newest: When the newest published one arrived.
  func locationArrived(newest: BootInstant) {
    if authorizedClients == 0 { knownFrom = nil }
    if newest > exactFrom { (deniedAt, exactFrom) = (.origin, .origin) }
  }
}
