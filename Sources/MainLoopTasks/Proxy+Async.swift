// SPDX-License-Identifier: Apache-2.0
@_exported import DBusPublishing

extension Proxy {
  /// Calls a method and returns the arguments of the reply. Throws like ``Connection/call(_:timeout:expecting:within:)``,
  /// and `notSent` for arguments that D-Bus cannot carry.
  ///
  /// ```swift
  /// let lock = try await login.call("Inhibit", "sleep", "Example", "Saving", "delay", expecting: "h")[0].descriptor
  /// ```
  @discardableResult
  public func call(
    _ member: MemberName, _ arguments: Value..., timeout: CallTimeout = .standard, interactive: Bool = false,
    expecting signature: Signature? = nil
  ) async throws(CallFailure) -> [Value] {
    try await call(
      member, of: interface, arguments, timeout: timeout, interactive: interactive, expecting: signature)
  }

  /// Reads a property.
  public func get(_ property: MemberName) async throws(CallFailure) -> Value {
    let arguments: [Value] = [.string(interface.rawValue), .string(property.rawValue)]
    return try await call("Get", of: .properties, arguments, expecting: .variant).content
  }

  /// Reads all properties of the interface.
  public func getAll() async throws(CallFailure) -> [String: Value] {
    try await call("GetAll", of: .properties, [.string(interface.rawValue)], expecting: .variantDictionary)
      .first?.properties ?? [:]
  }

  /// Writes a property.
  public func set(_ property: MemberName, to value: Value) async throws(CallFailure) {
    let arguments: [Value] = [.string(interface.rawValue), .string(property.rawValue), .variant(value)]
    _ = try await call("Set", of: .properties, arguments, expecting: "")
  }

  /// Returns the signals of the interface, or only those named `member`, until the iteration ends or its task is
  /// cancelled. Signals before the first call of `next()` are not received. A loop that is slower than the sender
  /// receives the newest `count`.
  public func signals(
    _ member: MemberName? = nil, bufferingNewest count: Int = 64
  ) -> some AsyncSequence<Signal, Never> {
    signalPublisher(member).buffer(size: count, prefetch: .byRequest, whenFull: .dropOldest).values
  }

  private func call(
    _ member: MemberName, of interface: InterfaceName, _ arguments: [Value], timeout: CallTimeout = .standard,
    interactive: Bool = false, expecting signature: Signature?
  ) async throws(CallFailure) -> [Value] {
    let message = message(calling: member, of: interface, arguments, interactive: interactive)
    return try await connection.call(message, timeout: timeout, expecting: signature)
  }
}
