import DBus
import GeopublicistLocationModel

/// What is known of the agents of one user.
final class UserAgents {
  /// Whether every connection of the user has been asked once.
  var isSearched = false
  /// How many rounds of questions have not come to their end.
  var rounds = 0
  /// Those who wait for a search to end.
  var waiting: [() -> Void] = []

  private var levels: [BusName: AccuracyLevel] = [:]
  private var refusals: Set<BusName> = []
  private var questions: [BusName: AgentQuestion] = [:]
  private var queued: [AgentQuestion] = []
  /// Those whose answer is on its way and may be old already, with who wants the next one.
  private var again: [BusName: (AccuracyLevel?) -> Void] = [:]

  /// How many connections of one user are asked at once.
  private static let parallel = 24

  /// The least of what they allow, without the one that asks.
  func level(without peer: BusName) -> Facts.AgentLevel {
    guard isSearched else { return .unknown }
    return levels.filter { $0.key != peer }.values.min().map { .level($0) } ?? .none
  }

  /// Whether a connection has neither been asked nor is being asked.
  func isNew(_ name: BusName) -> Bool {
    levels[name] == nil && !refusals.contains(name) && !isBeingAsked(name)
  }

  /// Whether any connection has said that it is one.
  var hasAgent: Bool { !levels.isEmpty }

  func isAgent(_ name: BusName) -> Bool { levels[name] != nil }

  /// Notes what an agent allows; returns whether that is news.
  func set(_ level: AccuracyLevel, of name: BusName) -> Bool {
    refusals.remove(name)
    return levels.updateValue(level, forKey: name) != level
  }

  /// A connection has gone, or is no agent any more; returns whether it was one.
  func remove(_ name: BusName) -> Bool {
    refusals.remove(name)
    again[name] = nil
    return levels.removeValue(forKey: name) != nil
  }

  /// Those that were no agents may have become agents.
  func forgetRefusals() { refusals = [] }

  /// Asks an agent once more, which has said that something has changed; once, however often it says so meanwhile.
  func askAgain(_ name: BusName, through probes: ProbePool, _ handler: @escaping (AccuracyLevel?) -> Void) {
    if isBeingAsked(name) {
      again[name] = handler
    } else {
      ask(name, through: probes, handler)
    }
  }

  /// Asks a connection what it allows as an agent; nil if it is none.
  func ask(_ name: BusName, through probes: ProbePool, _ handler: @escaping (AccuracyLevel?) -> Void) {
    queued.append(
      AgentQuestion(name) { [weak self] level in
        self?.questions[name] = nil
        if level == nil { self?.refusals.insert(name) }
        handler(level)
        if let handler = self?.again.removeValue(forKey: name) { self?.ask(name, through: probes, handler) }
        self?.askNext(through: probes)
      })
    askNext(through: probes)
  }

  /// Tells those who wait.
  func finish() {
    let actions = waiting
    waiting = []
    for action in actions { action() }
  }

  private func isBeingAsked(_ name: BusName) -> Bool {
    questions[name] != nil || queued.contains { $0.name == name }
  }

  private func askNext(through probes: ProbePool) {
    while questions.count < Self.parallel, !queued.isEmpty {
      let question = queued.removeFirst()
      questions[question.name] = question
      question.send(through: probes)
    }
  }
}
