// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport
import Glibc

@testable import GeopublicistGatekeeper
@testable import GeopublicistService

/// Fuzzes `geopublicist.conf`: every limit must remain usable with an accepted file.
func fuzzConfiguration(_ source: ByteSource) {
  withFile(source.remainder()) { path in
    guard let configuration = try? Configuration.load(file: path) else { return }
    for key in Limits.Key.allCases { claim(configuration.limits[key] >= 1, "a limit is at least one") }
    claim(configuration.idleTimeout >= 0 && configuration.idleTimeout <= 31_536_000, "an idle timeout is in range")
  }
}

/// Fuzzes GeoClue's rules: a file must only be able to forbid.
func fuzzRules(_ source: ByteSource) {
  let names = (0..<3).map { _ in source.text() }
  withFile(source.remainder()) { path in
    let rules = GeoClueRules(file: path)
    claim(!rules.reloadIfChanged(), "an unchanged file is not read again")
    for name in names + ["firefox", "agent", "wifi", ""] {
      _ = rules.rule(for: name, user: 0)
      let (first, second) = (rules.rule(for: name, user: 1_000), rules.rule(for: name, user: 1_000))
      claim(first == second, "the same question has the same answer")
    }
    for group in ["agent", "wifi"] {
      claim(rules.rule(for: group, user: 1) == .silent, "GeoClue's own groups are not rules")
    }
  }
}

private let folder: String = {
  var template = Array("/tmp/geopublicist-fuzz.XXXXXX".utf8CString)
  guard let path = mkdtemp(&template) else { fatalError("no folder for files") }
  return String(cString: path)
}()

private func withFile(_ bytes: [UInt8], _ body: (String) -> Void) {
  let path = "\(folder)/file.conf"
  guard let file = fopen(path, "w") else { fatalError("\(path) cannot be written") }
  fwrite(bytes, 1, bytes.count, file)
  fclose(file)
  body(path)
  unlink(path)
}
