// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport

/// The candidates for the word at the cursor: `geopublicist --complete WORD...` prints a line for each candidate, with
/// a tab and its meaning, or `:files`, `:folders` or `:command`, which the shell completes itself.
enum Completion {
  private typealias Candidate = (word: String, meaning: String)

  /// - Parameter words: The words after the program's name; the last one is at the cursor and may be empty.
  static func lines(_ words: [String]) -> String {
    let (before, current) = (Array(words.dropLast()), words.last ?? "")
    let (word, rest) = Invocation.split(before) ?? ("", before)
    let match = Suggestion.match(word, among: Geopublicist.names + ["help", "version"])
    let name = if case .found(let name) = match { name } else { word }
    let command = Geopublicist.commands.first { $0.name == name }
    let parser = command.map { Invocation.parser(of: $0) } ?? Geopublicist.parserWithoutCommand
    var candidates: [Candidate] = []
    if rest.contains("--"), command?.operands?.hasPart("COMMAND") == true {
      candidates = [(":command", "")]
    } else if let option = before.last.flatMap({ parser.optionAwaitingValue($0) }) {
      candidates = values(of: option)
    } else if current.hasPrefix("--"), let end = current.firstIndex(of: "=") {
      let option = parser.optionAwaitingValue(String(current[..<end]))
      candidates = option.map { values(of: $0, behind: current[...end]) } ?? []
    } else if current.hasPrefix("-") {
      candidates = parser.options.map { ("--\($0.name)", $0.help) }
    } else if let command {
      candidates = operands(of: command, after: (try? parser.parse(rest)) ?? [])
    } else if name == "" || name == "help" {
      candidates = Geopublicist.commands.map { ($0.name, $0.summary) }
      candidates += [("help", tr("Show the options of a command")), ("version", tr("Show the version"))]
    }
    return candidates.filter { $0.word.hasPrefix(":") || $0.word.hasPrefix(current) }
      .map { $0.meaning.isEmpty ? "\($0.word)\n" : "\($0.word)\t\($0.meaning)\n" }.joined()
  }

  private static func values(of option: OptionParser.Option, behind prefix: Substring = "") -> [Candidate] {
    option.value == "FOLDER" ? [(":folders", "")] : option.words.map { (prefix + $0, "") }
  }

  private static func operands(of command: any Command.Type, after operands: [String]) -> [Candidate] {
    if operands.isEmpty, command.operands?.hasPrefix("FILE") == true { return [(":files", "")] }
    return command.operandWords(after: operands).map { ($0, "") }
  }
}
