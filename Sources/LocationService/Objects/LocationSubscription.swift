// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistGatekeeper
import GeopublicistLocationModel

/// A client's subscription, driven by a ``SubscriptionMachine``.
final class LocationSubscription: ClientObject<SubscriptionMachine> {
  init(_ number: UInt64, of client: Client, _ options: ClientOptions, in host: any ClientHost) {
    let authorization = host.gatekeeper.authorization(for: client, asking: options.accuracy, as: options.desktopID)
    super.init(
      .subscription, number, SubscriptionMachine(options, authorization, sourceDecides: host.gatekeeper.sourceDecides),
      of: client, in: host)
    export(Implementation(of: Self.interface, by: self))
  }

  override var delivered: UInt64 { machine.delivered }

  func set(_ option: ClientOption, to value: Value) throws(DBusError) {
    var options = machine.options
    try OptionReader.set(option, to: value, in: &options)
    guard options != machine.options else { return }
    let isOtherLevel = options.accuracy != machine.options.accuracy
    handle(.options(options))
    if isOtherLevel { refresh() }
    configureChain(at: machine.level)
  }

  override func thresholds(at level: AccuracyLevel) -> DeliveryRule.Configuration {
    DeliveryRule.Configuration(machine.options, at: level)
  }

  override func firstLocation(for level: AccuracyLevel) -> Location? { host.firstLocation(for: level) }

  override func send(_ action: ClientAction) {
    guard case .deliver(let delivery) = action else { return super.send(action) }
    guard let signal = host.signals.signal(for: delivery) else { return }
    client.queue.signal { host.connection.send(signal.signal(at: path, to: client.name)) }
    host.lastPlaces?.received(delivery.location, delivery.level, by: client)
  }

  override func tellState() {
    super.tellState()
    tellOutage()
  }
}

extension LocationSubscription {
  static let interface = Interface<LocationSubscription>(
    ServiceContract.subscription,
    commonMembers() + [
      .signal("LocationUpdated", ["location": "a{sv}"]),
      .signal("ErrorOccurred", ["name": "s", "message": "s"]),

      .property(
        "Location", "a{sv}", emits: .nothing,
        readLater: { subscription, request in
          subscription.readLocation(request) { subscription.machine.last?.value() }
        }),
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
