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
  /// Times are recognised in descriptions by their size.
  public static var begin: Instant<Clock> { 1_000_000_000_000 }

  public init(
    _ machine: Machine, depth: Int, step: Duration = .microseconds(1), _ events: [Event],
    wakeUp: (Machine) -> Instant<Clock>?, _ handle: (inout Machine, Event, Instant<Clock>) -> Void
  ) {
    var front = [Node(machine: machine, now: Self.begin, path: [])]
    for level in 0...depth {
      var next: [Node] = []
      for node in front where seen.insert(Self.key(node)).inserted {
        nodes.append(node)
        guard level < depth else { continue }
        let due =
          wakeUp(node.machine).map { [max(node.now, $0 - step), max(node.now, $0), max(node.now, $0 + step)] } ?? []
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
