// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// The state machine of a client's object or call.
nonisolated protocol ClientMachine: StateMachine, Sendable where Event: ClientEvent, Clock == BootClock {
  var options: ClientOptions { get }
}

/// The state machine of an object or call that receives locations.
nonisolated protocol LocationMachine: ClientMachine where Event: LocationEvent, Action == LocationAction<Own> {
  /// The actions of this kind of machine.
  associatedtype Own: Equatable & Sendable
}

/// The state machine of an object on the bus that its owner starts and stops.
nonisolated protocol ObjectMachine: LocationMachine where Event: ObjectEvent, Own == ObjectAction<Kind> {
  associatedtype Kind: Equatable & Sendable
  var object: ObjectState<Kind> { get set }
  /// The number of messages sent to the owner.
  var delivered: UInt64 { get }
  /// Causes the state to be sent to the owner again.
  mutating func forgetTold()
}

nonisolated extension ObjectMachine {
  mutating func forgetTold() { object.forgetTold() }

  var authorization: Authorization { object.authorization }

  /// Whether the object is started and its owner authorized.
  var isActive: Bool { object.isActive }

  /// The finest level that the object's locations may reveal.
  var level: AccuracyLevel { object.level }

  /// Whether failures of the source are reported to the owner.
  var reportsFailures: Bool { object.isStarted && authorization.status != .restricted }

  /// Numbers a `Start` call whose facts are being gathered.
  var stops: UInt64 { object.stops }
}
