// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

@testable import GeopublicistGatekeeper

/// Fuzzes the decision: a client must never get more than each deciding authority allows.
func fuzzDecision(_ source: ByteSource) {
  while !source.isEmpty {
    var facts = Facts(source.pick(Facts.User.allCases))
    facts.confinement = source.pick(Facts.Confinement.allCases)
    facts.rule = source.pick(Facts.Rule.allCases)
    facts.reduced = source.pick(Facts.Answer.allCases)
    facts.precise = source.pick(Facts.Answer.allCases)
    facts.withoutAgent = source.pick(Facts.Answer.allCases)
    facts.session = source.pick(Facts.Session.allCases)
    facts.agent = source.pick([.unknown, .none] + AccuracyLevel.allCases.map { .level($0) })
    let asked = source.pick(AccuracyLevel.allCases)
    check(Decision(facts, asking: asked), facts, asked)
    checkSession(facts, asked, source)
  }
}

private func check(_ decision: Decision, _ facts: Facts, _ asked: AccuracyLevel) {
  let authorization = decision.authorization
  claim(authorization.revealedLevel(asked: asked) <= asked, "the level is no finer than requested")
  claim(
    authorization.isAuthorized == (authorization.level > .none), "a decision has a level exactly if it grants access")
  guard authorization.isAuthorized else { return }
  claim(facts.rule == .silent, "a rule that forbids access is obeyed")
  claim(
    facts.confinement == .host || facts.confinement == .unverifiable && facts.user != .other,
    "a sandboxed client is refused")
  guard facts.user == .other, facts.withoutAgent != .yes else { return }
  claim(facts.precise == .yes || facts.reduced == .yes, "polkit has granted access")
  claim(
    facts.precise == .yes || authorization.level <= PolkitAction.reducedLevel,
    "the level is no finer than polkit allows")
  claim(facts.session == .active || facts.session == .untracked, "the user has an active session")
  guard case .level(let agent) = facts.agent else { return claim(false, "the user has an agent") }
  claim(authorization.level <= agent, "the level is no finer than the agent allows")
}

private func checkSession(_ facts: Facts, _ asked: AccuracyLevel, _ source: ByteSource) {
  let geoClue = source.pick([
    Authorization.undecided, .refused(.disabledByUser), .refused(.disallowedByPolicy), .authorized(.always),
    .authorized(.whenInUse, level: .city),
  ])
  let authorization = Decision(facts, asking: asked, geoClue: geoClue).authorization
  guard authorization.isAuthorized else { return }
  claim(facts.confinement == .host && facts.rule == .silent, "sandboxed and forbidden clients are refused")
  claim(geoClue.isAuthorized && authorization.level <= geoClue.level, "the level is no finer than GeoClue allows")
}
