// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Users of the machine.
package enum UserID {
  /// The user whom this process runs as.
  package static var own: UInt32 { getuid() }
}
