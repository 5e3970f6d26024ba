// SPDX-License-Identifier: Apache-2.0
/// A call that waits for something to happen.
protocol PendingRequest: AnyObject {
  /// Handles an event.
  func handle(_ event: ClientEvent)
  /// Asks the gatekeeper again.
  func refresh()
}
