nonisolated extension Dictionary {
  /// Removes a value, and gives back the room of most of many that have gone; by itself a dictionary keeps all that it
  /// ever needed.
  @discardableResult
  public mutating func removeValueAndRoom(forKey key: Key) -> Value? {
    let value = removeValue(forKey: key)
    // A filter that keeps everything would return the same dictionary.
    if capacity > 256, count < capacity / 8 { self = Dictionary(uniqueKeysWithValues: map { ($0.key, $0.value) }) }
    return value
  }
}
