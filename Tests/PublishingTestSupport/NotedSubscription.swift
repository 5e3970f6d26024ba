// SPDX-License-Identifier: Apache-2.0
import Publishing

/// A subscription by itself, without a publisher: it notes what it is asked.
public final class NotedSubscription: Subscription {
  private let trace: Trace
  private let name: String

  public init(_ trace: Trace, _ name: String = "up") {
    self.trace = trace
    self.name = name
  }

  public func request(_ demand: Subscribers.Demand) { trace.add("\(name):\(demand.traced)") }

  public func cancel() { trace.add("\(name):cancel") }
}
