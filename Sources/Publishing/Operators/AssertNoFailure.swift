// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that cannot fail: the program stops if its upstream does.
  public struct AssertNoFailure<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// It cannot fail.
    public typealias Failure = Never

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// What the message begins with.
    public let prefix: String
    /// Where the operator was written.
    public let file: StaticString
    /// Where the operator was written.
    public let line: UInt

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, prefix: String, file: StaticString, line: UInt) {
      self.upstream = upstream
      self.prefix = prefix
      self.file = file
      self.line = line
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      let (prefix, file, line) = (self.prefix, self.file, self.line)
      let stop: (Upstream.Failure) -> Never = { error in
        fatalError("\(prefix.isEmpty ? "" : prefix + ": ")failed with \(error)", file: file, line: line)
      }
      upstream.receive(subscriber: ErrorMapping(stop, subscriber))
    }
  }
}

extension Publisher {
  /// Stops the program if this publisher fails, with a message that begins with `prefix`.
  @inlinable
  public func assertNoFailure(
    _ prefix: String = "", file: StaticString = #file, line: UInt = #line
  ) -> Publishers.AssertNoFailure<Self> {
    Publishers.AssertNoFailure(upstream: self, prefix: prefix, file: file, line: line)
  }
}
