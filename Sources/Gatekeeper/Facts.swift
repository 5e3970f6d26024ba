// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The facts on which the decision about one client is based.
nonisolated struct Facts: Hashable, Sendable {
  /// The user behind the connection.
  enum User: CaseIterable, Hashable, Sendable {
    /// Root. polkit, the session and the agent are not consulted, because root could bypass them.
    case root
    /// The user that the service runs as.
    case own
    case other
  }

  /// Whether the client's process is sandboxed.
  enum Confinement: CaseIterable, Hashable, Sendable {
    /// The check is in progress.
    case unknown
    case host
    case sandbox
    /// The process could not be looked up.
    case unverifiable
  }

  /// polkit's answer for one action.
  enum Answer: CaseIterable, Hashable, Sendable {
    /// polkit has not answered yet.
    case unknown
    case yes
    case no
    /// Allowed if the user authenticates in a dialog.
    case challenge
    /// polkit cannot be asked.
    case unavailable
  }

  /// The access that the agents of the client's user allow.
  enum AgentLevel: Hashable, Sendable {
    /// The search for agents is in progress.
    case unknown
    /// No agent is running.
    case none
    /// The coarsest level that an agent allows. ``AccuracyLevel/none`` means location is turned off.
    case level(AccuracyLevel)
  }

  /// The state of the client's user according to logind.
  enum Session: CaseIterable, Hashable, Sendable {
    /// logind has not answered yet.
    case unknown
    case active
    case inactive
    /// logind is not installed, so polkit's answer alone decides.
    case untracked
  }

  /// Whether the client's process belongs to a session of its user.
  enum Placement: CaseIterable, Hashable, Sendable {
    case unknown
    case session
    /// In a system service or a job.
    case outside
  }

  /// The rule in GeoClue's configuration for the declared desktop-id and this user.
  enum Rule: CaseIterable, Hashable, Sendable {
    case silent
    case disallowed
  }

  var user: User
  var confinement = Confinement.unknown
  var rule = Rule.silent
  /// polkit's answer for `access`.
  var reduced = Answer.unknown
  /// polkit's answer for `access-precise`.
  var precise = Answer.unknown
  /// polkit's answer for `access-without-agent`.
  var withoutAgent = Answer.unknown
  var session = Session.unknown
  var agent = AgentLevel.unknown
  var placement = Placement.unknown

  init(_ user: User) { self.user = user }
}

nonisolated enum PolkitAction: String, CaseIterable, Hashable, Sendable {
  /// Locations up to ``AccuracyLevel/city``.
  case access = "org.geopublicist.location1.access"
  /// Exact locations.
  case accessPrecise = "org.geopublicist.location1.access-precise"
  /// Locations without a GeoClue agent and regardless of the user's session.
  case accessWithoutAgent = "org.geopublicist.location1.access-without-agent"

  /// The finest level that ``access`` permits.
  static let reducedLevel = AccuracyLevel.city
}

nonisolated struct PolkitReply: Hashable, Sendable {
  let answer: Facts.Answer
  /// Whether a yes rests on an authentication that polkit keeps only for a while. polkit sends `Changed` when it
  /// expires.
  let isTemporary: Bool

  init(_ answer: Facts.Answer, isTemporary: Bool = false) {
    self.answer = answer
    self.isTemporary = isTemporary
  }

  static let unavailable = PolkitReply(.unavailable)
}
