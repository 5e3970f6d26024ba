// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport
import Testing

@Suite struct TextTests {
  @Test func `a text is found in any text, also in one that is shorter or not English`() {
    #expect("".hasPart(""))
    #expect(!"".hasPart("a"))
    #expect("ähnlich".hasPart("hn"))
    #expect(!"ab".hasPart("abc"))
    #expect("abc".hasPart("abc"))
  }
}
