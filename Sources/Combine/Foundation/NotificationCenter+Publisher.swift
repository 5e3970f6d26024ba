// SPDX-License-Identifier: Apache-2.0
import Foundation
import Publishing

extension NotificationCenter {
  /// Publishes the notifications that the center posts under a name, on the thread that posts them.
  public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
    Publisher(center: self, name: name, object: object)
  }

  /// Publishes the notifications of one name.
  public struct Publisher: Publishing.Publisher, Equatable {
    public typealias Output = Notification
    public typealias Failure = Never

    /// The center that posts.
    public let center: NotificationCenter
    /// The name of the notifications.
    public let name: Notification.Name
    /// The sender of the notifications, or `nil` for those of every sender.
    public let object: AnyObject?

    /// Creates a publisher of the notifications of one name, from one sender or from all.
    public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
      self.center = center
      self.name = name
      self.object = object
    }

    public static func == (left: Self, right: Self) -> Bool {
      left.center === right.center && left.name == right.name && left.object === right.object
    }

    public func receive<S: Subscriber<Notification, Never>>(subscriber: S) {
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
      nonisolated(unsafe) let take: (Notification) -> Void = { [weak self] in self?.take($0) }
      token = center.addObserver(forName: publisher.name, object: publisher.object, queue: nil) { take($0) }
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
