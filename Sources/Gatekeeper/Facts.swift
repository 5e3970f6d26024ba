// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// All that the decision about one client rests on.
nonisolated struct Facts: Hashable, Sendable {
  /// Whose connection it is.
  enum Person: CaseIterable, Hashable, Sendable {
    /// Root, whom no rule of ours could keep out.
    case root
    /// The user as whom the daemon runs.
    case own
    /// Anybody else.
    case other
  }

  /// Where the client's process lives.
  enum Confinement: CaseIterable, Hashable, Sendable {
    /// Not looked up yet.
    case unknown
    /// On the host, like any program.
    case host
    /// In a Flatpak or a Snap.
    case sandbox
    /// Nobody would tell.
    case unverifiable
  }

  /// What polkit says of one action.
  enum Answer: CaseIterable, Hashable, Sendable {
    /// It has not answered yet.
    case unknown
    case yes
    case no
    /// Yes, if the person says so in a dialog.
    case challenge
    /// It cannot be asked.
    case unavailable
  }

  /// What the GeoClue agents of the client's user allow.
  enum AgentLevel: Hashable, Sendable {
    /// They are being looked for.
    case unknown
    /// There is none.
    case none
    /// The least of what they allow; ``AccuracyLevel/none`` is off.
    case level(AccuracyLevel)
  }

  /// What logind says of the client's user.
  enum Session: CaseIterable, Hashable, Sendable {
    /// It has not answered yet.
    case unknown
    case active
    case inactive
    /// There is no logind: polkit's answer stands alone.
    case untracked
  }

  /// Whether the client's process belongs to a session of its user.
  enum Placement: CaseIterable, Hashable, Sendable {
    case unknown
    case session
    /// It is a system service or a job.
    case outside
  }

  /// Facts that may have changed and are being confirmed; the last known one still stands.
  struct Doubts: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let policy = Doubts(rawValue: 1)
    static let session = Doubts(rawValue: 2)
    static let agents = Doubts(rawValue: 4)
  }

  /// What GeoClue's configuration says of the declared desktop-id and this user.
  enum Rule: CaseIterable, Hashable, Sendable {
    case silent
    case disallowed
  }

  var person: Person
  var confinement = Confinement.unknown
  var rule = Rule.silent
  /// Of the action `access`.
  var reduced = Answer.unknown
  /// Of the action `access-precise`.
  var precise = Answer.unknown
  /// Of the action `access-without-agent`.
  var withoutAgent = Answer.unknown
  var session = Session.unknown
  var agent = AgentLevel.unknown
  var placement = Placement.unknown
  /// The facts for which deliveries have to wait.
  var held: Doubts = []

  init(_ person: Person) { self.person = person }

  subscript(action: PolkitAction) -> Answer {
    get {
      switch action {
      case .access: reduced
      case .accessPrecise: precise
      case .accessWithoutAgent: withoutAgent
      }
    }
    set {
      switch action {
      case .access: reduced = newValue
      case .accessPrecise: precise = newValue
      case .accessWithoutAgent: withoutAgent = newValue
      }
    }
  }
}

/// The polkit actions of the service.
nonisolated enum PolkitAction: String, CaseIterable, Hashable, Sendable {
  /// The location up to the town.
  case access = "org.geopublicist.location1.access"
  /// The location as it is.
  case accessPrecise = "org.geopublicist.location1.access-precise"
  /// The location without a GeoClue agent of the user's own, and without regard to sessions.
  case accessWithoutAgent = "org.geopublicist.location1.access-without-agent"

  /// The finest level that the first of the actions is for.
  static let reducedLevel = AccuracyLevel.city
}
