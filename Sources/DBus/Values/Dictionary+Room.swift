nonisolated extension Dictionary {
  /// Removes a value, and gives back the room of most of many that have gone; by itself a dictionary keeps all that it
  /// ever needed.
  @discardableResult
  public mutating func removeValueAndRoom(forKey key: Key) -> Value? {
    let value = removeValue(forKey: key)
    if capacity > 256, count < capacity / 8 { self = filter { _ in true } }
    return value
  }
}
