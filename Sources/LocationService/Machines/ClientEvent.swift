// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// What happens to an object of a client: one vocabulary for subscriptions and pending calls.
nonisolated enum ClientEvent: Sendable {
  /// A call of `Start` whose facts have been gathered, by the number that ``ObjectState/startAsked()`` gave it.
  case start(UInt64)
  /// A call of `Stop`.
  case stop
  /// The owner has changed its options.
  case options(ClientOptions)
  /// The facts about the caller have been gathered; earlier decisions of the gatekeeper may be out of date.
  case prepared
  /// The current decision of the gatekeeper.
  case standing(Standing)
  /// The current state of the source.
  case source(UpstreamStatus)
  /// The chain has delivered a location of the followed level.
  case location(Location, AccuracyLevel)
  /// A failure of the source, which continues.
  case failure(LocationError)
  /// What a region goes by: a location of the followed level, and the microseconds since it was measured.
  case evidence(Location, AccuracyLevel, age: UInt64)
  /// The machine has slept and may be elsewhere.
  case slept
  /// The device may have moved.
  case check
  /// The requested time has come.
  case timer
  /// Time has passed in which no timer ran.
  case clockChanged
  /// The dialog has ended.
  case dialogEnded(Authorization)
  /// No dialog can be opened now.
  case dialogUnavailable(Limits.Key)
  /// It ends, and its owner is told the reason.
  case close(ClosedReason)
  /// It ends silently: its owner has left the bus.
  case ownerLeft
}

/// The gatekeeper's decision about a client at one moment.
nonisolated struct Standing: Equatable, Sendable {
  var authorization: Authorization
  /// The client is authorized, but the facts are being re-checked: until then calls are not answered, and the chain
  /// of a subscription keeps its newest location.
  var isHeld = false
  /// A dialog could grant more.
  var canAsk = false
  /// For a one-shot call: the newest location that it may have, if that is recent enough for it.
  var cached: Location?
}

/// Why a subscription or a region is gone; the raw values are those of `Closed`.
nonisolated enum ClosedReason: String, Sendable {
  case byClient = "by-consumer"
  case completed
  case used
  case expired
  case shutdown
}

/// What the shell around a machine does.
nonisolated enum ClientAction: Equatable, Sendable {
  /// Needs locations of this level from the source, or none.
  case need(AccuracyLevel?)
  /// Replaces the running chain by one for this level, or cuts it.
  case follow(AccuracyLevel?)
  /// Counts as receiving, or no longer.
  case receiving(Bool)
  /// Requests the current location from the source.
  case askSource
  /// Sends ``ClientEvent/timer`` at this time instead of an earlier requested one.
  case armTimer(UInt64)
  /// Notes the client's authorization in the journal.
  case audit(Authorization)
  /// Sends a location.
  case deliver(Delivery)
  /// Sends `StateChanged` of a region.
  case tell(RegionReport)
  /// Asks the region when it needs the source next.
  case reviewNeed
  /// Sends `AuthorizationChanged`.
  case announce(Authorization)
  /// Sends `ErrorOccurred`.
  case report(LocationError)
  /// Notes that a property has changed.
  case changed(MemberName)
  /// Answers the call at hand without values.
  case done
  /// Answers the call with a status and a reason.
  case reply(Authorization)
  /// Refuses the call.
  case refuse(Refusal)
  /// Asks the user.
  case openDialog
  /// Ends: releases everything, and tells the owner if there is a reason.
  case end(ClosedReason?)
}

/// A location as delivered to one client.
nonisolated struct Delivery: Equatable, Sendable {
  var location: Location
  /// The finest level that the location may reveal.
  var level: AccuracyLevel
  /// The granted level is coarser than the requested one.
  var isReduced: Bool
}

/// Why a call is refused.
nonisolated enum Refusal: Equatable, Sendable {
  case notAuthorized(Authorization)
  case interactionRequired(Authorization)
  case timeout
  case unavailable(UpstreamReason)
  case limit(Limits.Key)
  case ending
}

/// An object of a client, as a pure value. All times are microseconds of the boot clock.
nonisolated protocol ClientMachine: Sendable {
  /// Handles an event and returns the actions, in order.
  mutating func handle(_ event: ClientEvent, at now: UInt64) -> [ClientAction]
  /// The options of the client.
  var options: ClientOptions { get }
}

/// A machine of an object on the bus, which its owner starts and stops.
nonisolated protocol ObjectMachine: ClientMachine {
  var object: ObjectState { get set }
}

nonisolated extension ObjectMachine {
  var authorization: Authorization { object.authorization }

  /// Whether the owner is served: started, and allowed.
  var isActive: Bool { object.isActive }

  /// The finest level that its locations may reveal.
  var level: AccuracyLevel { object.level }

  /// Numbers a call of `Start` while its facts are gathered.
  mutating func startAsked() -> UInt64 { object.startAsked() }
}

/// What an object of a client uses of the service.
nonisolated struct Engagement: Equatable, Sendable {
  /// The level that the source must have.
  var need: AccuracyLevel?
  /// The level of the chain that runs.
  var follows: AccuracyLevel?
  var isReceiving = false

  /// Changes to another engagement; the actions do the same outside. The chain comes last, since it may deliver at
  /// once.
  mutating func change(to new: Engagement) -> [ClientAction] {
    var actions: [ClientAction] = []
    if new.follows != follows, follows != nil { actions.append(.follow(nil)) }
    if new.need != need { actions.append(.need(new.need)) }
    if new.isReceiving != isReceiving { actions.append(.receiving(new.isReceiving)) }
    if new.follows != follows, new.follows != nil { actions.append(.follow(new.follows)) }
    self = new
    return actions
  }

  /// Cuts the chain, so that the next change builds another one.
  mutating func cut() -> [ClientAction] {
    guard follows != nil else { return [] }
    follows = nil
    return [.follow(nil)]
  }
}
