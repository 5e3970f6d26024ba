// SPDX-License-Identifier: Apache-2.0
/// A publisher that starts only when connected, so that several subscribers can attach first.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts publishing. Cancel the returned object to stop.
  func connect() -> any Cancellable
}
