// SPDX-License-Identifier: Apache-2.0
import Foundation
import Publishing
import Synchronization

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

  /// It is cancelled and notified on different threads, so its state is behind a lock.
  private final class Observation: Subscription, Sendable {
    /// The closure belongs to the subscriber, which chooses the threads that post.
    private struct State: @unchecked Sendable {
      var token: (any NSObjectProtocol)?
      var demand = Subscribers.Demand.none
      var deliver: ((Notification) -> Subscribers.Demand)?
    }

    private let center: NotificationCenter
    private let state: Mutex<State>

    init(publisher: Publisher, deliver: @escaping (Notification) -> Subscribers.Demand) {
      center = publisher.center
      state = Mutex(State(deliver: deliver))
      let token = center.addObserver(forName: publisher.name, object: publisher.object, queue: nil) { [weak self] in
        self?.take($0)
      }
      let tokenState = State(token: token)
      state.withLock { $0.token = tokenState.token }
    }

    private func take(_ notification: Notification) {
      let before = state.withLock { state in
        defer { if state.demand > .none { state.demand -= 1 } }
        return state
      }
      guard before.demand > .none, let more = before.deliver?(notification), more > .none else { return }
      request(more)
    }

    func request(_ more: Subscribers.Demand) { state.withLock { $0.demand += more } }

    func cancel() {
      let before = state.withLock { state in
        defer { state = State() }
        return state
      }
      if let token = before.token { center.removeObserver(token) }
    }
  }
}
