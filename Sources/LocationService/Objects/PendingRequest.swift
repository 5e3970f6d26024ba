// SPDX-License-Identifier: Apache-2.0
/// A call that waits for a decision or a location.
protocol PendingRequest: AnyObject {
  func handle(_ event: ClientEvent)
  /// Queries the gatekeeper again.
  func refresh()
}
