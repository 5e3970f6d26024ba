// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// Tries every order of events on a pure state machine, breadth first and up to a depth. Each event happens
/// immediately, and just before, at, and after the machine's next deadline.
///
/// Two states are the same if their descriptions are, with times relative to the present.
public struct Exploration<Machine, Event, Clock> {
  public struct Node {
    public let machine: Machine
    public let now: Instant<Clock>
    public let path: [Event]
  }

  /// The states that were reached, each once.
  public private(set) var nodes: [Node] = []
  private var seen: Set<String> = []
  private let names: Set<String>
  /// The events that happened in each state, by their names.
  private var pairs: [String: Set<String>] = [:]
  /// Times are recognised in descriptions by their size.
  public static var begin: Instant<Clock> { 1_000_000_000_000 }

  /// - Parameter state: Names the part of a state that decides which events are expected.
  public init(
    _ machine: Machine, depth: Int, step: Duration = .microseconds(1), _ events: [Event],
    state: (Machine) -> String, deadline: (Machine) -> Instant<Clock>?,
    _ handle: (inout Machine, Event, Instant<Clock>) -> Void
  ) {
    names = Set(events.map { caseName($0) })
    var front = [Node(machine: machine, now: Self.begin, path: [])]
    for level in 0...depth {
      var next: [Node] = []
      for node in front where seen.insert(Self.key(node)).inserted {
        nodes.append(node)
        guard level < depth else { continue }
        let due =
          deadline(node.machine).map { [max(node.now, $0 - step), max(node.now, $0), max(node.now, $0 + step)] } ?? []
        pairs[state(node.machine), default: []] = names
        for event in events {
          for time in Set([node.now, node.now + step * 1_000] + due).sorted() {
            var machine = node.machine
            handle(&machine, event, time)
            next.append(Node(machine: machine, now: time, path: node.path + [event]))
          }
        }
      }
      front = next
    }
  }

  /// Returns the pairs of an expected state and an event that did not happen, and the states that were not expected.
  public func differences(from expected: [String]) -> [String] {
    print("\(Machine.self): \(nodes.count) states, \(pairs.values.reduce(0) { $0 + $1.count }) pairs of \(expected)")
    let missing = expected.flatMap { state in names.subtracting(pairs[state] ?? []).map { "missing: \($0) in \(state)" }
    }
    return (missing + Set(pairs.keys).subtracting(expected).map { "unexpected: \($0)" }).sorted()
  }

  private static func key(_ node: Node) -> String {
    var (key, digits) = ("", "")
    for character in "\(node.machine) ".utf8 {
      if (48...57).contains(character) {
        digits.unicodeScalars.append(Unicode.Scalar(character))
        continue
      }
      if digits.utf8.count >= 13, let time = Int64(digits) {
        key += "\(time - node.now.sinceOrigin.microseconds)"
      } else {
        key += digits
      }
      digits = ""
      key.unicodeScalars.append(Unicode.Scalar(character))
    }
    return key
  }
}

/// Returns the name of an enumeration's case, without its values.
public func caseName(_ value: some Any) -> String { String(String(describing: value).prefix { $0 != "(" }) }

/// Returns the name of the case that a private property has.
public func caseName(of path: String..., in machine: some Any) -> String {
  var value: Any = machine
  for name in path { value = Mirror(reflecting: value).children.first { $0.label == name }?.value ?? "none" }
  return caseName(value)
}
