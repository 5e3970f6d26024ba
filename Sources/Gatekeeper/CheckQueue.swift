import DBus

/// Which polkit checks are under way, which wait, and who waits for them.
///
/// The bus lets a connection have 128 calls without a reply, and drops it or refuses calls beyond; so only ``capacity``
/// checks are under way at once. Dialogs, which take minutes, get a part of them only.
nonisolated struct CheckQueue {
  static let capacity = 64
  static let dialogCapacity = 16

  /// What is asked: one check serves all who ask the same.
  struct Question: Hashable, Sendable {
    let peer: BusName
    let action: PolkitAction
    /// Whether the person may be asked.
    let isInteractive: Bool
  }

  /// One check, as polkit knows it.
  typealias Number = UInt64

  enum Event {
    /// Somebody wants to know.
    case asked(Question)
    /// polkit has answered, or cannot.
    case answered(Number, Facts.Answer)
    /// polkit's rules or authorizations have changed: what is under way may already be wrong.
    case policyChanged
    /// Nobody wants to know any more.
    case withdrawn(Question)
    /// The connection has gone.
    case gone(BusName)
  }

  enum Action: Equatable {
    case send(Number, Question)
    /// polkit is told that nobody waits any more.
    case cancel(Number)
    case report(Question, Facts.Answer)
  }

  private struct Check {
    let question: Question
    var isOutdated = false
    var isWanted = true
  }

  private var underWay: [Number: Check] = [:]
  private var waiting: [Question] = []
  private var lastNumber: Number = 0

  /// How many checks polkit has not answered.
  var inFlight: Int { underWay.count }

  /// How many are still to be sent.
  var queued: Int { waiting.count }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .asked(let question):
      guard !waiting.contains(question), number(of: question) == nil else { return [] }
      waiting.append(question)
      return sendNext()
    case .answered(let number, let answer):
      guard let check = underWay.removeValue(forKey: number) else { return [] }
      guard check.isWanted else { return sendNext() }
      guard !check.isOutdated else {
        waiting.insert(check.question, at: 0)
        return sendNext()
      }
      return [.report(check.question, answer)] + sendNext()
    case .policyChanged:
      // A dialog's own success is such a change: its answer is right.
      for number in underWay.keys where underWay[number]?.question.isInteractive == false {
        underWay[number]?.isOutdated = true
      }
      return []
    case .withdrawn(let question):
      waiting.removeAll { $0 == question }
      return number(of: question).map { cancel($0) } ?? []
    case .gone(let peer):
      waiting.removeAll { $0.peer == peer }
      return underWay.filter { $0.value.question.peer == peer && $0.value.isWanted }.keys.sorted().flatMap {
        cancel($0)
      }
    }
  }

  private func number(of question: Question) -> Number? {
    underWay.first { $0.value.question == question && $0.value.isWanted }?.key
  }

  private mutating func cancel(_ number: Number) -> [Action] {
    // It keeps its place until polkit has answered that, too: the bus counts it as long.
    underWay[number]?.isWanted = false
    return [.cancel(number)]
  }

  private mutating func sendNext() -> [Action] {
    var actions: [Action] = []
    var dialogs = underWay.values.count { $0.question.isInteractive }
    var index = 0
    while underWay.count < Self.capacity, index < waiting.count {
      let question = waiting[index]
      if question.isInteractive, dialogs >= Self.dialogCapacity {
        index += 1
        continue
      }
      waiting.remove(at: index)
      if question.isInteractive { dialogs += 1 }
      lastNumber &+= 1
      underWay[lastNumber] = Check(question: question)
      actions.append(.send(lastNumber, question))
    }
    return actions
  }
}
