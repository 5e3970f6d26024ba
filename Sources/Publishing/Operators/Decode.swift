// SPDX-License-Identifier: Apache-2.0
/// Something that decodes whole values, such as a JSON decoder.
public protocol TopLevelDecoder<Input> {
  /// What it decodes from.
  associatedtype Input

  /// Decodes a value.
  func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}

extension Publishers {
  /// A publisher of decoded values; it fails with what the decoder throws.
  public struct Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: Publisher
  where Upstream.Output == Coder.Input {
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher whose values are decoded.
    public let upstream: Upstream
    private let decoder: Coder

    /// Decodes the values of `upstream`.
    public init(upstream: Upstream, decoder: Coder) {
      self.upstream = upstream
      self.decoder = decoder
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let step = DecodeStep<Output, Coder, Upstream.Failure>(decoder: decoder)
      upstream.receive(subscriber: StepLink(step, Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Decodes each value; the publisher fails with what the decoder throws.
  public func decode<Item: Decodable, Coder: TopLevelDecoder>(
    type: Item.Type, decoder: Coder
  ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
    Publishers.Decode(upstream: self, decoder: decoder)
  }
}

private struct DecodeStep<Output: Decodable, Coder: TopLevelDecoder, Failure: Error>: Step, TryRule {
  typealias Input = Coder.Input
  typealias Memory = Void

  let decoder: Coder

  static var label: String { "Decode" }

  func take(_ input: Coder.Input, _ memory: inout Void) -> Verdict<Output, any Error> {
    do { return .pass(try decoder.decode(Output.self, from: input)) } catch { return .fail(error) }
  }
}
