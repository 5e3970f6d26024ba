// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Events of a client's object, shared by subscriptions, regions, almanacs and pending calls.
nonisolated enum ClientEvent: Sendable {
  /// `Start` was called, after so many calls of `Stop`, and its facts have been gathered.
  case start(after: UInt64)
  case stop
  /// The owner changed its options.
  case options(ClientOptions)
  /// The facts about the caller have been gathered, so earlier decisions may be outdated.
  case prepared
  /// The current decision of the gatekeeper.
  case standing(Standing)
  case source(SourceStatus)
  /// The chain delivered a location of the level that it follows.
  case location(Location, AccuracyLevel)
  /// The machine has slept and may have moved.
  case slept
  /// The device may have moved.
  case check
  /// The requested time has been reached.
  case timer
  /// Time has passed without timers running.
  case clockChanged
  case dialogEnded(Authorization)
  /// No dialog can be opened now.
  case dialogUnavailable(Limits.Key)
  /// The object ends, and its owner is told the reason.
  case close(ClosedReason)
  /// The owner has left the bus, so the object ends silently.
  case ownerLeft
}

/// A failure of the source since its last location, however many retries follow.
nonisolated struct Outage: Equatable, Sendable {
  let number: UInt64
  let error: LocationError
}

/// The gatekeeper's decision about a client at one moment.
nonisolated struct Standing: Equatable, Sendable {
  var authorization: Authorization
  /// The client is authorized, but facts are being confirmed. Until then, calls are not answered and a subscription's
  /// chain keeps its newest location.
  var isHeld = false
  /// A dialog could grant more access.
  var canAsk = false
  /// For a one-shot call, the newest location that it may receive, if recent enough.
  var cached: Location?
}

/// Why an object has ended. Raw values as in the signal `Closed`.
nonisolated enum ClosedReason: String, Sendable {
  case byClient = "by-consumer"
  case completed
  case used
  case expired
  case shutdown
}

/// Actions for the shell around a machine.
nonisolated enum ClientAction: Equatable, Sendable {
  /// Requires locations of this level from the source, or none.
  case need(AccuracyLevel?)
  /// Replaces the running chain with one for this level, or removes it.
  case follow(AccuracyLevel?)
  /// Counts the object as receiving, or no longer.
  case receiving(Bool)
  case askSource
  /// Sends ``ClientEvent/timer`` at this time, replacing any earlier request.
  case armTimer(BootInstant)
  case audit(Authorization)
  case deliver(Delivery)
  case tell(RegionReport)
  /// Asks when the object next needs the source.
  case reviewNeed
  /// The owner is to be told ``ObjectState/announcement()``.
  case announce
  case changed(MemberName)
  /// Answers the current call without values.
  case done
  /// Answers the call with a status and a reason.
  case reply(Authorization)
  case refuse(DBusError)
  case openDialog
  /// Ends the object, releases everything, and tells the owner the reason, if any.
  case end(ClosedReason?)
}

nonisolated struct Delivery: Equatable, Sendable {
  var location: Location
  /// Whether the granted level is coarser than the requested one.
  var isReduced: Bool
}

/// The state machine of a client's object or call.
nonisolated protocol ClientMachine: Sendable {
  mutating func handle(_ event: ClientEvent, at now: BootInstant) -> [ClientAction]
  var options: ClientOptions { get }
}

/// The state machine of an object on the bus that its owner starts and stops.
nonisolated protocol ObjectMachine: ClientMachine {
  var object: ObjectState { get set }
}

nonisolated extension ObjectMachine {
  var authorization: Authorization { object.authorization }

  /// Whether the object is started and its owner authorized.
  var isActive: Bool { object.isActive }

  /// The finest level that the object's locations may reveal.
  var level: AccuracyLevel { object.level }

  /// Whether the owner is told that the source fails.
  var reportsFailures: Bool { object.isStarted && authorization.status != .restricted }

  /// Numbers a `Start` call whose facts are being gathered.
  var stops: UInt64 { object.stops }
}

/// What a client's object uses of the service.
nonisolated struct Engagement: Equatable, Sendable {
  var need: AccuracyLevel?
  var follows: AccuracyLevel?
  var isReceiving = false

  /// Changes to another engagement and returns the matching actions. The chain comes last, because it may deliver
  /// immediately.
  mutating func change(to new: Engagement) -> [ClientAction] {
    var actions: [ClientAction] = []
    if new.follows != follows, follows != nil { actions.append(.follow(nil)) }
    if new.need != need { actions.append(.need(new.need)) }
    if new.isReceiving != isReceiving { actions.append(.receiving(new.isReceiving)) }
    if new.follows != follows, new.follows != nil { actions.append(.follow(new.follows)) }
    self = new
    return actions
  }

  /// Removes the chain, so that the next change creates a new one.
  mutating func cut() -> [ClientAction] {
    guard follows != nil else { return [] }
    follows = nil
    return [.follow(nil)]
  }
}
