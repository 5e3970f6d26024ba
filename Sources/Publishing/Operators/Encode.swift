// SPDX-License-Identifier: Apache-2.0
/// Something that encodes whole values, such as a JSON encoder.
public protocol TopLevelEncoder<Output> {
  /// What it encodes to.
  associatedtype Output

  /// Encodes a value.
  func encode<T: Encodable>(_ value: T) throws -> Output
}

extension Publishers {
  /// A publisher of encoded values; it fails with what the encoder throws.
  public struct Encode<Upstream: Publisher, Coder: TopLevelEncoder>: Publisher where Upstream.Output: Encodable {
    /// What it publishes.
    public typealias Output = Coder.Output
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher whose values are encoded.
    public let upstream: Upstream
    private let encoder: Coder

    /// Encodes the values of `upstream`.
    public init(upstream: Upstream, encoder: Coder) {
      self.upstream = upstream
      self.encoder = encoder
    }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let step = EncodeStep<Upstream.Output, Coder, Upstream.Failure>(encoder: encoder)
      upstream.receive(subscriber: StepLink(step, Outlet(subscriber)))
    }
  }
}

extension Publisher where Output: Encodable {
  /// Encodes each value; the publisher fails with what the encoder throws.
  public func encode<Coder: TopLevelEncoder>(encoder: Coder) -> Publishers.Encode<Self, Coder> {
    Publishers.Encode(upstream: self, encoder: encoder)
  }
}

private struct EncodeStep<Input: Encodable, Coder: TopLevelEncoder, Failure: Error>: Step, TryRule {
  typealias Output = Coder.Output
  typealias Memory = Void

  let encoder: Coder

  static var label: String { "Encode" }

  func take(_ input: Input, _ memory: inout Void) -> Verdict<Coder.Output, any Error> {
    do { return .pass(try encoder.encode(input)) } catch { return .fail(error) }
  }
}
