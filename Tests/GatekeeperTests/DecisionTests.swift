// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

/// The decision as a table of clients and their access, and invariants that hold for all possible rows.
struct DecisionTests {
  private static let everyAgent: [Facts.AgentLevel] =
    [.unknown, .none] + AccuracyLevel.allCases.map(Facts.AgentLevel.level)
  private static let everyLevel = AccuracyLevel.allCases.filter { $0 != .none }

  private static func everything() -> [Facts] {
    /// Combines each of the given facts with each value of another fact.
    func with<Value>(_ values: [Value], _ key: WritableKeyPath<Facts, Value>, _ all: [Facts]) -> [Facts] {
      all.flatMap { facts in
        values.map { value in
          var facts = facts
          facts[keyPath: key] = value
          return facts
        }
      }
    }
    var all = Facts.User.allCases.map { Facts($0) }
    all = with(Facts.Confinement.allCases, \.confinement, all)
    all = with(Facts.Rule.allCases, \.rule, all)
    for answer in [\Facts.reduced, \.precise, \.withoutAgent] { all = with(Facts.Answer.allCases, answer, all) }
    return with(everyAgent, \.agent, with(Facts.Session.allCases, \.session, all))
  }

  // MARK: The rows

  private typealias Row = (String, AccuracyLevel, Authorization, (inout Facts) -> Void)

  @Test func `each row of the decision table yields its authorization`() {
    let city = Authorization.authorized(.whenInUse, level: .city)
    let country = Authorization.authorized(.whenInUse, level: .country)
    let rows: [Row] = [
      ("agent 8", .exact, .authorized(.whenInUse), { _ in }),
      ("agent 8, asks for the city", .city, .authorized(.whenInUse, asked: .city), { _ in }),
      ("agent 4", .exact, city, { $0.agent = .level(.city) }),
      ("agent 4, asks for the city", .city, city.asking(.city), { $0.agent = .level(.city) }),
      ("agent 0", .exact, .refused(.disabledByUser), { $0.agent = .level(.none) }),
      ("no agent", .exact, .refused(.noAgent), { $0.agent = .none }),
      ("search in progress", .exact, .undecided, { $0.agent = .unknown }),
      ("polkit: no", .exact, .refused(.disallowedByPolicy), { ($0.reduced, $0.precise) = (.no, .no) }),
      ("polkit: reduced only", .exact, city, { $0.precise = .no }),
      ("polkit: reduced only, asks for the country", .country, city.asking(.country), { $0.precise = .no }),
      ("polkit: reduced only, agent 1", .exact, country, { ($0.precise, $0.agent) = (.no, .level(.country)) }),
      (
        "polkit asks", .exact, .refused(.authorizationRequired), { ($0.reduced, $0.precise) = (.challenge, .challenge) }
      ),
      (
        "polkit asks, agent 0", .exact, .refused(.disabledByUser),
        { ($0.reduced, $0.precise, $0.agent) = (.challenge, .challenge, .level(.none)) }
      ),
      (
        "polkit asks, no agent", .exact, .refused(.noAgent),
        { ($0.reduced, $0.precise, $0.agent) = (.challenge, .challenge, .none) }
      ),
      (
        "polkit is absent", .exact, .refused(.policyUnavailable),
        { ($0.reduced, $0.precise, $0.withoutAgent) = (.unavailable, .unavailable, .unavailable) }
      ),
      (
        "polkit exited while it was asked", .exact, .refused(.policyUnavailable),
        { ($0.precise, $0.reduced) = (.unavailable, .unknown) }
      ),
      ("polkit has not answered", .exact, .undecided, { $0.precise = .unknown }),
      ("session inactive", .exact, .refused(.sessionInactive), { $0.session = .inactive }),
      (
        "session inactive, so polkit refuses", .exact, .refused(.sessionInactive),
        { ($0.session, $0.precise, $0.reduced) = (.inactive, .no, .no) }
      ),
      (
        "session inactive, polkit has not answered again", .exact, .refused(.sessionInactive),
        { ($0.session, $0.precise) = (.inactive, .unknown) }
      ),
      ("no logind", .exact, .authorized(.whenInUse), { $0.session = .untracked }),
      ("geoclue.conf forbids", .exact, .refused(.disallowedByConfiguration), { $0.rule = .disallowed }),
      ("Flatpak", .exact, .refused(.sandboxed), { $0.confinement = .sandbox }),
      ("process unknown", .exact, .refused(.sandboxed), { $0.confinement = .unverifiable }),
      (
        "named by a rule, without anything else", .exact, .authorized(.always),
        { ($0.withoutAgent, $0.precise, $0.reduced, $0.agent, $0.session) = (.yes, .no, .no, .none, .inactive) }
      ),
      (
        "named by a rule, in a Flatpak", .exact, .refused(.sandboxed),
        { ($0.withoutAgent, $0.confinement) = (.yes, .sandbox) }
      ),
      (
        "a dialog about the rule is not shown", .exact, .refused(.noAgent),
        { ($0.withoutAgent, $0.agent) = (.challenge, .none) }
      ),
    ]
    for (name, level, expected, change) in rows {
      #expect(Decision(client(change), asking: level).authorization == expected, "\(name)")
    }
  }

  @Test(arguments: [Facts.User.root, .own])
  func `root and the service's own user need no consent`(_ user: Facts.User) {
    for facts in Self.everything() where facts.user == user {
      for level in Self.everyLevel {
        let expected: Authorization =
          switch (facts.confinement, facts.rule) {
          case (.unknown, _): .undecided
          case (.sandbox, _): .refused(.sandboxed)
          case (_, .disallowed): .refused(.disallowedByConfiguration)
          default: .authorized(.always)
          }
        #expect(Decision(facts, asking: level).authorization == expected)
      }
    }
  }

  // MARK: Invariants

  @Test func `no user receives more access than the agent, polkit and logind each allow`() {
    var granted = 0
    for facts in Self.everything() where facts.user == .other {
      for asked in Self.everyLevel {
        let authorization = Decision(facts, asking: asked).authorization
        guard authorization.isAuthorized else { continue }
        granted += 1
        #expect(facts.confinement == .host && facts.rule == .silent)
        if facts.withoutAgent == .yes {
          #expect(authorization.status == .authorizedAlways)
          continue
        }
        #expect(authorization.status == .authorizedWhenInUse)
        #expect(facts.session == .active || facts.session == .untracked)
        guard case .level(let allowed) = facts.agent else {
          Issue.record("granted without an agent: \(facts)")
          continue
        }
        #expect(authorization.level <= allowed)
        #expect(facts.precise == .yes || (facts.reduced == .yes && authorization.level <= .city))
      }
    }
    #expect(granted > 0)
  }

  @Test func `unknown facts never grant access`() {
    for facts in Self.everything() where facts.user == .other && facts.withoutAgent != .yes {
      let isUnknown =
        facts.confinement == .unknown || facts.withoutAgent == .unknown || facts.precise == .unknown
        || (facts.precise != .yes && facts.reduced == .unknown) || facts.session == .unknown || facts.agent == .unknown
      if isUnknown { #expect(!Decision(facts, asking: .exact).authorization.isAuthorized, "\(facts)") }
    }
  }

  @Test func `a dialog is offered only if consent would grant access`() {
    for facts in Self.everything() {
      for asked in Self.everyLevel {
        let decision = Decision(facts, asking: asked)
        #expect((decision.authorization.reason == .authorizationRequired) <= (decision.dialog != nil))
        guard let dialog = decision.dialog else { continue }
        let answer = dialog == .access ? \Facts.reduced : \Facts.precise
        #expect(dialog != .accessWithoutAgent)
        #expect(facts[keyPath: answer] == .challenge)
        var answered = facts
        answered[keyPath: answer] = .yes
        let after = Decision(answered, asking: asked).authorization
        #expect(after.isAuthorized, "\(facts)")
        #expect(after.revealedLevel(asked: asked) > decision.authorization.revealedLevel(asked: asked))
      }
    }
  }

  @Test func `the dialog asks only for the level that is needed`() {
    let facts = client { ($0.reduced, $0.precise) = (.challenge, .challenge) }
    #expect(Decision(facts, asking: .city).dialog == .access)
    #expect(Decision(facts, asking: .street).dialog == .accessPrecise)
    let more = client { $0.precise = .challenge }
    #expect(Decision(more, asking: .city).dialog == nil)
    #expect(Decision(more, asking: .exact).dialog == .accessPrecise)
    #expect(Decision(more, asking: .exact).authorization == .authorized(.whenInUse, level: .city, asked: .exact))
    let limited = client { ($0.precise, $0.agent) = (.challenge, .level(.city)) }
    #expect(Decision(limited, asking: .exact).dialog == nil, "the agent would not allow more")
  }

  /// Regression: a job of cron received the reason that its user has no active session while that user had one.
  @Test func `the refusal of a program outside a session names the rule that would allow it`() {
    for facts in [client { ($0.reduced, $0.precise) = (.no, .no) }, client { $0.session = .inactive }] {
      var outside = facts
      outside.placement = .outside
      let (inside, refusal) = (Decision(facts, asking: .exact), Decision(outside, asking: .exact))
      #expect(refusal.authorization.reason == inside.authorization.reason)
      #expect(refusal.authorization.sentence.contains("does not belong to a session"))
      #expect(refusal.authorization.sentence.contains("access-without-agent"))
      #expect(!inside.authorization.sentence.contains("does not belong"))
    }
    let other = client { ($0.placement, $0.agent) = (.outside, .level(.none)) }
    #expect(Decision(other, asking: .exact).authorization == .refused(.disabledByUser))
  }

  // MARK: Held deliveries

  @Test func `a fact that is being checked again holds deliveries if the decision depends on it`() {
    let (held, later) = (Hold<BootClock>(question: 1, isConfirmed: true), Hold<BootClock>(question: 2))
    for isNamed in [false, true] {
      #expect(Hold<BootClock>(policy: nil, session: nil, agents: nil, isNamed: isNamed) == nil)
      #expect(Hold(policy: held, session: nil, agents: nil, isNamed: isNamed) == held)
      #expect(Hold(policy: nil, session: held, agents: nil, isNamed: isNamed) == (isNamed ? nil : held))
      #expect(Hold(policy: nil, session: nil, agents: later, isNamed: isNamed) == (isNamed ? nil : later))
    }
    let both = Hold(policy: later, session: held, agents: nil, isNamed: false)
    #expect(both == Hold(question: 1), "all must be confirmed")
  }

  // MARK: The session deployment

  @Test func `in the session deployment, rules and sandboxes can only restrict what GeoClue has decided`() {
    var facts = Facts(.own)
    for geoClue in [Authorization.authorized(.always), .refused(.disabledByUser), .refused(.noAgent)] {
      facts.confinement = .host
      facts.rule = .silent
      #expect(Decision(facts, asking: .exact, geoClue: geoClue).authorization == geoClue)
      facts.rule = .disallowed
      #expect(Decision(facts, asking: .exact, geoClue: geoClue).authorization == .refused(.disallowedByConfiguration))
      for confinement in [Facts.Confinement.sandbox, .unverifiable] {
        facts.confinement = confinement
        #expect(Decision(facts, asking: .exact, geoClue: geoClue).authorization == .refused(.sandboxed))
      }
      facts.confinement = .unknown
      #expect(Decision(facts, asking: .exact, geoClue: geoClue).authorization == .undecided)
    }
  }
}

/// The logical implication: false only if the left side is true and the right side is false.
private func <= (left: Bool, right: Bool) -> Bool { !left || right }

/// Returns the facts about an ordinary user's unsandboxed program, with polkit's defaults for an active session.
private func client(_ change: (inout Facts) -> Void = { _ in }) -> Facts {
  var facts = Facts(.other)
  facts.confinement = .host
  facts.reduced = .yes
  facts.precise = .yes
  facts.withoutAgent = .no
  facts.session = .active
  facts.agent = .level(.exact)
  change(&facts)
  return facts
}
