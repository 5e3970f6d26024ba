// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport

/// One literal block of the documentation. Lines that begin with `$ ` are commands, and the following lines are their
/// output.
struct Transcript {
  struct Step {
    var command: String
    var output: [String] = []
  }

  /// Its file and line, for messages.
  let place: String
  /// The word after the fence, such as `python`; usually empty.
  let language: String
  let lines: [String]

  /// The unchanged text.
  var text: String { lines.joined(separator: "\n") + "\n" }

  /// The commands with their outputs, if any.
  var steps: [Step] {
    var steps: [Step] = []
    var goesOn = false
    for line in lines {
      if goesOn {
        steps[steps.count - 1].command += "\n\(line)"
      } else if line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2))))
      } else if !steps.isEmpty {
        steps[steps.count - 1].output.append(line)
      }
      goesOn = line.hasSuffix("\\") && (goesOn || line.hasPrefix("$ "))
    }
    return steps
  }

  /// Every fenced block of a text in Markdown.
  static func all(inMarkdown file: String) throws -> [Transcript] {
    try blocks(of: file, from: { $0.hasPrefix("```") ? String($0.dropFirst(3)) : nil }, to: { $0 == "```" })
  }

  /// Every literal block of a manual page, in man or mdoc.
  static func all(inManual file: String) throws -> [Transcript] {
    try blocks(
      of: file, from: { $0 == ".EX" || $0.hasPrefix(".Bd -literal") ? "" : nil }, to: { $0 == ".EE" || $0 == ".Ed" },
      reading: { line in
        let characters = ["\\-": "-", "\\(aq": "'", "\\&": "", "\\e": "\\"]
        return characters.reduce(line) { $0.replacing($1.key, with: $1.value) }
      })
  }

  private static func blocks(
    of file: String, from begin: (String) -> String?, to isEnd: (String) -> Bool,
    reading read: (String) -> String = { $0 }
  ) throws -> [Transcript] {
    var blocks: [Transcript] = []
    var open: (line: Int, language: String, lines: [String])?
    let text = try String(contentsOfFile: Rig.sourceFile(file), encoding: .utf8)
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if let block = open {
        if isEnd(line) {
          blocks.append(Transcript(place: "\(file):\(block.line)", language: block.language, lines: block.lines))
          open = nil
        } else {
          open?.lines.append(read(line))
        }
      } else if let language = begin(line) {
        open = (index + 1, language, [])
      }
    }
    return blocks
  }
}

/// The part of an output that is the same in two runs of a command.
enum Shape {
  /// A line without numbers, ages and user names, and with single spaces between columns; nil for one that may be
  /// missing.
  static func line(_ line: String) -> String? {
    var line = String(line.replacing(#/\e\[[0-9;?]*[A-Za-z]/#, with: ""))
    while line.last?.isNewline == true { line.removeLast() }
    // Drops the text that was overwritten on a line of a terminal.
    line = line.components(separatedBy: "\r").last ?? line
    // GeoClue reports speed and heading from the second measurement on, and the source since 2.7.
    guard line.firstMatch(of: #/^(Speed|Heading|Source)\b/#) == nil else { return nil }
    line = String(line.replacing(#/ "(Speed|Heading)" d [-0-9.e]+| "Description" s "[^"]*"/#, with: ""))
    line = String(line.replacing(#/\((now|[0-9]+ [a-z]+ ago)\)/#, with: "(AGE)"))
    line = String(line.replacing(#/\b(day|night|twilight-morning|twilight-evening) until/#, with: "PHASE until"))
    line = String(line.replacing(#/\broot\b/#, with: NSUserName()))
    line = String(line.replacing(#/-?[0-9]+([-:.][0-9]+)*(T[0-9:.]+Z)?/#, with: "#"))
    line = String(line.replacing(#/ +/#, with: " "))
    while line.last == " " { line.removeLast() }
    return line
  }

  /// Whether a line matches the documented one, in which `…` matches anything.
  static func agree(_ found: String, _ shown: String) -> Bool {
    let parts = shown.components(separatedBy: "…")
    guard parts.count > 1 else { return found == shown }
    var rest = found[...]
    for (index, part) in parts.enumerated() where !part.isEmpty {
      guard let range = index == 0 ? rest.prefixRange(part) : rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return parts.last == "" || rest.isEmpty
  }

  /// Whether lines match the documented ones. Lines that are too wide for the page are broken there.
  static func agree(_ found: [String], _ shown: [String]) -> Bool {
    var shown = shown[...]
    for line in found {
      guard var whole = shown.popFirst() else { return false }
      while !agree(line, whole), whole.count < line.count, let next = shown.popFirst() {
        whole += " " + next.drop { $0 == " " }
      }
      guard agree(line, whole) else { return false }
    }
    return shown.isEmpty
  }

  /// The lines of an output, without empty ones at its end.
  static func lines(_ output: [String]) -> [String] {
    var rows: [String?] = []
    for text in output {
      // A region that is drawn again in the same place.
      if let up = text.firstMatch(of: #/\e\[([0-9]+)A/#).flatMap({ Int($0.1) }) { rows.removeLast(min(up, rows.count)) }
      rows.append(line(text))
    }
    var lines = rows.compactMap(\.self)
    while lines.last == "" { lines.removeLast() }
    return lines
  }
}

extension Substring {
  /// The text's range if it is a prefix.
  fileprivate func prefixRange(_ text: String) -> Range<Index>? { range(of: text, options: .anchored) }
}
