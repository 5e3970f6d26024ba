// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

/// The interface `org.geopublicist.Location1.Subscription`.
extension LocationSubscription {
  static let interface = Interface<LocationSubscription>(
    ServiceContract.subscription,
    commonMembers() + [
      .signal("LocationUpdated", ["location": "a{sv}"]),
      .signal("ErrorOccurred", ["name": "s", "message": "s"]),

      .property("Location", "a{sv}", emits: .nothing) { subscription in
        subscription.machine.last.map { $0.value() } ?? .options([])
      },
    ] + optionProperties)

  /// The options that are also writable properties with change signals.
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
}
