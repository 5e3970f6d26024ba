// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// A change of state that evidence supports and that is not committed yet.
///
/// One bad fix must not cause an event, even where good fixes are too close to the border to be evidence themselves.
/// Such uncertain fixes therefore count against the candidate. A candidate that nothing contradicts may rest on a
/// single fix, because Wi-Fi may be silent for long.
struct RegionCandidate: Equatable, Sendable {
  /// The new state, never unknown.
  let state: RegionState
  /// When the first evidence arrived.
  let since: BootInstant
  /// When the first evidence was measured.
  let measured: Timestamp
  /// The newest location that supports it.
  var newest: Location
  /// The numbers of measurements for and against the candidate.
  private var (support, against) = (1, 0)
  /// How many supporting measurements outweigh one that counts against it. The errors of a receiver last for as long as
  /// the confirmation, so a majority does not prove that the device has left the state in which it is known to be.
  private let majority: Int
  /// The smallest assumed accuracy of the supporters, in metres.
  private var finest: Double
  /// The newest measurement that counts against it.
  private var contrary: Timestamp?
  /// When the last location for or against the candidate arrived.
  private var weighedAt: BootInstant

  init(_ state: RegionState, against known: RegionState, _ location: Location, at now: BootInstant) {
    self.state = state
    majority = known == .unknown ? 1 : 5
    (since, weighedAt) = (now, now)
    measured = location.timestamp
    newest = location
    finest = RegionEvidence.accuracy(of: location) ?? .infinity
  }

  /// Adds evidence for the new state. The same measurement supports once.
  mutating func support(_ location: Location, at now: BootInstant) {
    if newest.timestamp != location.timestamp { support += 1 }
    newest = location
    finest = min(finest, RegionEvidence.accuracy(of: location) ?? .infinity)
    weighedAt = now
  }

  /// Weighs an uncertain location against the candidate. A location far coarser than the supporters and the region is
  /// no evidence for either.
  ///
  /// Returns false if the candidate is refuted: after twice the confirmation, as many measurements count against it as
  /// for it.
  mutating func weigh(_ location: Location, _ configuration: RegionConfiguration, at now: BootInstant) -> Bool {
    let isLate = now > since + configuration.confirm * 2
    guard !isLate else { return against < support }
    guard let accuracy = RegionEvidence.accuracy(of: location), contrary != location.timestamp,
      accuracy <= max(configuration.region.radius, 2 * finest)
    else { return true }
    against += 1
    contrary = location.timestamp
    weighedAt = now
    return true
  }

  /// When the candidate is committed unless further locations arrive; nil if the evidence against it prevents that.
  func due(_ configuration: RegionConfiguration) -> BootInstant? {
    if support > 1, support > majority * against { return since + configuration.confirm }
    return against == 0 ? since + configuration.confirm * 3 : nil
  }

  /// When the candidate is abandoned because the evidence against it prevents the commit and no further location
  /// arrives.
  func end(_ configuration: RegionConfiguration) -> BootInstant? {
    due(configuration) == nil ? weighedAt + configuration.confirm * 3 : nil
  }
}
