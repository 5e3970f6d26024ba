// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel
import MainLoop

/// The logic of a subscription, region or almanac, as a pure value around a ``KeptObject``.
nonisolated protocol ServiceObjectMachine: StateMachine
where Event == ServiceObjectEvent, Action == ServiceObjectAction<Update>, Clock == MonotonicClock {
  associatedtype Update: Sendable
  mutating func handle(_ event: ServiceObjectEvent, at now: MonotonicInstant, chance: Double) -> [Action]
}

extension ServiceObjectMachine {
  mutating func handle(_ event: ServiceObjectEvent, at now: MonotonicInstant) -> [Action] {
    handle(event, at: now, chance: .random(in: 0...1))
  }
}

final class ServiceObject<Machine: ServiceObjectMachine>: MachineShell {
  var host: MachineHost<Machine>
  private var service: ServiceConnection
  private let interface: InterfaceName
  private var onEvent: ((ServiceEvent<Machine.Update>) -> Void)?
  private var signals: (path: ObjectPath, match: SignalMatch)?
  private var watch: NameWatch?

  init(
    _ machine: Machine, _ interface: InterfaceName, on service: ServiceConnection,
    _ onEvent: @escaping (ServiceEvent<Machine.Update>) -> Void
  ) {
    self.service = service
    self.interface = interface
    host = MachineHost(machine)
    self.onEvent = onEvent
    watchName()
  }

  /// The watch begins before the first call, so that the owner that answers is known.
  private func watchName() {
    watch = NameWatch(ServiceContract.service, on: service.connection) { [weak self] owner in
      self?.handle(.ownerChanged(owner))
    }
  }

  /// The object has ended with its connection.
  func disconnected() {
    (signals, watch) = (nil, nil)
    handle(.disconnected)
  }

  /// Creates the object again on another connection.
  func move(to service: ServiceConnection) {
    guard onEvent != nil, service !== self.service else { return }
    self.service = service
    watchName()
    handle(.connected)
  }

  /// Creates the object, or changes its options. Does nothing after ``end()``.
  func want(_ options: ClientOptions) { if onEvent != nil { handle(.wanted(options)) } }

  /// Closes the object without reporting anything.
  func end() {
    guard onEvent != nil else { return }
    onEvent = nil
    (signals, watch) = (nil, nil)
    handle(.unwanted)
    host.disarm()
  }

  func perform(_ action: Machine.Action) {
    switch action {
    case .create(let member, let options, let attempt): create(member, options, attempt)
    case .set(let path, let property, let value):
      proxy(path).set(property, to: value) { [weak self] result in
        guard let self, signals?.path == path, case .failure(let failure) = result else { return }
        if case .refused(let error) = failure, !failure.isLimited {
          onEvent?(.failure(error.printable))
        } else {
          handle(.notSet(path, property))
        }
      }
    case .tell(let event): onEvent?(event)
    case .follow(let path):
      // Signals are unicast, so none is lost before the match is in place.
      let match = proxy(path).onSignal { [weak self] signal in self?.handle(.signal(signal.member, signal.arguments)) }
      signals = (path, match)
    case .start(let path, let attempt):
      proxy(path).call(SubscriptionInterface.start, expecting: "") { [weak self] result in
        switch result {
        case .success: self?.handle(.started(attempt: attempt))
        case .failure(let failure): self?.handle(.failed(failure.error.printable, attempt: attempt))
        }
      }
    case .close(let path):
      // It may be an earlier object, whose creation was answered late.
      if signals?.path == path { signals = nil }
      service.connection.closeObject(path, of: interface)
    case .readAuthorization(let path):
      proxy(path).getAll { [weak self] result in
        guard let properties = try? result.get(),
          let status = properties[SubscriptionInterface.authorizationStatus.rawValue]?.string,
          let reason = properties[SubscriptionInterface.authorizationReason.rawValue]?.string
        else { return }
        self?.handle(.authorization(status: status, reason: reason))
      }
    case .readMessage(let path):
      proxy(path).get(SubscriptionInterface.authorizationMessage) { [weak self] result in
        if let message = (try? result.get())?.string { self?.handle(.message(message.printable)) }
      }
    case .renew, .lost: break
    }
  }

  private func create(_ member: MemberName, _ options: Value, _ attempt: UInt64) {
    signals = nil
    let connection = service.connection
    // A timeout would lose an object that is created later. The call must not keep the connection open.
    service.manager.call(member, options, timeout: .never, expecting: "o") {
      [weak self, weak connection, interface] result in
      switch result {
      case .success(let values):
        guard let path = values.first?.objectPath else { return }
        guard let self, onEvent != nil else {
          connection?.closeObject(path, of: interface)
          return
        }
        handle(.created(path, attempt: attempt))
      case .failure(let failure): self?.handle(.failed(failure.error.printable, attempt: attempt))
      }
    }
  }

  private func proxy(_ path: ObjectPath) -> Proxy { service.proxy(path, interface) }
}

/// An event of an object at the service.
nonisolated enum ServiceObjectEvent: MachineEvent {
  /// The program wants the object, with these options.
  case wanted(ClientOptions)
  case unwanted
  /// The object must be replaced by a new one.
  case replaced
  /// The connection to the bus is lost.
  case disconnected
  /// There is another connection to the bus.
  case connected
  /// The service's name has a new owner, or none.
  case ownerChanged(BusName?)
  case created(ObjectPath, attempt: UInt64)
  case started(attempt: UInt64)
  /// The object could not be created or started.
  case failed(DBusError, attempt: UInt64)
  /// A limit has refused the change of a property, or the service has not answered.
  case notSet(ObjectPath, MemberName)
  case signal(MemberName, [Value])
  case authorization(status: String, reason: String)
  /// The service's sentence about the authorization.
  case message(String)
  case timer
}

/// An action for an object at the service and its program.
nonisolated enum ServiceObjectAction<Update: Sendable> {
  /// A new object is needed; its machine answers with ``create(_:_:attempt:)``.
  case renew(attempt: UInt64)
  case create(MemberName, Value, attempt: UInt64)
  case follow(ObjectPath)
  case start(ObjectPath, attempt: UInt64)
  case close(ObjectPath)
  case set(ObjectPath, MemberName, Value)
  case readAuthorization(ObjectPath)
  /// Read the service's sentence about the authorization.
  case readMessage(ObjectPath)
  /// The object has ended with the service, whether that is reported or not.
  case lost
  case tell(ServiceEvent<Update>)
}
