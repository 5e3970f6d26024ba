// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Notices changes of the files in folders, with inotify.
///
/// The kernel's events are not interpreted: they mean only that something may have changed. A folder may appear,
/// vanish or be replaced at any time.
package final class FolderWatch {
  /// How long a change waits for further ones, in milliseconds: a package manager writes several files.
  private static let delay: Int64 = 100

  private let folders: [String]
  private let onChange: () -> Void
  private let descriptor: Int32
  private var watch: FileWatch?
  private var timer: LoopSource?

  /// Calls `onChange` soon after a file in one of the folders has changed. For a folder that does not exist, the one
  /// above it is watched.
  package init(_ folders: [String], _ onChange: @escaping () -> Void) {
    self.folders = folders
    self.onChange = onChange
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return }
    follow()
    watch = MainLoop.main.watch(descriptor: descriptor, for: .readable) { [weak self] _ in self?.changed() }
  }

  isolated deinit {
    watch = nil
    if descriptor >= 0 { close(descriptor) }
  }

  private func follow() {
    let events = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
    for folder in folders {
      var path = folder[...]
      while inotify_add_watch(descriptor, String(path), UInt32(events)) < 0, let slash = path.lastIndex(of: "/"),
        slash > path.startIndex
      {
        path = path[..<slash]
      }
    }
  }

  private func changed() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
      // One read per turn: the remainder makes the descriptor readable again.
      _ = read(descriptor, buffer.baseAddress, buffer.count)
    }
    guard timer == nil else { return }
    timer = MainLoop.main.after(milliseconds: Self.delay) { [weak self] in
      guard let self else { return }
      timer = nil
      follow()
      onChange()
    }
  }
}
