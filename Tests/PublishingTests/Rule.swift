// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// A rule of an operator: a script of events, and the notes that must result.
///
/// Words of a script:
/// - `1`, `end`, `fail` of the source `up`, `a:1`, `a:end`, `a:fail` of the source `a`: it sends or completes, even
///   without demand. `a:?1` sends only if there is demand, as a subject does. `a:+1` also notes the demand that is
///   returned.
/// - `outer:a`: the outer source sends the source `a`.
/// - `ask:2`, `ask:all`, `cancel`: what the subscriber does.
/// - `0.5s`: time passes. `run`: time passes until nothing is left to do.
/// - `|`: puts a mark. `clear`: forgets the notes so far.
struct Rule: Sendable, CustomTestStringConvertible {
  let testDescription: String
  private let demand: Subscribers.Demand
  private let script: String
  /// The expected notes. Requests to the sources count only if a source is named.
  private let notes: String

  init(_ rule: String, asking demand: Subscribers.Demand = .unlimited, _ script: String, gives notes: String) {
    (testDescription, self.demand, self.script, self.notes) = (rule, demand, script, notes)
  }

  func check<P: Publisher>(_ build: (Stage) -> P, sourceLocation: SourceLocation = #_sourceLocation) {
    let stage = Stage()
    let recorder = build(stage).record(stage.trace, asking: demand)
    for word in script.split(separator: " ") { stage.play(word, recorder) }
    let isAboutSources = notes.contains(":")
    let noted = stage.trace.entries.filter { isAboutSources || !$0.contains(":") }
    #expect(noted.joined(separator: " ") == notes, sourceLocation: sourceLocation)
    #expect(recorder.breaches == [], sourceLocation: sourceLocation)
  }
}

/// The sources and the clock of a ``Rule``.
final class Stage {
  typealias Source = Probe<Int, TestError>

  let trace = Trace()
  let scheduler = TestScheduler()
  let (up, a, b, c): (Source, Source, Source, Source)
  let outer: Probe<Source, TestError>

  init() {
    (up, a, b, c) = (Source(trace), Source(trace, "a"), Source(trace, "b"), Source(trace, "c"))
    outer = Probe(trace, "outer")
  }

  fileprivate func play<Input, Failure>(_ word: Substring, _ subscriber: Recorder<Input, Failure>) {
    let parts = word.split(separator: ":")
    switch (parts[0], parts.last ?? "") {
    case ("|", _): trace.mark()
    case ("clear", _): trace.clear()
    case ("cancel", _): subscriber.cancel()
    case ("ask", let count): subscriber.request(Int(count).map { .max($0) } ?? .unlimited)
    case ("run", _): scheduler.run()
    case ("outer", let event): send(String(event), by: outer) { source($0) }
    case (let time, _) where word.hasSuffix("s"): scheduler.advance(by: .seconds(Double(time.dropLast()) ?? 0))
    case (let name, let event): send(String(event), by: parts.count == 1 ? up : source(String(name))) { Int($0) }
    }
  }

  private func source(_ name: String) -> Source? { [up, a, b, c].first { $0.name == name } }

  private func send<Value>(_ event: String, by source: Probe<Value, TestError>?, _ value: (String) -> Value?) {
    guard let source else {
      Issue.record("no such source for \(event)")
      return
    }
    let isOffered = event.hasPrefix("?")
    let isNoted = event.hasPrefix("+")
    switch (event, value(isOffered || isNoted ? String(event.dropFirst()) : event)) {
    case ("end", _): source.finish()
    case ("fail", _): source.fail(.oops)
    case (_, let value?) where isOffered: source.offer(value)
    case (_, let value?):
      let more = source.send(value)
      if isNoted { trace.add(more.traced) }
    default: Issue.record("no such word: \(event)")
    }
  }
}

extension Publisher {
  /// Adds to each value the time of its delivery.
  func timed(by scheduler: TestScheduler) -> Publishers.Map<Self, String> { map { "\($0)@\(scheduler.now)" } }
}
