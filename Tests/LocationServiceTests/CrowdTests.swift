// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistService

/// When memory is given back.
@Suite struct CrowdTests {
  private func moments(_ counts: [Int]) -> [Int] {
    var crowd = Crowd()
    return counts.filter { count in
      guard crowd.countChanged(to: count) else { return false }
      crowd.trimmed()
      return true
    }
  }

  @Test func `a small crowd triggers no trimming`() {
    #expect(moments(Array(0...15) + (0...15).reversed()) == [])
  }

  @Test func `trimming follows each halving of a crowd`() {
    #expect(moments(Array(0...1_000) + (0...1_000).reversed()) == [500, 250, 125, 62, 31, 15])
  }

  @Test func `trimming does not wait for the last clients`() {
    #expect(moments([1_000, 999, 501, 500, 499, 500, 501]) == [500])
  }

  @Test func `new clients count again`() {
    #expect(moments([100, 50, 100, 51, 50]) == [50, 50])
  }
}
