import GeopublicistCDBus

extension Connection {
  /// Sends a template's signal along a route.
  ///
  /// While nothing is queued here, it is written to the socket as it is, past libdbus, which would copy it, make its header
  /// anew for each receiver, and write it alone. When the socket has no room, libdbus queues it as any other message. The
  /// order of all that is sent is kept.
  public func send(_ template: SignalTemplate, along route: SignalRoute) {
    guard isConnected else { return }
    routed.append((template, route))
    if togetherDepth < 1 || routed.count >= Self.largestBatch { writeRouted() }
  }

  /// Writes what is sent along routes inside of `body` in few pieces, at its end at the latest.
  public func together(_ body: () -> Void) {
    togetherDepth += 1
    body()
    togetherDepth -= 1
    if togetherDepth < 1 { writeRouted() }
  }

  /// Puts everything that was sent along routes on its way.
  func writeRouted() {
    guard !routed.isEmpty else { return }
    defer { routed.removeAll(keepingCapacity: true) }
    guard isConnected else { return }
    var done = 0
    if dbus_connection_has_messages_to_send(raw) == 0 {
      while done < routed.count, let count = writeWhole(from: done) { done += count }
    }
    for (template, route) in routed[done...] { enqueue(template.signal(at: route.path, to: route.destination)) }
  }

  /// More are not kept back: what is queued here has to be counted, for whoever must not queue too much.
  private static let largestBatch = 64

  /// Writes signals from an index on as one piece; returns how many, nil if that is not possible.
  private func writeWhole(from index: Int) -> Int? {
    var socket: Int32 = -1
    guard dbus_connection_get_unix_fd(raw, &socket) != 0 else { return nil }
    wire.removeAll(keepingCapacity: true)
    var count = 0
    for (template, route) in routed[index...] {
      guard let header = route.header(for: template, serial: nextRouteSerial()),
        wire.count + header.count + template.body.count <= WholeWrite.largest
      else { break }
      wire += header
      wire += template.body
      count += 1
    }
    guard count > 0, WholeWrite.write(wire, to: socket) else { return nil }
    return count
  }

  /// The serial number of the next signal that is written past libdbus, which counts its own from 1: nobody answers a signal,
  /// so all that matters is that it is not 0 and, for whoever looks on, not the same each time.
  private func nextRouteSerial() -> UInt32 {
    routeSerial = routeSerial &+ 1 | 1 << 31
    return routeSerial
  }
}
