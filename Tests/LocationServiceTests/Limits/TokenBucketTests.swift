// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistService

@Suite struct TokenBucketTests {
  @Test func `D3: an expensive call is paid for before the next one`() {
    var bucket = TokenBucket(burst: 400, at: 0)
    func take(_ now: Int64) -> Bool { bucket.take(burst: 400, perSecond: 400, at: now) }
    #expect(take(0))
    bucket.charge(599, burst: 400)
    #expect(!take(499_000))
    #expect(take(510_000))
  }

  @Test func `the debt is at most one burst`() {
    var bucket = TokenBucket(burst: 10, at: 0)
    bucket.charge(1_000_000, burst: 10)
    func take(_ now: Int64) -> Bool { bucket.take(burst: 10, perSecond: 10, at: now) }
    #expect(!take(1_000_000))
    #expect(take(1_200_000))
  }

  @Test func `a full bucket can be forgotten`() {
    var bucket = TokenBucket(burst: 2, at: 0)
    func isFull(_ now: Int64) -> Bool { bucket.isFull(burst: 2, perSecond: 1, at: now) }
    #expect(isFull(0))
    _ = bucket.take(burst: 2, perSecond: 1, at: 0)
    #expect(!isFull(500_000))
    #expect(isFull(1_000_000))
  }
}
