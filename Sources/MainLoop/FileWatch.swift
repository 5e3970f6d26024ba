import CGLib

/// What to wait for on a file descriptor, and what has come.
nonisolated public struct FileCondition: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// There is something to read.
  public static let readable = FileCondition(rawValue: G_IO_IN.rawValue)
  /// Writing would not block.
  public static let writable = FileCondition(rawValue: G_IO_OUT.rawValue)
  /// The other side has closed.
  public static let hangUp = FileCondition(rawValue: G_IO_HUP.rawValue)
  /// Something is wrong with the descriptor.
  public static let error = FileCondition(rawValue: G_IO_ERR.rawValue)
}

extension MainLoop {
  /// Calls `action` whenever the descriptor is in one of the given conditions; hang-up and error are always reported.
  ///
  /// The descriptor stays the caller's: it must outlive the returned source.
  public func watch(
    descriptor: Int32, for conditions: FileCondition, _ action: @escaping (FileCondition) -> Void
  ) -> LoopSource {
    LoopSource(watching: descriptor, for: conditions.union([.hangUp, .error]), action)
  }
}

extension LoopSource {
  fileprivate convenience init(
    watching descriptor: Int32, for conditions: FileCondition, _ action: @escaping (FileCondition) -> Void
  ) {
    // GLib calls the callback of a descriptor's source with another signature than that of a plain one, so the
    // conditions are asked of the source afterwards instead of being taken from an argument.
    guard let source = g_source_new(Self.watchFunctions, guint(MemoryLayout<GSource>.size)) else {
      fatalError("out of memory")
    }
    let tag = g_source_add_unix_fd(source, descriptor, GIOCondition(rawValue: conditions.rawValue))
    self.init(attaching: source) {
      action(FileCondition(rawValue: g_source_query_unix_fd(source, tag).rawValue))
      return true
    }
  }

  private static let watchFunctions: UnsafeMutablePointer<GSourceFuncs> = {
    let functions = UnsafeMutablePointer<GSourceFuncs>.allocate(capacity: 1)
    functions.initialize(to: GSourceFuncs())
    functions.pointee.dispatch = { _, callback, data in callback?(data) ?? 0 }
    return functions
  }()
}
