// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation

extension NotificationCenter {
  /// Publishes what the center posts under a name.
  public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
    Publisher(center: self, name: name, object: object)
  }

  public struct Publisher: Publishing.Publisher, Equatable {
    public typealias Output = Notification
    public typealias Failure = Never

    public let center: NotificationCenter
    public let name: Notification.Name
    public let object: AnyObject?

    public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
      self.center = center
      self.name = name
      self.object = object
    }

    public static func == (left: Self, right: Self) -> Bool {
      left.center === right.center && left.name == right.name && left.object === right.object
    }

    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Notification, Downstream.Failure == Never {
      let observation = Observation(publisher: self) { subscriber.receive($0) }
      subscriber.receive(subscription: observation)
    }
  }

  private final class Observation: Subscription {
    private let center: NotificationCenter
    private var token: (any NSObjectProtocol)?
    private var demand = Subscribers.Demand.none
    private var deliver: ((Notification) -> Subscribers.Demand)?

    init(publisher: Publisher, deliver: @escaping (Notification) -> Subscribers.Demand) {
      center = publisher.center
      self.deliver = deliver
      token = center.addObserver(forName: publisher.name, object: publisher.object, queue: nil) { [weak self] in
        self?.take($0)
      }
    }

    private func take(_ notification: Notification) {
      guard demand > .none, let deliver else { return }
      demand -= 1
      demand += deliver(notification)
    }

    func request(_ more: Subscribers.Demand) { demand += more }

    func cancel() {
      deliver = nil
      if let token { center.removeObserver(token) }
      token = nil
    }
  }
}
