// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Cleans up a program's name for display in a dialog. Programs choose their names freely, so no decision depends on
/// it.
nonisolated enum ProgramName {
  private static let longest = 48
  /// Characters that could end the quotation around the name or act as markup in a dialog.
  private static let forbidden = Set("\"'“”‘’«»<>&$\\".unicodeScalars)

  /// Returns the name from a command line or from the kernel's process name, without folder or line breaks, or nil if
  /// nothing remains.
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
