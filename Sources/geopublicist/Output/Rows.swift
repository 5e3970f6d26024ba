// SPDX-License-Identifier: Apache-2.0
/// Labels and values: in columns on a terminal, `Label: value` in a pipe.
nonisolated struct Rows {
  private struct Row {
    let label: String
    let value: String
    let emphasis: Emphasis?
    let detail: String
  }

  private var rows: [Row] = []

  /// Adds a row unless the value is nil. The detail appears below the value, or in parentheses in a pipe.
  mutating func add(_ label: String, _ value: String?, _ emphasis: Emphasis? = nil, detail: String = "") {
    if let value { rows.append(Row(label: label, value: value, emphasis: emphasis, detail: detail)) }
  }

  @MainActor func lines(for output: StandardOutput) -> [String] {
    guard output.isTerminal else {
      return rows.map { "\($0.label): \($0.value)" + ($0.detail.isEmpty ? "" : " (\($0.detail))") }
    }
    let width = rows.map(\.label.count).max() ?? 0
    return rows.flatMap { row in
      let label = Emphasis.faint.around(Text.padded(row.label, to: width), output.hasColors) + "  "
      let indent = String(repeating: " ", count: width + 2)
      let room = max(20, output.columns - width - 2)
      let values = Text.wrapped(row.value, to: room).map { row.emphasis?.around($0, output.hasColors) ?? $0 }
      let details = row.detail.isEmpty ? [] : Text.wrapped(row.detail, to: room)
      return zip([label] + values.dropFirst().map { _ in indent } + details.map { _ in indent }, values + details).map(
        +)
    }
  }
}

/// A table with a header: aligned on a terminal, separated by tabs in a pipe.
nonisolated struct Table {
  let header: [String]
  let rows: [[String]]

  @MainActor func lines(for output: StandardOutput) -> [String] {
    guard output.isTerminal else { return ([header] + rows).map { $0.joined(separator: "\t") } }
    let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
    let lines = ([header] + rows).map { row in
      let cells = zip(row, widths).map { Text.padded($0, to: $1) }.joined(separator: "  ")
      return Text.shortened(String(cells.reversed().drop { $0 == " " }.reversed()), to: output.columns)
    }
    return [Emphasis.strong.around(lines[0], output.hasColors)] + lines.dropFirst()
  }
}
