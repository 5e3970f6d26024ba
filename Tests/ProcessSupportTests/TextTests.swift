// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport
import Testing

@Suite struct TextTests {
  @Test func `a part is found in any text that contains it, but not in a shorter text`() {
    #expect("".hasPart(""))
    #expect(!"".hasPart("a"))
    #expect("ähnlich".hasPart("hn"))
    #expect(!"ab".hasPart("abc"))
    #expect("abc".hasPart("abc"))
  }
}
