// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The resources of the service that a client's object uses.
nonisolated struct ServiceUse: Equatable, Sendable {
  var need: AccuracyLevel?
  var follows: AccuracyLevel?
  var isReceiving = false

  /// Changes to another use and returns the matching actions. The chain comes last, because it may deliver
  /// immediately.
  mutating func change<Own>(to new: ServiceUse) -> [LocationAction<Own>] {
    var actions: [LocationAction<Own>] = []
    if new.follows != follows, follows != nil { actions.append(.follow(nil)) }
    if new.need != need { actions.append(.need(new.need)) }
    if new.isReceiving != isReceiving { actions.append(.receiving(new.isReceiving)) }
    if new.follows != follows, new.follows != nil { actions.append(.follow(new.follows)) }
    self = new
    return actions
  }

  /// Ends a call with this answer, if any.
  mutating func end<Own>(_ answer: Own?) -> [LocationAction<Own>] {
    change(to: ServiceUse()) + [.end(nil)] + (answer.map { [.own($0)] } ?? [])
  }

  /// Removes the chain, so that the next change creates a new one.
  mutating func cut<Own>() -> [LocationAction<Own>] {
    guard follows != nil else { return [] }
    follows = nil
    return [.follow(nil)]
  }
}
