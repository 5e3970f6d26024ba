// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// `org.geopublicist.Location1.Subscription`.
extension LocationSubscription {
  static let interface = Interface<LocationSubscription>(
    ServiceNames.subscription,
    [
      .method("Start") { subscription, call in subscription.start(call) },
      .method("Stop") { subscription, call in
        subscription.handle(.stop)
        call.reply()
      },
      .method("Close") { subscription, call in
        call.reply()
        subscription.handle(.close(.byClient))
      },

      .signal("LocationUpdated", ["location": "a{sv}"]),
      .signal("AuthorizationChanged", ["status": "s", "reason": "s"]),
      .signal("ErrorOccurred", ["name": "s", "message": "s"]),
      .signal("Closed", ["reason": "s"]),

      .property(
        "AuthorizationStatus", "s", emits: .changed,
        readLater: { subscription, request in
          subscription.readAuthorization(request) { $0.status.rawValue }
        }),
      .property(
        "AuthorizationReason", "s", emits: .changed,
        readLater: { subscription, request in
          subscription.readAuthorization(request) { $0.reason.rawValue }
        }),
      .property(
        "AuthorizationMessage", "s", emits: .nothing,
        readLater: { subscription, request in
          subscription.readAuthorization(request) { $0.message }
        }),
      .property("Active", "b", emits: .changed) { .boolean($0.machine.isActive) },
      .property("Location", "a{sv}", emits: .nothing) { subscription in
        subscription.machine.last.map { $0.value() } ?? .options([])
      },
    ] + optionProperties)

  /// The options that are properties, too: readable, writable, and signalled.
  private static let optionProperties = ClientOption.ofSubscription.compactMap { option in
    option.property.flatMap(MemberName.init(validating:)).map { name in
      InterfaceMember<LocationSubscription>.property(
        name, Signature(validating: option.type) ?? "v", emits: .changed,
        write: { subscription, value, call throws(DBusError) in
          try subscription.set(option, to: value)
          subscription.changed(name)
          call.reply()
        }
      ) { Value(option.value(in: $0.machine.options), as: option.type) }
    }
  }

  /// The row of `ListSubscriptions`, which never has a coordinate.
  var listEntry: Value {
    .options([
      ("Path", .objectPath(path)),
      ("Kind", .string("subscription")),
      ("Sender", .string(client.name.rawValue)),
      ("UserId", .uint32(client.credentials?.userID ?? .max)),
      ("ProcessId", .uint32(client.credentials?.processID ?? 0)),
      ("DesktopId", .string(machine.options.desktopID)),
      ("Level", .string(machine.level.contractName)),
      ("Active", .boolean(machine.isActive)),
      ("Since", Value(since)),
      ("Delivered", .uint64(machine.delivered)),
    ])
  }
}
