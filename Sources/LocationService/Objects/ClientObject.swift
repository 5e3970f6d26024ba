// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// The common part of subscriptions, regions and almanacs: an object on the bus that is visible only to its owner.
class ClientObject<Machine: ObjectMachine>: LocationShell<Machine>, OwnedObject {
  let kind: ObjectKind
  let number: UInt64
  let account: Account
  let path: ObjectPath
  private let created = Timestamp(microsecondsSinceEpoch: MainLoop.main.clock.realtime())
  private var object: ExportedObject?
  /// The number of the last outage that was reported to the owner.
  private var toldOutage: UInt64 = 0
  /// The `Start` calls in progress, in order.
  private var starting: [MethodCall] = []

  /// Creates an object whose machine `make` returns for the present authorization.
  init(
    _ kind: ObjectKind, _ number: UInt64, of client: Client, _ options: ClientOptions, in service: LocationService,
    _ make: (Authorization, _ sourceDecides: Bool) -> Machine
  ) {
    let gatekeeper = service.gatekeeper
    let access = gatekeeper.access(for: client, asking: options.accuracy, as: options.desktopID)
    self.kind = kind
    self.number = number
    account = client.account ?? .common
    path = kind.path.child(number)
    super.init(make(access.authorization, gatekeeper.sourceDecides), of: client, in: service)
  }

  var isActive: Bool { machine.isActive }
  private static var noSuchObject: DBusError {
    DBusError(.unknownObject, "The object no longer exists; create a new one")
  }

  override func firstLocation(for level: AccuracyLevel) -> Location? { service.firstLocation(for: level) }

  final func offerFirst() { offerFirst(at: machine.level) }

  final func export(_ implementation: Implementation) {
    object = service.connection.objects.export(path, owner: client.name, implementation)
    object?.onChange = { [weak self] in self?.tellLater() }
  }

  /// Handles `Start`: refuses it while a rule forbids access, otherwise starts now or once access is granted.
  final func start(_ call: MethodCall) {
    let stops = machine.stops
    service.prepare(client, since: call.arrivedAt) { [weak self] in
      guard let self, !isOver else { return call.fail(Self.noSuchObject) }
      if client.isToBeReviewed || isBeingChecked || !machine.authorization.isAuthorized { review() }
      // The review may have delivered the last update.
      guard !isOver else { return call.fail(Self.noSuchObject) }
      starting.append(call)
      handle(.start(after: stops))
    }
  }

  func clockChanged() {
    host.disarm()
    handle(.clockChanged)
  }

  final func changed(_ property: MemberName) { object?.propertyChanged(property, of: kind.interface) }

  /// Whether the object's state has changed since it was last sent to its owner.
  private(set) final var isMarked = false

  final override var isTelling: Bool { isMarked }

  final func tellLater() {
    guard !isMarked, !isOver else { return }
    isMarked = true
    service.outbox.whenStateDue(for: client.name, self) { [weak self] in self?.tellNow() }
  }

  final func tellAgain() {
    host.machine.forgetTold()
    toldOutage = 0
    object?.allPropertiesChanged()
    tellLater()
  }

  /// The first location of a chain waits for the user's turn, as state does. Chains that are restarted repeatedly, for
  /// example by an agent that changes its level, therefore cause no more signals than the user has turns.
  override func chainBegins() { tellLater() }

  /// Sends the signals about changed state. Locations wait until then.
  private func tellNow() {
    guard isMarked, !isOver else { return }
    isMarked = false
    service.outbox.signal {
      tellState()
      object?.flushChanges()
    }
    told()
    release()
  }

  func tellState() {
    if let new = host.machine.object.announcement() {
      emit(SubscriptionInterface.authorizationChanged, .string(new.status.rawValue), .string(new.reason.rawValue))
    }
    if kind != .region { tellOutage() }
  }

  /// Sends `ErrorOccurred` once per outage.
  private func tellOutage() {
    guard let outage = service.outage, outage.number != toldOutage, machine.reportsFailures else { return }
    toldOutage = outage.number
    let error = DBusError(outage.error)
    emit(SubscriptionInterface.errorOccurred, .string(error.name.rawValue), .string(error.message))
  }

  /// Called when the object's state has been sent to its owner.
  func told() {}

  final func emit(_ signal: MemberName, _ first: Value, _ second: Value? = nil) {
    guard let second else { return object?.emit(signal, of: kind.interface, first) ?? () }
    object?.emit(signal, of: kind.interface, first, second)
  }

  /// Answers a property that depends on the authorization once that has been decided.
  private func readAuthorization(_ request: PropertyRead, _ text: @escaping (Authorization) -> String) {
    read(request, afterCheckIf: machine.authorization.reason == .undecided) { .string(text($0.machine.authorization)) }
  }

  /// Answers a property that reveals where the user was. While the client is being checked again, the answer waits;
  /// without a result, and when the property is read again, it is empty. If the object ends meanwhile, the answer is an
  /// error.
  final func readPlace(_ request: PropertyRead, _ value: @escaping () -> Value?) {
    read(request, afterCheckIf: isActive && isBeingChecked) { ($0.isBeingChecked ? nil : value()) ?? .options([]) }
  }

  private func read(
    _ request: PropertyRead, afterCheckIf mustWait: Bool, _ value: @escaping (ClientObject) -> Value
  ) {
    guard request.sender != nil, mustWait, !request.isRepeated else { return request.answer(value(self)) }
    service.prepare(client, since: request.arrivedAt) { [weak self] in
      self?.review()
      // The machine of an object that has ended still has its last location, and no longer learns of lost access.
      guard let self, !isOver else { return request.answer(.failure(Self.noSuchObject)) }
      request.answer(value(self))
    }
  }

  /// Performs an action that only this kind of object has.
  func perform(kind action: Machine.Kind) {}

  final override func perform(own action: Machine.Own) {
    switch action {
    case .announce: tellLater()
    case .changed(let property): changed(property)
    case .started: if !starting.isEmpty { starting.removeFirst().reply() }
    case .refuse(let error): if !starting.isEmpty { starting.removeFirst().fail(error) }
    case .own(let action): perform(kind: action)
    }
  }

  override func finish(_ reason: ClosedReason?) {
    if let reason {
      service.outbox.signal {
        object?.flushChanges()
        emit(SubscriptionInterface.closed, .string(reason.rawValue))
      }
    }
    object?.unexport()
    object = nil
    client.remove(self)
    service.clients.release(self)
  }

  final var listEntry: Value {
    .options([
      ("Path", .objectPath(path)),
      ("Kind", .string(kind.rawValue)),
      ("Sender", .string(client.name.rawValue)),
      ("UserId", .uint32(client.credentials?.userID ?? .max)),
      ("ProcessId", .uint32(client.credentials?.processID ?? 0)),
      ("DesktopId", .string(machine.options.desktopID)),
      ("Level", .string(machine.level.contractName)),
      ("Active", .boolean(machine.isActive)),
      ("Since", Value(created)),
      ("Delivered", .uint64(machine.delivered)),
    ])
  }
}

/// The members that the interfaces of all kinds have in common.
extension ClientObject {
  final func stop(_ call: MethodCall) {
    handle(.stop)
    call.reply()
  }

  final func close(_ call: MethodCall) {
    call.reply()
    end(.byClient)
  }

  final func readAuthorizationStatus(_ request: PropertyRead) { readAuthorization(request) { $0.status.rawValue } }
  final func readAuthorizationReason(_ request: PropertyRead) { readAuthorization(request) { $0.reason.rawValue } }
  final func readAuthorizationMessage(_ request: PropertyRead) { readAuthorization(request) { $0.message } }
}
