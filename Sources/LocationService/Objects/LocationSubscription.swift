// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistGatekeeper
import GeopublicistLocationModel

/// A client's subscription, driven by a ``SubscriptionMachine``.
final class LocationSubscription: ClientObject<SubscriptionMachine> {
  init(_ number: UInt64, of client: Client, _ options: ClientOptions, in service: LocationService) {
    super.init(.subscription, number, of: client, options, in: service) {
      SubscriptionMachine(options, $0, sourceDecides: $1)
    }
    export(Implementation(of: Self.interface, by: self))
  }

  private func set(_ option: ClientOption, to value: Value, _ call: MethodCall) throws(DBusError) {
    var options = machine.options
    try OptionReader.set(option, to: value, in: &options)
    if options != machine.options {
      let isOtherLevel = options.accuracy != machine.options.accuracy
      handle(.options(options))
      if isOtherLevel { refresh() }
      configureChain(at: machine.level)
    }
    if let name = option.property.flatMap(MemberName.init(validating:)) { changed(name) }
    call.reply()
  }

  override func thresholds(at level: AccuracyLevel) -> DeliveryRule.Configuration {
    DeliveryRule.Configuration(machine.options, at: level)
  }

  override func perform(kind action: SubscriptionMachine.Kind) {
    guard case .deliver(let delivery) = action else { return }
    guard let signal = service.signals.signal(for: delivery) else { return }
    service.outbox.signal { service.connection.send(signal.signal(at: path, to: client.name)) }
    remember(delivery.location)
  }
}

extension LocationSubscription: SubscriptionSkeleton {
  static let interface = LocationSubscription.subscriptionTable()

  func readLocation(_ request: PropertyRead) { readPlace(request) { [self] in machine.last?.value() } }
  var accuracy: String { machine.options.accuracy.contractName }
  var distanceThreshold: Double { machine.options.distanceThreshold }
  var timeThreshold: UInt32 { UInt32(clamping: machine.options.timeThreshold.milliseconds) }
  var debounce: UInt32 { UInt32(clamping: machine.options.debounce.milliseconds) }
  var requiredAccuracy: Double { machine.options.requiredAccuracy }

  func writeAccuracy(_ value: String, _ call: MethodCall) throws(DBusError) {
    try set(.accuracy, to: .string(value), call)
  }
  func writeDistanceThreshold(_ value: Double, _ call: MethodCall) throws(DBusError) {
    try set(.distanceThreshold, to: .double(value), call)
  }
  func writeTimeThreshold(_ value: UInt32, _ call: MethodCall) throws(DBusError) {
    try set(.timeThreshold, to: .uint32(value), call)
  }
  func writeDebounce(_ value: UInt32, _ call: MethodCall) throws(DBusError) {
    try set(.debounce, to: .uint32(value), call)
  }
  func writeRequiredAccuracy(_ value: Double, _ call: MethodCall) throws(DBusError) {
    try set(.requiredAccuracy, to: .double(value), call)
  }
}
