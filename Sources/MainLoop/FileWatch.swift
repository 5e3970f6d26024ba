// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// Conditions of a file descriptor, both to wait for and as reported.
nonisolated public struct FileCondition: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Data can be read.
  public static let readable = FileCondition(rawValue: G_IO_IN.rawValue)
  /// Writing would not block.
  public static let writable = FileCondition(rawValue: G_IO_OUT.rawValue)
  /// The other side has closed the descriptor.
  public static let hangUp = FileCondition(rawValue: G_IO_HUP.rawValue)
  /// The descriptor has an error.
  public static let error = FileCondition(rawValue: G_IO_ERR.rawValue)
}

extension MainLoop {
  /// Calls `action` whenever the descriptor meets one of the given conditions. Hang-up and error are always reported.
  ///
  /// The descriptor remains the caller's and must outlive the returned source. After a hang-up, `action` is called
  /// repeatedly until the source ends.
  public func watch(
    descriptor: Int32, for conditions: FileCondition, _ action: @escaping (FileCondition) -> Void
  ) -> FileWatch {
    FileWatch(descriptor, for: conditions, action)
  }
}

/// A watch of one file descriptor.
public final class FileWatch: LoopSource {
  /// Must not be used after the watch has ended.
  private let source: UnsafeMutablePointer<GSource>
  private var isPolled = false

  init(_ descriptor: Int32, for conditions: FileCondition, _ action: @escaping (FileCondition) -> Void) {
    guard let source = g_source_new(FileWatch.functions, guint(MemoryLayout<cglib_file_source>.size)) else {
      fatalError("out of memory")
    }
    let poll = FileWatch.pollRecord(of: source)
    poll.initialize(to: GPollFD(fd: descriptor, events: 0, revents: 0))
    // Allow recursion, although no action runs the loop. Otherwise GLib removes the source from the poll while it is
    // dispatched and adds it again, which costs four system calls each time.
    g_source_set_can_recurse(source, 1)
    self.source = source
    super.init(attaching: source) {
      action(FileCondition(rawValue: UInt32(poll.pointee.revents)))
      return true
    }
    wait(for: conditions)
  }

  /// Changes the conditions. If there are none, hang-up and error are not reported either.
  public func wait(for conditions: FileCondition) {
    guard isActive else { return }
    let poll = FileWatch.pollRecord(of: source)
    poll.pointee.events = gushort(truncatingIfNeeded: conditions.rawValue)
    // poll(2) always reports a hang-up, so a watch without conditions must not be polled.
    guard isPolled == conditions.isEmpty else { return }
    isPolled.toggle()
    if isPolled {
      g_source_add_poll(source, poll)
    } else {
      g_source_remove_poll(source, poll)
      poll.pointee.revents = 0
    }
  }

  private static func pollRecord(of source: UnsafeMutablePointer<GSource>) -> UnsafeMutablePointer<GPollFD> {
    let record = UnsafeMutableRawPointer(source) + (MemoryLayout<cglib_file_source>.offset(of: \.poll) ?? 0)
    return record.assumingMemoryBound(to: GPollFD.self)
  }

  private static let functions: UnsafeMutablePointer<GSourceFuncs> = {
    let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
    functions.initialize(to: GSourceFuncs())
    functions.pointee.check = { source in
      guard let source else { return 0 }
      return FileWatch.pollRecord(of: source).pointee.revents == 0 ? 0 : 1
    }
    functions.pointee.dispatch = { _, callback, data in callback?(data) ?? 0 }
    return functions
  }()
}
