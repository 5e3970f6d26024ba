// SPDX-License-Identifier: Apache-2.0

/// Matches replies with their calls.
///
/// libdbus's own pending calls are not used, because they accept any message with the call's serial number as the
/// reply, including signals, which any program may send.
final class ReplyRouter {
  // A released call removes itself. Meanwhile, only its identity may be used.
  private struct Waiting {
    let id: ObjectIdentifier
    unowned let call: PendingCall
    init(_ call: PendingCall) {
      id = ObjectIdentifier(call)
      self.call = call
    }
  }

  weak var connection: Connection?
  /// The maximum number of calls that a destination may leave unanswered.
  var limit: Int?
  private var waiting: [UInt32: Waiting] = [:]
  private var kept: [ObjectIdentifier: PendingCall] = [:]
  private var unanswered = UnansweredCalls()
  /// Calls to repeat after a lost connection has been rejoined, in order.
  private var held: [Waiting] = []
  /// The sender of the reply that is being handled: the called peer or the bus.
  private(set) var lastSender: BusName?

  func add(
    _ message: Message?, to destination: BusName?, timeout: CallTimeout, expecting signature: Signature?,
    within budget: ReadBudget, _ handler: @escaping (Result<[Value], CallFailure>) -> Void
  ) -> PendingCall {
    let isLost = connection.map { $0.isOpen && $0.isToRejoin && !$0.isConnected } ?? false
    let refusal = refusal(of: message, to: destination)
    let serial = isLost || refusal != nil ? nil : message.flatMap { connection?.post($0) }
    let call = PendingCall(
      serial: serial, to: destination, expecting: signature, within: budget, router: self, handler)
    if connection?.isToRejoin == true { call.request = message }
    if let serial {
      waiting[serial] = Waiting(call)
      if limit != nil, let destination { unanswered.add(serial, to: destination) }
      call.fail(after: timeout)
    } else if let refusal {
      call.failNextTurn(.notSent(refusal))
    } else if isLost {
      held.append(Waiting(call))
      call.fail(after: timeout)
    } else {
      call.failNextTurn(.notSent(DBusError(.disconnected, "The connection to the bus is closed")))
    }
    return call
  }

  /// Returns why a call cannot be sent, or nil if it can.
  private func refusal(of message: Message?, to destination: BusName?) -> DBusError? {
    guard let message else { return .noDescriptors }
    if let refusal = connection?.refusal(of: message) { return refusal }
    guard let limit, let destination, destination != .bus, unanswered.count(of: destination) >= limit else {
      return nil
    }
    return DBusError(.limitsExceeded, "Too many earlier calls are still unanswered")
  }

  func receive(_ reply: Message) {
    lastSender = reply.sender
    if let destination = unanswered.answered(reply.replySerial, by: lastSender) { connection?.onAnswer?(destination) }
    defer { lastSender = nil }
    waiting[reply.replySerial]?.call.receive(reply)
  }

  func keep(_ call: PendingCall) { kept[ObjectIdentifier(call)] = call }

  /// Fails every call, in the order in which they were made, because the connection is lost.
  func failAll(_ error: DBusError) {
    hold()
    for call in held.map(\.call) { call.complete(.failure(.lost(error))) }
    held = []
  }

  /// Holds the calls until the lost connection has been rejoined.
  func hold() {
    // Those that were made while the connection was lost are later.
    held = waiting.sorted { $0.key < $1.key }.map(\.value) + held
    for entry in held { entry.call.serial = nil }
    waiting = [:]
    unanswered.removeAll()
  }

  /// Repeats the calls after the connection has been rejoined, each with its remaining time.
  func resend() {
    let calls = held.map(\.call)
    held = []
    for call in calls {
      guard let request = call.request else {
        call.failNextTurn(.lost(DBusError(.disconnected, "The bus has ended the connection")))
        continue
      }
      // The new connection may already be lost, too: keep the call for the next one.
      guard connection?.isConnected == true else {
        held.append(Waiting(call))
        continue
      }
      guard let message = request.unsent() else {
        call.failNextTurn(.notSent(.noDescriptors))
        continue
      }
      call.request = message
      guard let serial = connection?.post(message) else { continue }
      call.serial = serial
      waiting[serial] = Waiting(call)
      if limit != nil, let destination = message.destination { unanswered.add(serial, to: destination) }
    }
  }

  /// Cancels the calls that wait for a reply, in the order in which they were made, and then those that are kept.
  func cancelAll() {
    hold()
    let ended = held.map(\.call)
    held = []
    for call in ended { call.cancel() }
    for call in kept.values { call.cancel() }
  }

  func forget(_ call: PendingCall) {
    // Assigning nil would not do, because releasing the handler may call back into this object.
    _ = kept.removeValue(forKey: ObjectIdentifier(call))
    if let serial = call.serial, waiting[serial]?.id == ObjectIdentifier(call) { waiting[serial] = nil }
    if !held.isEmpty { held.removeAll { $0.id == ObjectIdentifier(call) } }
  }
}
