// SPDX-License-Identifier: Apache-2.0
/// A publisher that starts when it is told to, so that several subscribers can be attached before.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Starts; what is returned stops it again.
  func connect() -> any Cancellable
}
