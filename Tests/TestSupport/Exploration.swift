// SPDX-License-Identifier: Apache-2.0

/// Tries every order of events on a pure state machine, breadth first and up to a depth. Each event happens at once, just
/// before, at, and after the machine's next deadline.
///
/// Two states are the same if their descriptions are, with times relative to the present.
public struct Exploration<Machine, Event> {
  public struct Node {
    public let machine: Machine
    public let now: Int64
    public let path: [Event]
  }

  /// The states that were reached, each once.
  public private(set) var nodes: [Node] = []
  private var seen: Set<String> = []
  /// Times are recognised in descriptions by their size.
  public static var begin: Int64 { 1_000_000_000_000 }

  public init(
    _ machine: Machine, depth: Int, _ events: [Event], wakeUp: (Machine) -> Int64?,
    _ handle: (inout Machine, Event, Int64) -> Void
  ) {
    var front = [Node(machine: machine, now: Self.begin, path: [])]
    for step in 0...depth {
      var next: [Node] = []
      for node in front where seen.insert(Self.key(node)).inserted {
        nodes.append(node)
        guard step < depth else { continue }
        let due = wakeUp(node.machine).map { [max(node.now, $0 - 1), max(node.now, $0), max(node.now, $0 + 1)] } ?? []
        for event in events {
          for time in Set([node.now, node.now + 1_000] + due).sorted() {
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
      if digits.utf8.count >= 13, let time = Int64(digits) { key += "\(time - node.now)" } else { key += digits }
      digits = ""
      key.unicodeScalars.append(Unicode.Scalar(character))
    }
    return key
  }
}
