// SPDX-License-Identifier: Apache-2.0
import DBus

/// Decides when this program is its user's GeoClue agent.
///
/// GeoClue follows the agent that registered last, and forgets the user when an earlier one leaves the bus, so a second
/// agent must not register at all. Only GeoClue may call agents. If GeoClue returns a client to a program of this user,
/// an agent is registered.
nonisolated struct AgentMachine {
  enum Event: Hashable, Sendable {
    case geoclueAppeared
    case geoclueVanished
    /// GeoClue has returned a client to this user, so another agent is registered; without a client there is none.
    case probed(isAnotherRegistered: Bool)
    /// A connection of this user is another agent: it announced its level, or it belongs to a desktop's program.
    case rivalFound(BusName, hasAnnounced: Bool)
    /// The user's connections, one of which is the agent that GeoClue follows.
    case candidates(Set<BusName>)
    case left(BusName)
    case accepted
    /// GeoClue's configuration does not allow this agent.
    case refused
  }

  enum Action: Hashable, Sendable {
    /// Find out whether another agent is registered. Replaces an earlier probe.
    case probe
    case register
    /// List the user's connections, one of which is the agent that GeoClue follows.
    case listCandidates
  }

  enum Phase: Hashable, Sendable {
    case withoutGeoClue
    case probing
    case registering
    case registered
    case aside
    case refused
  }

  private(set) var phase = Phase.withoutGeoClue
  private(set) var rivals: Set<BusName> = []
  private var candidates: Set<BusName> = []
  /// Desktops' agents that are not registered with this GeoClue: GNOME's gives up after one failure.
  private var idleDesktops: Set<BusName> = []
  /// Whether the last GeoClue followed another agent, as the next one probably will.
  private var wasAside = false
  /// Whether this GeoClue has accepted this agent, and may still follow it.
  private var wasAccepted = false

  /// Whether another agent decides for GeoClue's clients. The service asks every agent of a user.
  var standsAside: Bool { !rivals.isEmpty || phase == .aside || (phase == .withoutGeoClue && wasAside) }

  var followsDepartures: Bool { !rivals.isEmpty || !candidates.isEmpty }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .geoclueAppeared: return probe()
    case .geoclueVanished:
      wasAside = phase == .aside
      wasAccepted = false
      candidates = []
      idleDesktops = []
      phase = .withoutGeoClue
    case .probed(let isAnotherRegistered):
      guard phase == .probing else { return [] }
      // A rival that leaves before it registers changes nothing for GeoClue, which still follows this agent.
      let isOther = isAnotherRegistered && !(wasAccepted && rivals.isEmpty)
      phase = isOther ? .aside : .registering
      if isOther { return rivals.isEmpty ? [.listCandidates] : [] }
      wasAccepted = false
      idleDesktops.formUnion(rivals)
      rivals = []
      return [.register]
    case .rivalFound(let name, let hasAnnounced):
      guard hasAnnounced || !idleDesktops.contains(name) else { return [] }
      idleDesktops.remove(name)
      rivals.insert(name)
      // During a probe GeoClue's answer decides.
      if phase == .registered || phase == .registering { phase = .aside }
    case .candidates(let names): if phase == .aside { candidates = names }
    case .left(let name):
      let wasRival = rivals.remove(name) != nil
      let wasCandidate = candidates.remove(name) != nil
      idleDesktops.remove(name)
      if phase == .aside, wasCandidate || (wasRival && rivals.isEmpty) { return probe() }
      if rivals.isEmpty, wasRival { wasAside = false }
    case .accepted:
      wasAccepted = true
      if phase == .registering { phase = .registered }
    case .refused: if phase == .registering { phase = .refused }
    }
    return []
  }

  private mutating func probe() -> [Action] {
    candidates = []
    phase = .probing
    return [.probe]
  }
}
