// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

/// Text of a client that people read.
@Suite struct PlainTextTests {
  @Test(arguments: [
    ("org.example.App", true), ("Käse 日本 👋🏽", true), ("it's", true), ("", true), ("a\nb", false), ("a\u{7f}", false),
    ("a\u{200b}b", false), ("\u{202e}evil", false), ("a\u{2028}b", false), ("a\u{2029}b", false), ("\u{e000}", false),
    ("\u{feff}", false), ("\u{378}", false),
  ])
  func `text that does not show as it is, is not plain`(_ text: String, _ isPlain: Bool) {
    #expect(text.unicodeScalars.allSatisfy(\.isPrintable) == isPlain)
  }

  @Test func `between apostrophes nothing can look like the end`() {
    #expect("a', status 'b".escapedForQuotes == "a\\', status \\'b")
    #expect("a\\'".escapedForQuotes == "a\\\\\\'")
    #expect("a\u{2028}b\n".escapedForQuotes == "a\\u{2028}b\\u{a}")
    #expect("'\u{301}".escapedForQuotes == "\\'\u{301}")
  }
}
