// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Stops the program if upstream fails.
  public struct AssertNoFailure<Upstream: Publisher>: Operator {
    public typealias Failure = Never

    public let upstream: Upstream
    /// The beginning of the message.
    public let prefix: String
    public let file: StaticString
    public let line: UInt

    public init(upstream: Upstream, prefix: String, file: StaticString, line: UInt) {
      self.upstream = upstream
      self.prefix = prefix
      self.file = file
      self.line = line
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Never>>(subscriber: S) {
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
  public func assertNoFailure(
    _ prefix: String = "", file: StaticString = #file, line: UInt = #line
  ) -> Publishers.AssertNoFailure<Self> {
    Publishers.AssertNoFailure(upstream: self, prefix: prefix, file: file, line: line)
  }
}
