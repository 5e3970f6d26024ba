// SPDX-License-Identifier: Apache-2.0
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistSimulatedKernel

/// An object of the client library that ends by itself, and what its program knows of it.
@MainActor final class LimitedObject {
  private unowned let world: World
  private(set) var options: ClientOptions
  /// Released when the program no longer needs it.
  var object: AnyObject?
  private let createdAt = kernel_boottime()
  private var begunAt: Int64?
  private var wasRefused = false
  private var updates: UInt32 = 0
  private(set) var hasEnded = false
  /// Whether the library has reported that it cannot serve the object.
  private var hasFailed = false
  /// Since when its level has been that of ``options``; nil if the change may have been refused.
  private var changedAt: Int64?
  /// When a limit last refused a call of its program, which is repeated within 10 s.
  var limitedAt: Int64 = .min / 2

  init(_ world: World, _ options: ClientOptions) {
    (self.world, self.options, changedAt) = (world, options, world.schedule.now)
  }

  func handle(_ event: ServiceSubscription.Event) {
    if case .update(let update) = event {
      updates += 1
      if options.maximumUpdates > 0, updates > options.maximumUpdates { broken("\(updates) updates") }
      // After a stall of the bus, the change waits behind the calls of all programs.
      let stalledUntil = min(world.stalled.upperBound, world.schedule.now) + world.burstTime
      let isChanged =
        changedAt.map { world.sentSince - max($0, limitedAt + 10_000_000, stalledUntil) > 2_000_000 } ?? false
      if isChanged, !update.isReduced, update.level != options.accuracy.contractName {
        world.checks.broken("the client library changes the level of a subscription", "\(update)")
      }
    }
    handle(event, finally: "completed")
  }

  func handle(_ event: ServiceRegion.Event) { handle(event, finally: "expired") }

  private func handle<Update>(_ event: ServiceEvent<Update>, finally word: String) {
    switch event {
    case .refused: wasRefused = true
    // One that was refused begins later than it has access.
    case .authorization(let new) where new.isAuthorized && !wasRefused: begunAt = begunAt ?? world.schedule.now
    case .interrupted:
      // It may not have begun if the service exited before it answered.
      if let time = begunAt, world.schedule.now - time < 1_000_000 { begunAt = nil }
    case .failure: changedAt = nil
    case .closed(let reason):
      world.tell("the library reports that its object is \(reason)")
      hasEnded = true
      let isOver = options.duration > .zero && kernel_boottime() >= createdAt + options.duration.microseconds
      let isUsed = options.maximumUpdates > 0 && updates == options.maximumUpdates
      if reason != word || !isOver && !isUsed { broken("\(reason) after \(updates) updates") }
    case .failed(let error, false):
      if hasFailed { world.checks.broken("the client library reports an outage once", "\(error)") }
      hasFailed = true
    case .resumed: hasFailed = false
    case .update, .authorization, .failed: break
    }
  }

  func change(to new: ClientOptions) {
    (options, changedAt) = (new, world.schedule.now)
    (object as? ServiceSubscription)?.change(to: new)
  }

  /// Checks that it has not outlived its duration on a bus that works.
  func checkEnd() {
    guard let begunAt, !hasEnded else { return }
    let age = world.schedule.now - begunAt
    if age > options.duration.microseconds + 1_500_000 { broken("it began \(age / 1_000) ms ago") }
  }

  private func broken(_ story: String) {
    world.checks.broken("an object of the client library ends when its limit is reached", story)
  }
}
