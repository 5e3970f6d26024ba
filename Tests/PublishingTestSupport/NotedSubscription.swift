// SPDX-License-Identifier: Apache-2.0
import Publishing

/// A subscription without a publisher, which records requests and cancellation.
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
