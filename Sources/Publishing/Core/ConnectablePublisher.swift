// SPDX-License-Identifier: Apache-2.0
/// A publisher that starts on request, so that several subscribers can be attached before.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts publishing; the returned object stops it when it is cancelled.
  func connect() -> any Cancellable
}
