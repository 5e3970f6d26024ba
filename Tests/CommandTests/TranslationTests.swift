// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistProcessSupport
import GeopublicistTestSupport
import Testing

/// The command in each language, installed with its catalogs in a private folder.
@Suite(.serialized) struct TranslationTests {
  private let prefix = TemporaryDirectory()
  private var program: String { prefix.file("bin/geopublicist") }

  init() throws {
    try FileManager.default.createDirectory(atPath: prefix.file("bin"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Rig.product("geopublicist"), toPath: program)
    #expect(try run([Rig.sourceFile("po/build.sh"), prefix.file("share/locale")]).succeeded)
  }

  private func result(_ arguments: [String], in language: String, locale: String = "C.UTF-8") throws -> CommandResult {
    try run([program] + arguments, environment: ["LC_ALL": locale, "LANGUAGE": language], within: .seconds(60))
  }

  @Test(arguments: [
    ("de", "Zeigt, wo dieser Rechner ist", "Es gibt keinen Befehl „statsu“; meinten Sie „status“?"),
    ("es", "Muestra dónde está esta máquina", "No hay ninguna orden «statsu»; ¿quiso decir «status»?"),
    (
      "fr", "Affiche où se trouve cette machine", "Il n’y a pas de commande « statsu » ; vouliez-vous dire « status » ?"
    ),
  ]) func `help and errors are printed in the user's language`(language: String, summary: String, error: String) throws
  {
    #expect(try result(["--help"], in: language).standardOutput.hasPart(summary))
    for command in ["locate", "run", "doctor"] {
      let help = try result([command, "--help"], in: language).standardOutput
      let english = try result([command, "--help"], in: language, locale: "C").standardOutput
      #expect(help != english && help.split(separator: "\n").count == english.split(separator: "\n").count, "\(help)")
    }
    #expect(try result(["statsu"], in: language).standardError == "geopublicist: \(error)\n")
  }

  @Test(arguments: [("de", "gefunden."), ("es", "encontrado"), ("fr", "trouvé")])
  func `findings are translated on a terminal, but not in a pipe or as JSON`(language: String, end: String) throws {
    let words = "--address unix:path=/nonexistent doctor"
    let environment = ["LC_ALL": "C.UTF-8", "LANGUAGE": language, "TERM": "xterm", "NO_COLOR": "1"]
    func onTerminal(_ arguments: String) throws -> String {
      let command = "exec '\(program)' \(arguments)"
      return try run(
        ["script", "-qefc", command, "/dev/null"], environment: environment, within: .seconds(60)
      ).standardOutput
    }
    #expect(try onTerminal(words).hasPart(end))
    let pipe = try result(words.split(separator: " ").map(String.init), in: language).standardOutput
    #expect(pipe.hasPart(" found.") && !pipe.hasPart(end))
    #expect(try onTerminal(words + " --json").hasPart("Cannot connect to this bus"))
  }

  @Test func `a translation may reorder and repeat the placeholders`() throws {
    let catalog = """
      msgid ""
      msgstr "Content-Type: text/plain; charset=UTF-8\\n"
      msgid "There is no command '{1}'; did you mean '{2}'?"
      msgstr "{2} {1} {2} {3} {"
      """
    try catalog.write(toFile: prefix.file("other.po"), atomically: true, encoding: .utf8)
    let target = prefix.file("share/locale/de/LC_MESSAGES/geopublicist.mo")
    #expect(try run(["msgfmt", "-o", target, prefix.file("other.po")]).succeeded)
    // Braces in a value are not placeholders.
    #expect(try result(["statu{2}"], in: "de").standardError.hasPart("'statu{2}'"))
    #expect(try result(["statsu"], in: "de").standardError == "geopublicist: status statsu status {3} {\n")
  }

  @Test func `every translation is complete`() throws {
    let check = try run([Rig.sourceFile("po/update.py"), "--check"], within: .seconds(60))
    #expect(check.succeeded, "\(check.standardError)")
  }
}
