// SPDX-License-Identifier: Apache-2.0
@_exported import PublishingTesting

/// The failure of most tests.
public enum TestError: Error, Equatable, Sendable {
  case oops
  case other
}
