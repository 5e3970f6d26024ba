// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@Suite struct AuthorizationTests {
  /// The table of the D-Bus contract: every reason with the status that it decides.
  static let contract: [(word: String, status: String?)] = [
    ("no-agent", "not-determined"), ("authorization-required", "not-determined"), ("undecided", "not-determined"),
    ("disabled-by-user", "denied"), ("rejected-by-agent", "denied"), ("session-inactive", "denied"),
    ("disallowed-by-configuration", "restricted"), ("disallowed-by-policy", "restricted"),
    ("sandboxed", "restricted"), ("policy-unavailable", "restricted"),
    ("", nil), ("reduced-accuracy", nil),
  ]

  @Test(arguments: contract)
  func `each reason belongs to one status`(word: String, status: String?) throws {
    let reason = try #require(AuthorizationReason(rawValue: word))
    #expect(reason.refusedStatus?.rawValue == status)
    let refusal = Authorization.refused(reason)
    #expect(refusal.status.rawValue == status ?? "not-determined")
    #expect(refusal.reason == (status == nil ? .undecided : reason))
    #expect(refusal.level == AccuracyLevel.none)
    #expect(!refusal.isAuthorized)
  }

  @Test func `all reasons and statuses are those of the contract`() {
    #expect(Set(AuthorizationReason.allCases.map(\.rawValue)) == Set(Self.contract.map(\.word)))
    #expect(
      Set(AuthorizationStatus.allCases.map(\.rawValue)) == [
        "not-determined", "restricted", "denied", "authorized-when-in-use", "authorized-always",
      ])
    #expect(AuthorizationStatus.allCases.filter(\.isAuthorized) == [.authorizedWhenInUse, .authorizedAlways])
  }

  @Test(arguments: AuthorizationReason.allCases.filter { $0.refusedStatus != nil })
  func `a refused client receives no location at any level`(reason: AuthorizationReason) {
    let made = Authorization.refused(reason)
    #expect(made.sentence == reason.sentence)
    #expect(made.asking(.city) == made)
    #expect(made.revealedLevel(asked: .exact) == AccuracyLevel.none)
  }

  @Test(
    arguments: [
      (level: .exact, asked: .exact, reason: .none, revealed: .exact),
      (level: .exact, asked: .city, reason: .none, revealed: .city),
      (level: .city, asked: .exact, reason: .reducedAccuracy, revealed: .city),
      (level: .city, asked: .city, reason: .none, revealed: .city),
      (level: .country, asked: .city, reason: .reducedAccuracy, revealed: .country),
    ] as [(level: AccuracyLevel, asked: AccuracyLevel, reason: AuthorizationReason, revealed: AccuracyLevel)])
  func `a grant that is coarser than requested has the reason reduced-accuracy`(
    level: AccuracyLevel, asked: AccuracyLevel, reason: AuthorizationReason, revealed: AccuracyLevel
  ) {
    for (scope, status) in [
      (Authorization.Scope.always, AuthorizationStatus.authorizedAlways),
      (.whenInUse, .authorizedWhenInUse),
    ] {
      let grant = Authorization.authorized(scope, level: level, asked: asked)
      #expect(grant.status == status)
      #expect(grant.reason == reason)
      #expect(grant.level == level)
      #expect(grant.revealedLevel(asked: asked) == revealed)
      #expect(Authorization.authorized(scope, level: level, asked: .country).asking(asked) == grant)
    }
  }

  @Test func `level 0 of an agent is a refusal`() {
    #expect(Authorization.authorized(.always, level: .none) == .refused(.disabledByUser))
    #expect(Authorization.authorized(.whenInUse, level: .none, asked: .country) == .refused(.disabledByUser))
  }

  @Test(arguments: AuthorizationReason.allCases)
  func `the message of each reason is one sentence that explains what to do`(reason: AuthorizationReason) {
    let sentence = reason.sentence
    #expect(sentence.first?.isLetter == true)
    #expect(reason == .none || sentence.contains("; "), "the sentence contains the remedy")
    #expect(!sentence.contains("/") && !sentence.contains("\n") && !sentence.contains(". "))
    #expect(sentence.utf8.count <= 255)
    #expect(!sentence.contains { $0.isNumber })
    #expect(AuthorizationReason.allCases.filter { $0.sentence == sentence } == [reason])
  }

  @Test func `the message for a sandboxed caller names the portal`() {
    #expect(AuthorizationReason.sandboxed.sentence.contains("org.freedesktop.portal.Location"))
  }
}

@Suite struct AccuracyLevelTests {
  @Test(
    arguments: [
      (0, .none), (1, .country), (2, .country), (3, .country), (4, .city), (5, .neighborhood), (6, .street),
      (7, .street),
      (8, .exact), (9, .exact), (99, .exact), (.max, .exact),
    ] as [(UInt32, AccuracyLevel)])
  func `an unknown level number is rounded to the next coarser level`(number: UInt32, level: AccuracyLevel) {
    #expect(AccuracyLevel(rounding: number) == level)
  }

  @Test(arguments: AccuracyLevel.allCases)
  func `rounding a known level number yields that level`(level: AccuracyLevel) {
    #expect(AccuracyLevel(rounding: level.rawValue) == level)
  }

  @Test(
    arguments: [
      ("country", .country), ("city", .city), ("neighborhood", .neighborhood), ("street", .street), ("exact", .exact),
      ("none", nil), ("", nil), ("Exact", nil), (" exact", nil), ("exact\0", nil), ("unknown", nil),
    ] as [(String, AccuracyLevel?)])
  func `a level can be requested only by one of the five names`(name: String, level: AccuracyLevel?) {
    #expect(AccuracyLevel(contractName: name) == level)
    if let level { #expect(level.contractName == name) }
  }

  @Test func `the level none has a display name`() {
    #expect(AccuracyLevel.none.contractName == "none")
  }

  @Test func `a coarser level is less than a finer one`() {
    #expect(AccuracyLevel.allCases.shuffled().sorted() == [.none, .country, .city, .neighborhood, .street, .exact])
    #expect(min(AccuracyLevel.city, .exact) == .city)
  }
}

@Suite struct SourceStatusTests {
  @Test func `the names of levels match the documentation`() {
    #expect(SourceState.allCases.map(\.rawValue) == ["idle", "starting", "waiting", "running", "unavailable"])
    #expect(
      SourceReason.allCases.map(\.rawValue) == [
        "", "no-agent", "geoclue-not-installed", "geoclue-restarting", "no-source", "no-fix", "resting",
        "disabled-by-user", "rejected-by-agent", "disallowed-by-configuration", "disallowed-by-policy",
      ])
  }

  @Test func `a refusal that is passed on as the source's reason remains the same`() {
    for reason in AuthorizationReason.allCases {
      let upstream = SourceReason(refusal: reason)
      #expect(upstream == .none || upstream.rawValue == reason.rawValue)
    }
    #expect(SourceReason(refusal: .disabledByUser) == .disabledByUser)
    #expect(SourceReason(refusal: .noAgent) == .noAgent)
    #expect(SourceReason(refusal: .undecided) == .none)
    #expect(SourceReason(refusal: .reducedAccuracy) == .none)
  }

  @Test(arguments: [(nil, "unknown"), (.some(.none), "none"), (.city, "city")] as [(AccuracyLevel?, String)])
  func `the levels none and unknown have different names`(level: AccuracyLevel?, name: String) {
    #expect(SourceStatus(state: .running, availableAccuracy: level).availableAccuracyName == name)
  }
}
