// SPDX-License-Identifier: Apache-2.0
import Glibc

package enum UserID {
  /// The user that this process runs as.
  package static var own: UInt32 { getuid() }
}
