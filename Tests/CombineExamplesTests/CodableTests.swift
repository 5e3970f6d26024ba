// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation
import Testing

/// The types that Combine can encode.
@Suite("Codable as in Combine") struct CodableTests {
  enum Trouble: String, Error, Codable { case some }

  private func roundTrip<T: Codable>(_ value: T) throws -> T {
    try JSONDecoder().decode([T].self, from: JSONEncoder().encode([value]))[0]
  }

  @Test func `a demand can be encoded and decoded`() throws {
    #expect(try roundTrip(Subscribers.Demand.max(3)) == .max(3))
    #expect(try roundTrip(Subscribers.Demand.unlimited) == .unlimited)
  }

  @Test func `a completion can be encoded and decoded`() throws {
    #expect(try roundTrip(Subscribers.Completion<Trouble>.finished) == .finished)
    #expect(try roundTrip(Subscribers.Completion<Trouble>.failure(.some)) == .failure(.some))
  }

  @Test func `a decoded Record has the values and the completion of the encoded one`() throws {
    let record = try roundTrip(Record<Int, Trouble>(output: [1, 2], completion: .failure(.some)))
    #expect(record.recording.output == [1, 2])
    #expect(record.recording.completion == .failure(.some))
  }
}
