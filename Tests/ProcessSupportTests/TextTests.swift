// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport
import Testing

@Suite struct TextTests {
  @Test func `hasPart finds a text anywhere in a longer one`() {
    #expect("".hasPart(""))
    #expect(!"".hasPart("a"))
    #expect("ähnlich".hasPart("hn"))
    #expect(!"ab".hasPart("abc"))
    #expect("abc".hasPart("abc"))
  }
}
