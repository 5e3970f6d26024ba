// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Reports changes to the files in folders, using inotify.
///
/// The kernel's events are not interpreted, because a folder may appear, vanish or be replaced at any time. They only
/// mean that something may have changed.
package final class FolderWatch {
  /// How long to wait for further changes, because a package manager writes several files.
  private static let delay = Duration.milliseconds(100)

  private let folders: [String]
  private let onChange: () -> Void
  private let descriptor: Int32
  private var watch: FileWatch?
  private var timer: LoopSource?

  /// Calls `onChange` shortly after a file in one of the folders has changed. If a folder does not exist, its nearest
  /// existing parent is watched.
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
      // One read per turn. Any remaining events keep the descriptor readable.
      _ = read(descriptor, buffer.baseAddress, buffer.count)
    }
    guard timer == nil else { return }
    timer = MainLoop.main.after(Self.delay) { [weak self] in
      guard let self else { return }
      timer = nil
      follow()
      onChange()
    }
  }
}
