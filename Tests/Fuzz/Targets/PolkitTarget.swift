// SPDX-License-Identifier: Apache-2.0
import DBus

@testable import GeopublicistGatekeeper

/// Fuzzes the queue of polkit checks: each check must be answered, withdrawn or dropped, exactly once.
func fuzzPolkit(_ source: ByteSource) {
  var polkit = Polkit()
  while !source.isEmpty { polkit.step(source) }
  polkit.settle()
}

private struct Polkit {
  private var queue = PolkitQueue()
  private var underWay: [PolkitQueue.Number: PolkitQueue.Question] = [:]
  private var cancelled: Set<PolkitQueue.Number> = []
  private var asked: Set<PolkitQueue.Question> = []

  mutating func step(_ source: ByteSource) {
    let number = source.byte()
    let (peer, user) = (BusName(unchecked: ":1.\(number)"), Account.user(UInt32(number / 32)))
    let question = PolkitQueue.Question(
      peer: peer, action: source.pick(PolkitAction.allCases), isInteractive: source.number(below: 4) == 0)
    switch source.number(below: 10) {
    case 0, 1, 2, 3:
      asked.insert(question)
      perform(.asked(question, of: user, mayStartPolkit: source.number(below: 2) == 0))
    case 4:
      asked.remove(question)
      perform(.withdrawn(question))
    case 5:
      asked = asked.filter { $0.peer != peer }
      perform(.gone(peer))
    case 6: perform(.policyChanged(source.number(below: 2) == 0 ? peer : nil))
    case 7: perform(source.pick([.polkitLeft, .polkitCame, .waitedForPolkit]))
    default:
      // Includes answers to questions that were never asked.
      let numbers = underWay.keys.sorted() + [0, .max]
      answer(numbers[source.number(below: numbers.count)], source.pick([.yes, .no, .challenge, .unavailable, nil]))
    }
    check()
  }

  /// Makes polkit answer every question.
  mutating func settle() {
    var rounds = 0
    perform(.polkitCame)
    while !underWay.isEmpty, rounds < 10_000 {
      rounds += 1
      for number in underWay.keys.sorted() { answer(number, .no) }
      check()
    }
    claim(underWay.isEmpty && asked.isEmpty, "every question is answered")
  }

  private func check() {
    claim(underWay.count <= PolkitQueue.capacity, "the limit of the bus is respected")
    claim(underWay.values.count { $0.isInteractive } <= PolkitQueue.dialogCapacity, "dialogs leave room for others")
  }

  private mutating func answer(_ number: PolkitQueue.Number, _ answer: Facts.Answer?) {
    underWay[number] = nil
    cancelled.remove(number)
    perform(answer.map { .answered(number, PolkitReply($0)) } ?? .lost(number))
  }

  private mutating func perform(_ event: PolkitQueue.Event) {
    for action in queue.handle(event) {
      switch action {
      case .waitForPolkit: break
      case .send(let number, let question, _):
        claim(underWay.updateValue(question, forKey: number) == nil, "each question has its own number")
        // The answer from a dialog is confirmed by a check without one.
        let dialog = PolkitQueue.Question(peer: question.peer, action: question.action, isInteractive: true)
        claim(asked.contains(question) || asked.contains(dialog), "only wanted questions are sent")
      case .cancel(let number):
        claim(
          underWay[number] != nil && cancelled.insert(number).inserted, "only a pending question is cancelled, once")
      case .report(let question, _):
        claim(asked.remove(question) != nil, "each question that was asked is answered once")
      }
    }
  }
}
