// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistGatekeeper

@Suite struct ProgramNameTests {
  @Test(arguments: [
    ("/usr/bin/gnome-maps\n", "gnome-maps"), ("gjs /usr/share/weather.js", "gjs /usr/share/weather.js"),
    ("maps", "maps"), ("/opt/a b", "a b"),
  ]) func `a program is called by its name without the folder`(line: String, name: String) {
    #expect(ProgramName.plain(line) == name)
  }

  @Test func `a name cannot leave its quotation, become markup or reverse the text`() {
    #expect(ProgramName.plain("x” is safe. <b>Allow</b> $(program)\u{202E}\u{7}") == "x is safe. bAllow/b (program)")
    #expect(ProgramName.plain("\u{202E}") == nil && ProgramName.plain(" \n") == nil)
  }

  @Test func `a long name is cut`() {
    #expect(ProgramName.plain(String(repeating: "a", count: 4_000))?.count == 49)
  }
}
