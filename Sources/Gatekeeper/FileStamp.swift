// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Identifies a version of a file, so that a change can be detected. Stamps of a missing file are equal.
nonisolated struct FileStamp: Equatable, Sendable {
  let path: String
  private var inode: UInt64 = 0
  private var size: Int64 = -1
  private var seconds: Int = 0
  private var nanoseconds: Int = 0

  init(path: String) {
    self.path = path
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = Int(status.st_mtim.tv_sec)
    nanoseconds = Int(status.st_mtim.tv_nsec)
  }
}
