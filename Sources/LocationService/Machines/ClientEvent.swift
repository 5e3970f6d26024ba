// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// Events of everything that belongs to a client: objects and pending calls.
///
/// Each requirement is `nonisolated` by itself, because the compiler of Swift 6.2 crashes if the whole protocol is
/// `nonisolated` and an enumeration's case satisfies a requirement.
protocol ClientEvent: MachineEvent, Sendable {
  /// The current decision of the gatekeeper.
  nonisolated static func access(_ access: ClientAccess) -> Self
  /// The object or call ends for a reason, which is sent to its owner. Without a reason, the owner has left the bus.
  nonisolated static func close(_ reason: ClosedReason?) -> Self
}

/// Events of machines that receive locations.
protocol LocationEvent: ClientEvent {
  /// The chain delivered a location.
  nonisolated static func location(_ location: Location) -> Self
  /// The machine has slept and may have moved.
  nonisolated static var slept: Self { get }
}

/// Events of objects that their owner starts and stops.
protocol ObjectEvent: LocationEvent {
  /// `Start` was called, after this number of `Stop` calls, and its facts have been gathered.
  nonisolated static func start(after stops: UInt64) -> Self
  nonisolated static var stop: Self { get }
  /// Time has passed without timers running.
  nonisolated static var clockChanged: Self { get }
}

/// Events of pending calls.
protocol CallEvent: ClientEvent {
  /// The facts about the caller have been gathered, so earlier decisions may be outdated.
  nonisolated static var prepared: Self { get }
  nonisolated static func source(_ status: SourceStatus) -> Self
}
