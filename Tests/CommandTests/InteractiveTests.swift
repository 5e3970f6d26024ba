// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import geopublicist

/// What `--interactive` says about a question that did not end in a yes.
@Suite struct InteractiveTests {
  private func said(_ reason: AuthorizationReason, after seconds: Int64?, onTerminal: Bool = false) -> String? {
    AuthorizationPrompt.explanation(of: reason, afterSeconds: seconds, onTerminal: onTerminal)
  }

  @Test func `an unanswered question differs from one that was never shown`() {
    #expect(said(.authorizationRequired, after: 119) == "Nobody answered within two minutes")
    #expect(said(.authorizationRequired, after: 0)?.contains("no polkit agent runs") == true)
  }

  @Test func `a refusal on a terminal may be a wrong password`() {
    #expect(said(.rejectedByAgent, after: 5, onTerminal: true)?.contains("the password was wrong") == true)
    #expect(said(.rejectedByAgent, after: 5)?.contains("asked again") == true)
  }

  @Test func `without a question the reason says all`() {
    #expect(said(.authorizationRequired, after: nil) == nil && said(.disabledByUser, after: 3) == nil)
  }
}
