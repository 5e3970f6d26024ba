// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// What a dialog calls a program: for the user to recognise, since a program may call itself anything. Nothing is decided
/// by it.
nonisolated enum ProgramName {
  private static let longest = 48
  /// What could end the quotation around the name, or become markup in a dialog.
  private static let forbidden = Set("\"'“”‘’«»<>&$\\".unicodeScalars)

  /// The name for a command line or the kernel's name of the process: without the folder of the program, in one line;
  /// nil if nothing is left.
  static func plain(_ commandLine: String) -> String? {
    let words = commandLine.prefix(1_024).split(whereSeparator: \.isWhitespace)
    guard let first = words.first else { return nil }
    let program = first.split(separator: "/").last ?? first
    let name = ([program] + words.dropFirst()).joined(separator: " ")
    let kept = name.unicodeScalars.filter { $0.isPrintable && !forbidden.contains($0) }
    let text = String(String.UnicodeScalarView(kept))
    guard !text.isEmpty else { return nil }
    return text.count <= longest ? text : text.prefix(longest) + "…"
  }
}
