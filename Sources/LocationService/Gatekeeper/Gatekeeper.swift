import LocationModel

/// Decides what each consumer may have, now.
protocol Gatekeeper: AnyObject {
  /// What is decided at this moment; asks nobody.
  func authorization(for consumer: Consumer, asking level: AccuracyLevel, as desktopID: String) -> Authorization

  /// Gathers the facts about a consumer that are missing or old, then calls `action`: at once if there are none, and
  /// after ``gatheringTime`` whatever is missing then.
  func prepare(_ consumer: Consumer, _ action: @escaping () -> Void)

  /// Reads GeoClue's rules for applications again if they have changed.
  func reload()

  /// Whether a dialog could give a consumer more than it has now.
  func wouldAsk(_ consumer: Consumer, asking level: AccuracyLevel, as desktopID: String) -> Bool

  /// Asks the person, and calls the handler with what is decided then, unless the returned prompt ends before.
  func ask(
    _ consumer: Consumer, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt

  /// Whether GeoClue itself judges the consumers: then it has to run for a decision to come.
  var decidesByListening: Bool { get }

  /// Called when the decisions about a consumer may have become others; nil is all consumers.
  var onChange: ((Consumer?) -> Void)? { get set }
}

/// A dialog that is open, or waits to be.
final class Prompt {
  private var end: (() -> Void)?

  init(_ end: @escaping () -> Void) { self.end = end }

  /// Takes it back.
  func cancel() {
    let end = end
    self.end = nil
    end?()
  }
}

/// How long a call waits for facts, in milliseconds: a little less than the 5 s in which it has to be answered.
nonisolated let gatheringTime: Int64 = 4_500
