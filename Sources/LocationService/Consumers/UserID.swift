import Glibc

/// Users of the machine.
enum UserID {
  /// The user whom this process runs as.
  static var own: UInt32 { getuid() }
}
