// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// Reports connections that leave the bus, with one match for all of them.
///
/// A match for each peer would stop at the bus's limit of rules (512 on dbus-daemon).
@MainActor public final class PeerWatch {
  private weak var connection: Connection?
  private var match: SignalMatch?
  private var actions: [BusName: () -> Void] = [:]
  private let interval: Int64
  private var lastRollCall = MainLoop.main.clock.monotonic()
  private var rollCall: PendingCall?

  /// Watches the connection's bus, as long as this object lives. `interval` is how far apart roll calls are at least,
  /// in microseconds.
  public init(on connection: Connection, rollCallsEvery interval: Int64 = 10_000_000) {
    self.connection = connection
    self.interval = interval
    match = connection.onSignal(.nameVanished) { [weak self] signal in
      guard let name = signal.arguments.first?.string.flatMap(BusName.init(validating:)), name.isUnique else { return }
      self?.gone(name)
    }
    connection.rejoinActions[ObjectIdentifier(self)] = { [weak self] _ in
      // Whoever has left meanwhile has not been announced.
      self?.lastRollCall = .min
      self?.rollCall = nil
      self?.reconcileWithBus()
    }
  }

  isolated deinit { connection?.rejoinActions[ObjectIdentifier(self)] = nil }

  /// Calls `action` once when the connection with this unique name has left; replaces an earlier action for it.
  public func whenGone(_ peer: BusName, _ action: @escaping () -> Void) { actions[peer] = action }

  /// Removes the action for a peer.
  public func forget(_ peer: BusName) { actions[peer] = nil }

  /// The number of followed peers.
  public var count: Int { actions.count }

  /// Lists the connections on the bus, unless that was done recently; call it whenever something happens anyway.
  ///
  /// A program that sends a slow receiver a hundred megabytes fills its queue at dbus-daemon, which then silently
  /// drops further messages, including `NameOwnerChanged`.
  public func reconcileWithBus() {
    let now = MainLoop.main.clock.monotonic()
    guard let connection, rollCall == nil, !actions.isEmpty, lastRollCall == .min || now - lastRollCall >= interval
    else { return }
    guard let message = try? Message(callingBus: "ListNames") else { return }
    lastRollCall = now
    // Who comes after this may not be in the answer.
    let followed = Array(actions.keys)
    rollCall = connection.call(message, expecting: "as") { [weak self] result in
      guard let self else { return }
      rollCall = nil
      guard let names = (try? result.get())?.first?.array else { return }
      let here = Set(names.compactMap(\.string))
      for name in followed where !here.contains(name.rawValue) { gone(name) }
    }
  }

  private func gone(_ peer: BusName) { actions.removeValue(forKey: peer)?() }
}
