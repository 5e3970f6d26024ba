// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistGatekeeper

@Suite struct AnswerDeadlinesTests {
  @Test func `each deadline is shorter than the deadline of the wait that contains it`() {
    typealias Deadlines = AnswerDeadlines
    let chain = [
      accountTime, Deadlines.agentSearch, Deadlines.confirmation, Deadlines.gathering, Deadlines.answer,
      Deadlines.dialog, Deadlines.interactiveAnswer,
    ]
    for (inner, outer) in zip(chain, chain.dropFirst()) { #expect(inner < outer) }
    #expect(Deadlines.turn < Deadlines.gathering)
  }
}
