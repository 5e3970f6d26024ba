// SPDX-License-Identifier: Apache-2.0
/// A type that encodes whole values, such as a JSON encoder.
public protocol TopLevelEncoder<Output> {
  associatedtype Output

  func encode<T: Encodable>(_ value: T) throws -> Output
}

/// A type that decodes whole values, such as a JSON decoder.
public protocol TopLevelDecoder<Input> {
  associatedtype Input

  func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}

extension Publishers {
  /// Encodes each value. Fails with the error that the encoder throws.
  public struct Encode<Upstream: Publisher, Coder: TopLevelEncoder>: Publisher where Upstream.Output: Encodable {
    public typealias Output = Coder.Output
    public typealias Failure = any Error

    public let upstream: Upstream
    @usableFromInline let encoder: Coder

    public init(upstream: Upstream, encoder: Coder) {
      self.upstream = upstream
      self.encoder = encoder
    }

    @inlinable
    public func receive<S: Subscriber<Output, any Error>>(subscriber: S) {
      upstream.tryStep("Encode", (), subscriber) { value, _ in .pass(try encoder.encode(value)) }
    }
  }

  /// Decodes each value. Fails with the error that the decoder throws.
  public struct Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: Publisher
  where Upstream.Output == Coder.Input {
    public typealias Failure = any Error

    public let upstream: Upstream
    @usableFromInline let decoder: Coder

    public init(upstream: Upstream, decoder: Coder) {
      self.upstream = upstream
      self.decoder = decoder
    }

    @inlinable
    public func receive<S: Subscriber<Output, any Error>>(subscriber: S) {
      upstream.tryStep("Decode", (), subscriber) { value, _ in .pass(try decoder.decode(Output.self, from: value)) }
    }
  }
}

extension Publisher where Output: Encodable {
  /// Encodes each value. Fails with the error that the encoder throws.
  public func encode<Coder: TopLevelEncoder>(encoder: Coder) -> Publishers.Encode<Self, Coder> {
    Publishers.Encode(upstream: self, encoder: encoder)
  }
}

extension Publisher {
  /// Decodes each value. Fails with the error that the decoder throws.
  public func decode<Item: Decodable, Coder: TopLevelDecoder>(
    type: Item.Type, decoder: Coder
  ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
    Publishers.Decode(upstream: self, decoder: decoder)
  }
}
