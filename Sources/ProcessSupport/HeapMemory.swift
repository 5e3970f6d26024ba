import GeopublicistCGLib

/// How the C library keeps the memory of this program.
public enum HeapMemory {
  /// Has large pieces given back to the system as soon as they are free.
  ///
  /// By itself the C library takes a large piece that was freed for a sign of more to come: after one message of 30 MB it
  /// would keep up to 60 MB of free memory for good (`M_MMAP_THRESHOLD` in mallopt(3)). Setting the threshold, to what it is
  /// at the start, ends that.
  public static func keepSmall() {
    mallopt(M_MMAP_THRESHOLD, 128 * 1024)
  }
}
