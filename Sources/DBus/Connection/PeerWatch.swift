// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// Reports connections that leave the bus, with one match for all of them.
///
/// A match for each peer would reach the bus's limit on rules (512 on dbus-daemon).
@MainActor public final class PeerWatch {
  private weak var connection: Connection?
  private var match: SignalMatch?
  private var actions: [BusName: () -> Void] = [:]
  private let interval: Duration
  /// Nil if the bus must be listed soon.
  private var listedAt: MonotonicInstant? = MainLoop.main.clock.monotonic()
  private var listing: PendingCall?

  /// Watches the connection's bus while this object lives. `interval` is the minimum time between two calls of
  /// `ListNames`.
  public init(on connection: Connection, listingEvery interval: Duration = .seconds(10)) {
    self.connection = connection
    self.interval = interval
    match = connection.onSignal(.nameVanished) { [weak self] signal in
      guard let name = signal.arguments.first?.string.flatMap(BusName.init(validating:)), name.isUnique else { return }
      self?.gone(name)
    }
    connection.whenRejoined(self) { [weak self] _ in
      // Peers that left while the connection was lost have not been reported.
      self?.listedAt = nil
      self?.listing = nil
      self?.reconcileWithBus()
    }
  }

  isolated deinit { connection?.forgetRejoin(self) }

  /// Calls `action` once when the connection with this unique name leaves. Replaces an earlier action for the name.
  public func whenGone(_ peer: BusName, _ action: @escaping () -> Void) { actions[peer] = action }

  /// Removes the action of a peer.
  public func forget(_ peer: BusName) { actions[peer] = nil }

  /// The number of watched peers.
  public var count: Int { actions.count }

  /// Lists the connections on the bus, unless that was done recently. Call it whenever there is activity anyway.
  ///
  /// If another program fills this connection's queue at dbus-daemon with a hundred megabytes, dbus-daemon silently
  /// drops further messages, including `NameOwnerChanged`.
  public func reconcileWithBus() {
    let now = MainLoop.main.clock.monotonic()
    guard let connection, listing == nil, !actions.isEmpty, listedAt.map({ now - $0 >= interval }) ?? true else {
      return
    }
    listedAt = now
    // Peers added after this call may be missing from the answer.
    let followed = Array(actions.keys)
    listing = connection.call(Message(callingBus: "ListNames"), expecting: "as") { [weak self] result in
      guard let self else { return }
      listing = nil
      guard let names = (try? result.get())?.first?.array else { return }
      let here = Set(names.compactMap(\.string))
      for name in followed where !here.contains(name.rawValue) { gone(name) }
    }
  }

  private func gone(_ peer: BusName) { actions.removeValue(forKey: peer)?() }
}
