// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// One subscription of a client: an object on the bus that only its owner sees, around a ``SubscriptionMachine``.
final class LocationSubscription: ClientShell<SubscriptionMachine> {
  let number: UInt64
  let path: ObjectPath
  /// When it was created, by the wall clock.
  let since: Timestamp
  private var object: ExportedObject?
  /// The calls of `Start` that are being handled, in their order.
  private var starting: [MethodCall] = []

  init(_ number: UInt64, of client: Client, _ options: ClientOptions, in host: any ClientHost) {
    self.number = number
    path = ServiceNames.subscriptionsPath.child(number)
    since = Timestamp(microsecondsSinceEpoch: MainLoop.main.clock.realtime())
    let authorization = host.gatekeeper.authorization(for: client, asking: options.accuracy, as: options.desktopID)
    super.init(
      SubscriptionMachine(options, authorization, sourceDecides: host.gatekeeper.decidesByListening), of: client,
      in: host)
    object = host.connection.objects.export(
      path, owner: client.name, Implementation(of: Self.interface, by: self))
  }

  /// `Start`: refused while a rule forbids it; otherwise updates begin now, or when access is granted.
  func start(_ call: MethodCall) {
    let wish = withMachine { $0.startAsked() }
    host.gatekeeper.prepare(client) { [weak self] in
      guard let self, !isOver else {
        return call.fail(DBusError(.unknownObject, "The subscription has ended; create another one"))
      }
      refresh()
      starting.append(call)
      handle(.start(wish))
    }
  }

  /// Changes an option while the subscription exists.
  func set(_ option: ClientOption, to value: Value) throws(DBusError) {
    var options = machine.options
    try OptionReader.set(option, to: value, in: &options)
    guard options != machine.options else { return }
    let isOtherLevel = options.accuracy != machine.options.accuracy
    handle(.options(options))
    if isOtherLevel { refresh() }
    configureChain(at: machine.level)
  }

  func changed(_ property: MemberName) { object?.propertyChanged(property, of: ServiceNames.subscription) }

  /// Reads a property that follows from the authorization, once that is known.
  func readAuthorization(_ request: PropertyRead, _ text: @escaping (Authorization) -> String) {
    guard request.sender != nil, machine.authorization.reason == .undecided else {
      return request.answer(.string(text(machine.authorization)))
    }
    host.gatekeeper.prepare(client) { [weak self] in
      guard let self else { return }
      refresh()
      request.answer(.string(text(machine.authorization)))
    }
  }

  override func thresholds(at level: AccuracyLevel) -> DeliveryRule.Configuration {
    let options = machine.options
    return DeliveryRule.Configuration(
      distanceThreshold: options.distanceThreshold, timeThreshold: options.timeThreshold,
      debounce: options.debounce, minimumInterval: level.minimumInterval &* 1_000,
      requiredAccuracy: options.requiredAccuracy, isSignificant: options.mode == .significant)
  }

  override func firstLocation(for level: AccuracyLevel) -> Location? { host.firstLocation(for: level) }

  override func send(_ action: ClientAction) {
    switch action {
    case .deliver(let delivery):
      guard let signal = host.signals.signal(for: delivery) else { return }
      host.connection.send(signal.signal(at: path, to: client.name))
    case .announce(let authorization):
      object?.emit(
        "AuthorizationChanged", of: ServiceNames.subscription, .string(authorization.status.rawValue),
        .string(authorization.reason.rawValue))
    case .report(let error):
      // A bus that does not read would collect them; the state says what matters.
      guard client.queue.hasRoom else { return }
      let error = DBusError(error)
      object?.emit(
        "ErrorOccurred", of: ServiceNames.subscription, .string(error.name.rawValue), .string(error.message))
    case .changed(let property): changed(property)
    case .done: if !starting.isEmpty { starting.removeFirst().reply() }
    case .refuse(let refusal): if !starting.isEmpty { starting.removeFirst().fail(DBusError(refusal)) }
    default: break
    }
  }

  override func finish(_ reason: ClosedReason?) {
    if let reason {
      object?.flushChanges()
      object?.emit("Closed", of: ServiceNames.subscription, .string(reason.rawValue))
    }
    object?.unexport()
    object = nil
    client.remove(self)
    host.ended(self)
  }
}
